// What every WorkerService must do, on the object of a task and on the stub over gRPC.
#include "rheo/service/worker_service.h"

#include <gmock/gmock.h>

#include "rheo/op/catalog_fingerprint.h"
#include "task_world.h"

namespace rheo {
namespace {

using namespace service;  // its requests and responses
using graph::GraphDef;
using graph::NodeDef;
using rendezvous::RendezvousKey;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kMaster[] = "/job:master/replica:0/task:0";
constexpr char kMasterCpu[] = "/job:master/replica:0/task:0/device:CPU:0";

class WorkerServiceTest : public ::testing::TestWithParam<Reach> {
 protected:
  template <typename Request, typename Response>
  Status Do(void (WorkerService::*method)(const Request&, Response*, const Call&, DoneCallback),
            const std::type_identity_t<Request>& request, Response* response, Call call = {}) {
    return Invoke(world_.worker(), method, request, response, std::move(call));
  }

  Status CreateSession(const SessionHandle& session, int64_t master_incarnation = 1) {
    CreateWorkerSessionResponse response;
    return Do(
        &WorkerService::CreateWorkerSession,
        {.session = session, .master_task = kMaster, .master_incarnation = master_incarnation},
        &response);
  }
  Status DeleteSession(const SessionHandle& session) {
    DeleteWorkerSessionResponse response;
    return Do(&WorkerService::DeleteWorkerSession, {.session = session}, &response);
  }
  StatusOr<GraphHandle> Register(GraphDef graph, bool created = true) {
    RegisterGraphResponse response;
    RHEO_RETURN_IF_ERROR(Do(
        &WorkerService::RegisterGraph,
        {.session = session_, .create_worker_session_called = created, .graph = std::move(graph)},
        &response));
    return response.graph;
  }
  Status Deregister(const GraphHandle& graph) {
    DeregisterGraphResponse response;
    return Do(&WorkerService::DeregisterGraph, {.session = session_, .graph = graph}, &response);
  }
  StatusOr<RunGraphResponse> Run(const RunGraphRequest& request, Call call = {}) {
    RunGraphResponse response;
    RHEO_RETURN_IF_ERROR(Do(&WorkerService::RunGraph, request, &response, std::move(call)));
    return response;
  }
  StatusOr<RecvTensorResponse> RecvTensor(const RecvTensorRequest& request) {
    RecvTensorResponse response;
    RHEO_RETURN_IF_ERROR(Do(&WorkerService::RecvTensor, request, &response));
    return response;
  }
  Status Cleanup(StepId step) {
    CleanupGraphResponse response;
    return Do(&WorkerService::CleanupGraph, {.step = step}, &response);
  }

  Incarnation incarnation() { return world_.task().devices().at(0).incarnation; }

  // The key of a value that the client's device and this worker exchange.
  RendezvousKey FromMaster(const std::string& edge) {
    return RendezvousKey({.src_device = kMasterCpu,
                          .src_incarnation = Incarnation(5),
                          .dst_device = kCpu,
                          .edge = edge});
  }
  RendezvousKey ToMaster(const std::string& edge) {
    return RendezvousKey({.src_device = kCpu,
                          .src_incarnation = incarnation(),
                          .dst_device = kMasterCpu,
                          .edge = edge});
  }

  static NodeDef OnCpu(NodeDef node) {
    node.device = kCpu;
    return node;
  }
  // A Recv or Send as a master makes them; client_terminated: the value is fed or fetched.
  NodeDef Recv(std::string name, const std::string& edge, bool client_terminated) {
    return OnCpu({.name = std::move(name),
                  .op = "_Recv",
                  .attrs = {{"tensor_type", DType::kFloat},
                            {"tensor_name", edge},
                            {"send_device", kMasterCpu},
                            {"send_device_incarnation", int64_t{5}},
                            {"recv_device", kCpu},
                            {"client_terminated", client_terminated}}});
  }
  NodeDef Send(std::string name, std::string input, const std::string& edge,
               bool client_terminated) {
    return OnCpu({.name = std::move(name),
                  .op = "_Send",
                  .inputs = {std::move(input)},
                  .attrs = {{"T", DType::kFloat},
                            {"tensor_name", edge},
                            {"send_device", kCpu},
                            {"send_device_incarnation", static_cast<int64_t>(incarnation().value)},
                            {"recv_device", kMasterCpu},
                            {"client_terminated", client_terminated}}});
  }
  // out = -in; `fetched`: out rides in the answer of RunGraph, else it waits for RecvTensor.
  GraphDef Negation(bool fetched = true) {
    return GraphOf(
        {Recv("in", "in", true),
         OnCpu({.name = "neg", .op = "Neg", .inputs = {"in"}, .attrs = {{"T", DType::kFloat}}}),
         Send("out", "neg", "out", fetched)});
  }
  RunGraphRequest RunOf(const GraphHandle& graph, StepId step = NewStepId()) {
    RunGraphRequest request{.session = session_, .graph = graph, .step = step};
    request.request_id = NewRequestId();
    return request;
  }
  RunGraphRequest NegationOf(const GraphHandle& graph, float value) {
    RunGraphRequest request = RunOf(graph);
    request.sends.push_back({FromMaster("in"), Tensor::Scalar(value)});
    request.recv_keys.push_back(ToMaster("out"));
    return request;
  }
  GraphHandle Registered(GraphDef graph) {
    StatusOr<GraphHandle> handle = Register(std::move(graph));
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : GraphHandle();
  }
  void ExpectWorks() {
    const auto response = Run(NegationOf(Registered(Negation()), 2.0f));
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->recvs.at(0).tensor, Tensor::Scalar(-2.0f));
  }

  void SetUp() override { ASSERT_TRUE(CreateSession(session_).ok()); }

  TaskWorld world_{GetParam()};
  const SessionHandle session_{"00000000000000aa"};
};

INSTANTIATE_TEST_SUITE_P(All, WorkerServiceTest, ::testing::Values(Reach::kDirect, Reach::kGrpc),
                         ReachName);

TEST_P(WorkerServiceTest, StatusTellsDevicesAndKernels) {
  GetStatusResponse response;
  ASSERT_TRUE(Do(&WorkerService::GetStatus, {}, &response).ok());
  EXPECT_EQ(response.devices, world_.task().devices());
  EXPECT_TRUE(response.is_rheo);
  ASSERT_NE(response.kernels, nullptr);
  EXPECT_NE(response.kernels->Find("Neg", "CPU", {{"T", DType::kFloat}}), nullptr);
  EXPECT_EQ(response.kernels->Find("Neg", "CPU", {{"T", DType::kString}}), nullptr);
}

TEST_P(WorkerServiceTest, KernelsThatTheMasterHasItselfAreNotTold) {
  GetStatusResponse told;
  ASSERT_TRUE(Do(&WorkerService::GetStatus, {}, &told).ok());
  const uint64_t fingerprint = op::Fingerprint(*told.kernels);
  GetStatusResponse same;
  ASSERT_TRUE(Do(&WorkerService::GetStatus, {.known_kernels = fingerprint}, &same).ok());
  EXPECT_TRUE(same.kernels_are_known);
  EXPECT_EQ(same.kernels, nullptr);
  GetStatusResponse other;
  ASSERT_TRUE(Do(&WorkerService::GetStatus, {.known_kernels = fingerprint + 1}, &other).ok());
  EXPECT_FALSE(other.kernels_are_known);
  EXPECT_NE(other.kernels, nullptr);
}

// ---- Sessions

TEST_P(WorkerServiceTest, SessionsNeedAHandle) {
  const Status status = CreateSession(SessionHandle());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("Session must be non-empty."));
}

TEST_P(WorkerServiceTest, DeletingASessionForgetsItsGraphs) {
  const GraphHandle graph = Registered(Negation());
  EXPECT_TRUE(DeleteSession(session_).ok());
  EXPECT_TRUE(DeleteSession(session_).ok()) << "an unknown one is fine";
  const Status status = Run(NegationOf(graph, 1.0f)).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  ASSERT_TRUE(CreateSession(session_).ok());
  EXPECT_EQ(Run(NegationOf(graph, 1.0f)).status().code(), StatusCode::kAborted);
}

TEST_P(WorkerServiceTest, AMasterThatCameBackDropsTheSessionsOfItsFormerLife) {
  const GraphHandle graph = Registered(Negation());
  ASSERT_TRUE(CreateSession(SessionHandle("00000000000000bb"), /*master_incarnation=*/2).ok());
  EXPECT_EQ(Run(NegationOf(graph, 1.0f)).status().code(), StatusCode::kAborted);
}

TEST_P(WorkerServiceTest, UnknownSessionsAreAbortedWithTheRestartedMark) {
  DeleteSession(session_).IgnoreError();
  DeregisterGraphResponse deregistered;
  for (const Status& status :
       {Register(Negation()).status(), Run(NegationOf(GraphHandle("1"), 1.0f)).status(),
        Do(&WorkerService::DeregisterGraph, {.session = session_}, &deregistered)}) {
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
    EXPECT_THAT(std::string(Message(status)),
                StartsWith("Session handle is not found: 00000000000000aa. Possibly this worker "
                           "(\"/job:worker/replica:0/task:0\") just restarted."));
  }
  const Status status = Register(Negation()).status();
  EXPECT_TRUE(status.GetPayload(std::string(kWorkerRestartedPayload)).has_value());
}

TEST_P(WorkerServiceTest, TheLegacySessionIsAlwaysThere) {
  DeleteSession(session_).IgnoreError();
  const auto graph = Register(Negation(), /*created=*/false);
  ASSERT_TRUE(graph.ok()) << graph.status();
  RunGraphRequest request = NegationOf(*graph, 3.0f);
  request.create_worker_session_called = false;
  const auto response = Run(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->recvs.at(0).tensor, Tensor::Scalar(-3.0f));
}

TEST_P(WorkerServiceTest, AClusterOfItsOwnNeedsTheTask) {
  CreateWorkerSessionRequest request{.session = SessionHandle("00000000000000cc")};
  request.server_def.cluster = {{"other", {"127.0.0.1:1"}}};
  request.server_def.job_name = "missing";
  CreateWorkerSessionResponse response;
  EXPECT_EQ(Do(&WorkerService::CreateWorkerSession, request, &response).code(),
            StatusCode::kInternal);
}

// ---- Graphs

TEST_P(WorkerServiceTest, RunsAGraphWithFeedsAndFetches) {
  const GraphHandle graph = Registered(Negation());
  for (float value : {1.0f, 2.5f}) {
    const auto response = Run(NegationOf(graph, value));
    ASSERT_TRUE(response.ok()) << response.status();
    ASSERT_EQ(response->recvs.size(), 1u);
    EXPECT_EQ(response->recvs[0].key, ToMaster("out"));
    EXPECT_EQ(response->recvs[0].tensor, Tensor::Scalar(-value));
  }
}

TEST_P(WorkerServiceTest, AGraphRegisteredTwiceHasTwoHandles) {
  const GraphHandle first = Registered(Negation());
  const GraphHandle second = Registered(Negation());
  EXPECT_NE(first, second);
  EXPECT_TRUE(Deregister(first).ok());
  EXPECT_EQ(Run(NegationOf(first, 1.0f)).status().code(), StatusCode::kAborted);
  EXPECT_TRUE(Run(NegationOf(second, 1.0f)).ok());
}

TEST_P(WorkerServiceTest, UnknownGraphsAreAborted) {
  const Status run = Run(NegationOf(GraphHandle("nothing"), 1.0f)).status();
  EXPECT_EQ(run.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(run), HasSubstr("Graph handle is not found: nothing"));
  const Status deregister = Deregister(GraphHandle("nothing"));
  EXPECT_EQ(deregister.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(deregister), HasSubstr("Graph handle is not found: nothing. Possibly"));
}

TEST_P(WorkerServiceTest, BadGraphsAreRefusedNamingTheNode) {
  const struct {
    NodeDef node;
    StatusCode code;
    const char* text;
  } kCases[] = {
      {{.name = "a", .op = "NoOp"},
       StatusCode::kInvalidArgument,
       "Node 'a' is missing a device specification"},
      {{.name = "a", .op = "NoOp", .device = "/job:?"}, StatusCode::kInvalidArgument, "{{node a}}"},
      {{.name = "a", .op = "NoOp", .device = "/job:worker/replica:0/task:0/device:GPU:3"},
       StatusCode::kInvalidArgument,
       "/job:worker/replica:0/task:0/device:GPU:3 unknown device."},
      {{.name = "a", .op = "Nonsense", .device = kCpu},
       StatusCode::kNotFound,
       "Op type not registered 'Nonsense'"},
      {{.name = "a", .op = "Neg", .inputs = {"b"}, .device = kCpu, .attrs = {{"T", DType::kFloat}}},
       StatusCode::kInvalidArgument,
       "Unknown input node 'b'"},
      {{.name = "a", .op = "Neg", .device = kCpu, .attrs = {{"T", DType::kFloat}}},
       StatusCode::kInvalidArgument,
       "Incomplete graph, missing 1 inputs for a"},
      {{.name = "a", .op = "Const", .device = kCpu, .attrs = {{"dtype", DType::kFloat}}},
       StatusCode::kInvalidArgument,
       "missing attr 'value'"},
      {{.name = "a",
        .op = "_Arg",
        .device = kCpu,
        .attrs = {{"T", DType::kFloat}, {"index", "zero"}}},
       StatusCode::kInvalidArgument,
       "index"},
  };
  for (const auto& c : kCases) {
    const Status status = Register(GraphOf({c.node})).status();
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_THAT(Message(status), HasSubstr(c.text));
  }
  ExpectWorks();
}

TEST_P(WorkerServiceTest, AnEmptyGraphRunsAndEnds) {
  EXPECT_TRUE(Run(RunOf(Registered(GraphOf({})))).ok());
}

TEST_P(WorkerServiceTest, AKernelsErrorNamesItsNode) {
  GraphDef graph = GraphOf(
      {OnCpu({.name = "c",
              .op = "Const",
              .attrs = {{"dtype", DType::kInt32}, {"value", Tensor::Of<int32_t>({1}, {-7})}}}),
       OnCpu(
           {.name = "fill", .op = "Fill", .inputs = {"c", "one"}, .attrs = {{"T", DType::kFloat}}}),
       OnCpu({.name = "one",
              .op = "Const",
              .attrs = {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(1.0f)}}})});
  const Status status = Run(RunOf(Registered(graph))).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("[[{{node fill}}]]"));
  EXPECT_FALSE(IsDerived(status));
}

TEST_P(WorkerServiceTest, AFetchThatNobodyMakesIsAnError) {
  RunGraphRequest request = NegationOf(Registered(Negation()), 1.0f);
  request.recv_keys.push_back(ToMaster("nothing"));
  const Status status = Run(request).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(Message(status), HasSubstr("Failed to fetch outputs"));
}

TEST_P(WorkerServiceTest, ARequestThatCameTwiceIsAborted) {
  const RunGraphRequest request = NegationOf(Registered(Negation()), 1.0f);
  ASSERT_TRUE(Run(request).ok());
  const Status twice = Run(request).status();
  EXPECT_EQ(twice.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(twice), HasSubstr("RunGraph (Worker) request was received twice"));
}

TEST_P(WorkerServiceTest, GraphsAndTimesAreReportedWhereTheyAreAskedFor) {
  RunGraphRequest request = NegationOf(Registered(Negation()), 1.0f);
  request.exec.record_partition_graphs = true;
  request.exec.record_timeline = true;
  const auto response = Run(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->partition_graphs.size(), 1u);
  ASSERT_FALSE(response->step_stats.devices.empty());
  EXPECT_EQ(response->step_stats.devices[0].device, kCpu);
}

// ---- Stopping

class HeldWorkerTest : public WorkerServiceTest {
 protected:
  GraphHandle Hold() { return Registered(GraphOf({OnCpu({.name = "hold", .op = "Hold"})})); }
};

INSTANTIATE_TEST_SUITE_P(All, HeldWorkerTest, ::testing::Values(Reach::kDirect, Reach::kGrpc),
                         ReachName);

TEST_P(HeldWorkerTest, AStoppedCallEndsItsGraph) {
  const GraphHandle hold = Hold();
  Pending run(world_.worker(), &WorkerService::RunGraph, RunOf(hold));
  world_.AwaitHold();
  run.stop.request_stop();
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(run.Wait()));
  ExpectWorks();
}

TEST_P(HeldWorkerTest, CleanupEndsAPartialRunThatWaits) {
  RunGraphRequest request = RunOf(Hold());
  request.is_partial = true;
  ASSERT_TRUE(Run(request).ok()) << "the first part asks for nothing";
  world_.AwaitHold();
  ASSERT_TRUE(Cleanup(request.step).ok());
  // Waits for all that runs.
  world_.task().Stop(Unavailable("the task stops"));
}

TEST_P(HeldWorkerTest, APartThatComesAfterTheCleanupEnds) {
  RunGraphRequest request = RunOf(Hold());
  request.is_partial = true;
  ASSERT_TRUE(Cleanup(request.step).ok());
  (void)Run(request);
  world_.task().Stop(Unavailable("the task stops"));
}

TEST_P(HeldWorkerTest, AStepRunsOnceAtATime) {
  const GraphHandle hold = Hold();
  const RunGraphRequest first = RunOf(hold);
  Pending run(world_.worker(), &WorkerService::RunGraph, first);
  world_.AwaitHold();
  const Status second = Run(RunOf(hold, first.step)).status();
  EXPECT_EQ(second.code(), StatusCode::kInternal);
  EXPECT_THAT(Message(second), HasSubstr("is running already"));
  run.stop.request_stop();
}

TEST_P(HeldWorkerTest, AStepSurvivesThatItsGraphIsDeregistered) {
  const GraphHandle hold = Hold();
  Pending run(world_.worker(), &WorkerService::RunGraph, RunOf(hold));
  world_.AwaitHold();
  EXPECT_TRUE(Deregister(hold).ok());
  EXPECT_TRUE(DeleteSession(session_).ok());
  run.stop.request_stop();
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
}

TEST_P(HeldWorkerTest, ReceivesOfAFailedStepGetItsError) {
  const RunGraphRequest request = RunOf(Hold());
  Pending receive(world_.worker(), &WorkerService::RecvTensor,
                  RecvTensorRequest{.step = request.step, .key = ToMaster("out")});
  Pending run(world_.worker(), &WorkerService::RunGraph, request);
  world_.AwaitHold();
  run.stop.request_stop();
  EXPECT_EQ(receive.Wait().code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(receive.Wait()));
}

TEST_P(HeldWorkerTest, AStoppedTaskEndsEverythingWithItsReason) {
  Pending run(world_.worker(), &WorkerService::RunGraph, RunOf(Hold()));
  world_.AwaitHold();
  Pending receive(world_.worker(), &WorkerService::RecvTensor,
                  RecvTensorRequest{.step = NewStepId(), .key = ToMaster("out")});
  // A call of its own shows that the receive, sent before it, has arrived.
  ASSERT_TRUE(Cleanup(NewStepId()).ok());
  world_.task().Stop(Unavailable("the task stops"));
  EXPECT_THAT(Message(CreateSession(SessionHandle("00000000000000dd"))),
              HasSubstr("the task stops"));
  EXPECT_FALSE(run.Wait().ok());
  receive.stop.request_stop();
}

// ---- Tensors between tasks

TEST_P(WorkerServiceTest, AReceiveMayComeBeforeItsStep) {
  const GraphHandle graph = Registered(Negation(/*fetched=*/false));
  RunGraphRequest request = RunOf(graph);
  request.sends.push_back({FromMaster("in"), Tensor::Scalar(4.0f)});
  Pending receive(world_.worker(), &WorkerService::RecvTensor,
                  RecvTensorRequest{
                      .step = request.step, .key = ToMaster("out"), .request_id = NewRequestId()});
  ASSERT_TRUE(Run(request).ok());
  ASSERT_TRUE(receive.Wait().ok()) << receive.Wait();
  EXPECT_EQ(receive.response.item.tensor, Tensor::Scalar(-4.0f));
  EXPECT_FALSE(receive.response.item.is_dead);
}

TEST_P(WorkerServiceTest, AValueWaitsForItsReceiveAndGoesOnce) {
  const GraphHandle graph = Registered(Negation(/*fetched=*/false));
  RunGraphRequest request = RunOf(graph);
  request.sends.push_back({FromMaster("in"), Tensor::Scalar(4.0f)});
  ASSERT_TRUE(Run(request).ok());
  const RecvTensorRequest receive{.step = request.step, .key = ToMaster("out")};
  const auto value = RecvTensor(receive);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->item.tensor, Tensor::Scalar(-4.0f));
  EXPECT_GT(value->send_start_micros, 0);
  Pending again(world_.worker(), &WorkerService::RecvTensor, receive);
  again.stop.request_stop();
  EXPECT_EQ(again.Wait().code(), StatusCode::kCancelled);
}

TEST_P(WorkerServiceTest, CleanupEndsTheReceivesOfTheStep) {
  const StepId step = NewStepId();
  const GraphHandle graph = Registered(Negation(/*fetched=*/false));
  RunGraphRequest request = RunOf(graph, step);
  request.sends.push_back({FromMaster("in"), Tensor::Scalar(4.0f)});
  ASSERT_TRUE(Run(request).ok());
  ASSERT_TRUE(RecvTensor({.step = step, .key = ToMaster("out")}).ok());
  Pending second(world_.worker(), &WorkerService::RecvTensor,
                 RecvTensorRequest{.step = step, .key = ToMaster("out")});
  // The receive may still be on its way when the first cleanup comes: clean up until it is
  // answered.
  Status answer;
  std::atomic<bool> answered{false};
  std::thread waiter([&] {
    answer = second.Wait();
    answered = true;
  });
  while (!answered) ASSERT_TRUE(Cleanup(step).ok());
  waiter.join();
  EXPECT_EQ(answer.code(), StatusCode::kAborted) << answer;
  EXPECT_TRUE(Cleanup(StepId(-1)).ok()) << "an unknown step is fine";
}

TEST_P(WorkerServiceTest, ReceivesFromAnotherLifeOrDeviceAreRefused) {
  const auto key = [&](std::string device, Incarnation life) {
    return RendezvousKey({.src_device = std::move(device),
                          .src_incarnation = life,
                          .dst_device = kMasterCpu,
                          .edge = "e"});
  };
  const Status other_life =
      RecvTensor({.step = StepId(1), .key = key(kCpu, Incarnation(1))}).status();
  EXPECT_EQ(other_life.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(other_life),
              HasSubstr("RecvTensor expects a different device incarnation: 1 vs. " +
                        std::to_string(incarnation().value)));
  EXPECT_TRUE(other_life.GetPayload(std::string(kWorkerRestartedPayload)).has_value());
  const Status device =
      RecvTensor({.step = StepId(1),
                  .key = key("/job:worker/replica:0/task:0/device:GPU:0", incarnation())})
          .status();
  EXPECT_EQ(device.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(device), HasSubstr("/device:GPU:0 unknown device."));
}

TEST_P(WorkerServiceTest, AReceiveThatCameTwiceIsAborted) {
  const RecvTensorRequest request{
      .step = StepId(1), .key = ToMaster("e"), .request_id = RequestId(-9)};
  Pending first(world_.worker(), &WorkerService::RecvTensor, request);
  Pending second(world_.worker(), &WorkerService::RecvTensor, request);
  // Whichever came second is refused at once; the other one waits.
  std::atomic<int> refused{0};
  std::thread waiters[2];
  int i = 0;
  for (auto* receive : {&first, &second}) {
    waiters[i++] = std::thread([receive, &refused, &first, &second] {
      if (receive->Wait().code() != StatusCode::kAborted) return;
      ++refused;
      first.stop.request_stop();
      second.stop.request_stop();
    });
  }
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(refused, 1);
}

TEST_P(WorkerServiceTest, PushedTensorsReachTheStepThatComesLater) {
  NodeDef recv = Recv("in", "in", /*client_terminated=*/false);
  recv.attrs.Set("_rheo_push", true);
  const GraphHandle graph = Registered(GraphOf({recv, Send("out", "in", "out", true)}));
  RunGraphRequest request = RunOf(graph);
  request.recv_keys.push_back(ToMaster("out"));
  PushTensorsRequest push;
  push.tensors.push_back(
      {.step = request.step, .key = FromMaster("in"), .item = {.tensor = Tensor::Scalar(8.0f)}});
  PushTensorsResponse pushed;
  ASSERT_TRUE(Do(&WorkerService::PushTensors, push, &pushed).ok());
  const auto response = Run(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->recvs.at(0).tensor, Tensor::Scalar(8.0f));
}

// ---- Containers and the rest

TEST_P(WorkerServiceTest, CleanupAllEmptiesContainers) {
  const auto variable = [] {
    return OnCpu({.name = "v",
                  .op = "VarHandleOp",
                  .attrs = {{"dtype", DType::kFloat},
                            {"shape", Shape{}},
                            {"container", "box"},
                            {"shared_name", "v"}}});
  };
  const GraphHandle assign = Registered(GraphOf({variable(), Recv("in", "in", true),
                                                 OnCpu({.name = "assign",
                                                        .op = "AssignVariableOp",
                                                        .inputs = {"v", "in"},
                                                        .attrs = {{"dtype", DType::kFloat}}})}));
  const GraphHandle read = Registered(GraphOf({variable(),
                                               OnCpu({.name = "read",
                                                      .op = "ReadVariableOp",
                                                      .inputs = {"v"},
                                                      .attrs = {{"dtype", DType::kFloat}}}),
                                               Send("out", "read", "out", true)}));
  RunGraphRequest write = RunOf(assign);
  write.sends.push_back({FromMaster("in"), Tensor::Scalar(1.0f)});
  ASSERT_TRUE(Run(write).ok());
  const auto read_it = [&] {
    RunGraphRequest request = RunOf(read);
    request.recv_keys.push_back(ToMaster("out"));
    return Run(request).status();
  };
  EXPECT_TRUE(read_it().ok());
  CleanupAllResponse response;
  ASSERT_TRUE(Do(&WorkerService::CleanupAll, {.containers = {"other"}}, &response).ok());
  EXPECT_TRUE(read_it().ok());
  ASSERT_TRUE(Do(&WorkerService::CleanupAll, {.containers = {"box"}}, &response).ok());
  EXPECT_EQ(read_it().code(), StatusCode::kFailedPrecondition);
}

TEST_P(WorkerServiceTest, LoggingAndAcknowledgementsAreTaken) {
  LoggingResponse logging;
  EXPECT_TRUE(Do(&WorkerService::Logging, {.enable_rpc_logging = true}, &logging).ok());
  MarkRecvFinishedResponse finished;
  EXPECT_TRUE(Do(&WorkerService::MarkRecvFinished, {.request_id = RequestId(3)}, &finished).ok());
}

TEST_P(WorkerServiceTest, PartialRunsTakeTheirValuesInParts) {
  GraphDef graph = GraphOf(
      {Recv("a", "a", true), Recv("b", "b", true),
       OnCpu({.name = "sum", .op = "AddV2", .inputs = {"a", "b"}, .attrs = {{"T", DType::kFloat}}}),
       Send("out_a", "a", "out_a", true), Send("out", "sum", "out", true)});
  RunGraphRequest first = RunOf(Registered(graph));
  first.is_partial = true;
  first.sends.push_back({FromMaster("a"), Tensor::Scalar(1.0f)});
  first.recv_keys.push_back(ToMaster("out_a"));
  const auto a = Run(first);
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->recvs.at(0).tensor, Tensor::Scalar(1.0f));
  RunGraphRequest last = first;
  last.request_id = NewRequestId();
  last.is_last_partial_run = true;
  last.sends = {{FromMaster("b"), Tensor::Scalar(2.0f)}};
  last.recv_keys = {ToMaster("out")};
  const auto sum = Run(last);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->recvs.at(0).tensor, Tensor::Scalar(3.0f));
}

}  // namespace
}  // namespace rheo
