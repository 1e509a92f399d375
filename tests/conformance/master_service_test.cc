// What every MasterService must do, on the object of a task and on the stub over gRPC.
#include "rheo/service/master_service.h"

#include <gmock/gmock.h>

#include "task_world.h"

namespace rheo {
namespace {

using namespace service;  // its requests and responses
using graph::GraphDef;
using graph::NodeDef;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodeDef Placeholder(std::string name, DType dtype) {
  return {.name = std::move(name), .op = "Placeholder", .attrs = {{"dtype", dtype}}};
}
NodeDef Identity(std::string name, std::string input, DType dtype = DType::kFloat) {
  return {.name = std::move(name),
          .op = "Identity",
          .inputs = {std::move(input)},
          .attrs = {{"T", dtype}}};
}
NodeDef Plain(std::string name, std::string op) {
  return {.name = std::move(name), .op = std::move(op)};
}

// x: a float placeholder, y = x, z = x + y, n: a no-op, hold: runs until it is stopped.
GraphDef SmallGraph() {
  return GraphOf(
      {Placeholder("x", DType::kFloat),
       Identity("y", "x"),
       {.name = "z", .op = "AddV2", .inputs = {"x", "y"}, .attrs = {{"T", DType::kFloat}}},
       Plain("n", "NoOp"),
       Plain("hold", "Hold")});
}

class MasterServiceTest : public ::testing::TestWithParam<Reach> {
 protected:
  template <typename Request, typename Response>
  Status Do(void (MasterService::*method)(const Request&, Response*, const Call&, DoneCallback),
            const std::type_identity_t<Request>& request, Response* response, Call call = {}) {
    return Invoke(world_.master(), method, request, response, std::move(call));
  }

  StatusOr<SessionHandle> Create(GraphDef graph, SessionConfig config = {}) {
    CreateSessionResponse response;
    RHEO_RETURN_IF_ERROR(Do(&MasterService::CreateSession,
                            {.graph = std::move(graph), .config = std::move(config)}, &response));
    return response.session;
  }
  SessionHandle Session(GraphDef graph = SmallGraph()) {
    StatusOr<SessionHandle> session = Create(std::move(graph));
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *session : SessionHandle();
  }
  StatusOr<RunStepResponse> Run(const RunStepRequest& request, Call call = {}) {
    RunStepResponse response;
    RHEO_RETURN_IF_ERROR(Do(&MasterService::RunStep, request, &response, std::move(call)));
    return response;
  }
  StatusOr<int64_t> Extend(const SessionHandle& session, GraphDef graph, int64_t version) {
    ExtendSessionResponse response;
    RHEO_RETURN_IF_ERROR(
        Do(&MasterService::ExtendSession,
           {.session = session, .graph = std::move(graph), .current_graph_version = version},
           &response));
    return response.new_graph_version;
  }
  Status Close(const SessionHandle& session) {
    CloseSessionResponse response;
    return Do(&MasterService::CloseSession, {.session = session}, &response);
  }
  StatusOr<int64_t> MakeCallable(const SessionHandle& session, CallableOptions options) {
    MakeCallableResponse response;
    RHEO_RETURN_IF_ERROR(Do(&MasterService::MakeCallable,
                            {.session = session, .options = std::move(options)}, &response));
    return response.handle;
  }
  StatusOr<std::vector<Tensor>> RunCallable(const SessionHandle& session, int64_t handle,
                                            std::vector<Tensor> feeds) {
    RunCallableResponse response;
    RHEO_RETURN_IF_ERROR(Do(&MasterService::RunCallable,
                            {.session = session, .handle = handle, .feeds = std::move(feeds)},
                            &response));
    return std::move(response.fetches);
  }
  // The session still computes z = 2 x.
  void ExpectWorks(const SessionHandle& session) {
    const auto response =
        Run({.session = session, .feeds = {{"x:0", Tensor::Scalar(2.0f)}}, .fetches = {"z:0"}});
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->tensors.at(0).tensor, Tensor::Scalar(4.0f));
  }

  TaskWorld world_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, MasterServiceTest, ::testing::Values(Reach::kDirect, Reach::kGrpc),
                         ReachName);

TEST_P(MasterServiceTest, SessionsHaveHandlesOfTheirOwnAndVersionZero) {
  CreateSessionResponse a;
  CreateSessionResponse b;
  ASSERT_TRUE(Do(&MasterService::CreateSession, {.graph = SmallGraph()}, &a).ok());
  ASSERT_TRUE(Do(&MasterService::CreateSession, {}, &b).ok()) << "an empty graph is a graph";
  EXPECT_EQ(a.session.value.size(), 16u);
  EXPECT_NE(a.session, b.session);
  EXPECT_EQ(a.graph_version, 0);
}

TEST_P(MasterServiceTest, StepsAnswerTheFetchesByTheNamesAsAsked) {
  const auto response = Run({.session = Session(),
                             .feeds = {{"x", Tensor::Scalar(3.0f)}},
                             .fetches = {"z:0", "y", "z:0"},
                             .targets = {"n"}});
  ASSERT_TRUE(response.ok()) << response.status();
  std::map<std::string, Tensor> values;
  for (const NamedTensor& t : response->tensors) values.emplace(t.name, t.tensor);
  ASSERT_EQ(response->tensors.size(), 2u);
  EXPECT_EQ(values.at("z:0"), Tensor::Scalar(6.0f));
  EXPECT_EQ(values.at("y"), Tensor::Scalar(3.0f));
}

TEST_P(MasterServiceTest, TargetsAreRunAndNotAnswered) {
  const auto response = Run(
      {.session = Session(), .feeds = {{"x:0", Tensor::Scalar(3.0f)}}, .targets = {"z:0", "n"}});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_TRUE(response->tensors.empty());
}

// A tensor of the dtype with elements that differ, plain data by its bytes.
Tensor Sample(DType dtype) {
  if (dtype == DType::kString) return Tensor::Vector(std::vector<std::string>{"", "b\0c", "é"});
  Tensor t(dtype, Shape{2, 3});
  auto* bytes = static_cast<unsigned char*>(t.mutable_data());
  // 0 and 1 are values of every type, bool and the 2-bit integers included.
  for (size_t i = 0; i < t.num_bytes(); ++i) bytes[i] = i % DTypeSize(dtype) == 0 ? i % 2 : 0;
  return t;
}

TEST_P(MasterServiceTest, EveryDTypeCanBeFedAndFetched) {
  for (DType dtype : kAllDTypes) {
    // Handles and variants are made by operations, not by clients.
    if (!IsPlainData(dtype) && dtype != DType::kString) continue;
    // TensorFlow has no kernel of Identity for it either.
    if (dtype == DType::kFloat4E2m1fn) continue;
    SCOPED_TRACE(DTypeName(dtype));
    const SessionHandle session =
        Session(GraphOf({Placeholder("p", dtype), Identity("i", "p", dtype)}));
    for (const Tensor& value :
         {Sample(dtype), Tensor(dtype, Shape{0, 3}), Tensor(dtype, Shape{})}) {
      Tensor fed = value;
      if (value.rank() == 0 && IsPlainData(dtype)) {
        std::memset(fed.mutable_data(), 0, fed.num_bytes());
      }
      const auto response = Run({.session = session, .feeds = {{"p:0", fed}}, .fetches = {"i:0"}});
      ASSERT_TRUE(response.ok()) << response.status();
      EXPECT_EQ(response->tensors.at(0).tensor, fed);
    }
    EXPECT_TRUE(Close(session).ok());
  }
}

TEST_P(MasterServiceTest, ALargeTensorPassesWhole) {
  Tensor large(DType::kFloat, Shape{1 << 20});
  for (int i = 0; i < 1 << 20; ++i) large.mutable_flat<float>()[i] = static_cast<float>(i);
  const auto response = Run({.session = Session(), .feeds = {{"x:0", large}}, .fetches = {"y:0"}});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->tensors.at(0).tensor, large);
}

TEST_P(MasterServiceTest, VariablesKeepTheirValuesFromStepToStep) {
  const auto var = [](std::string name) -> NodeDef {
    return {.name = std::move(name),
            .op = "VarHandleOp",
            .attrs = {{"dtype", DType::kFloat}, {"shape", Shape{}}, {"shared_name", "v"}}};
  };
  GraphDef graph = GraphOf({var("v"),
                            Placeholder("x", DType::kFloat),
                            {.name = "assign",
                             .op = "AssignVariableOp",
                             .inputs = {"v", "x"},
                             .attrs = {{"dtype", DType::kFloat}}},
                            {.name = "read",
                             .op = "ReadVariableOp",
                             .inputs = {"v"},
                             .attrs = {{"dtype", DType::kFloat}}}});
  const SessionHandle session = Session(graph);
  const Status early = Run({.session = session, .fetches = {"read:0"}}).status();
  EXPECT_EQ(early.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(early), HasSubstr("ninitialized"));
  ASSERT_TRUE(
      Run({.session = session, .feeds = {{"x:0", Tensor::Scalar(7.0f)}}, .targets = {"assign"}})
          .ok());
  EXPECT_EQ(Run({.session = session, .fetches = {"read:0"}})->tensors.at(0).tensor,
            Tensor::Scalar(7.0f));
  // Other sessions share the task's variables, until a reset.
  const SessionHandle other = Session(graph);
  EXPECT_EQ(Run({.session = other, .fetches = {"read:0"}})->tensors.at(0).tensor,
            Tensor::Scalar(7.0f));
  ResetResponse reset;
  ASSERT_TRUE(Do(&MasterService::Reset, {}, &reset).ok());
  EXPECT_EQ(Run({.session = other, .fetches = {"read:0"}}).status().code(), StatusCode::kAborted)
      << "a reset ends the sessions";
  EXPECT_EQ(Run({.session = Session(graph), .fetches = {"read:0"}}).status().code(),
            StatusCode::kFailedPrecondition);
}

TEST_P(MasterServiceTest, MetadataHoldsWhatWasAskedFor) {
  RunStepRequest request{
      .session = Session(), .feeds = {{"x:0", Tensor::Scalar(1.0f)}}, .fetches = {"z:0"}};
  const auto quiet = Run(request);
  ASSERT_TRUE(quiet.ok()) << quiet.status();
  EXPECT_TRUE(quiet->metadata.partition_graphs.empty());
  EXPECT_TRUE(quiet->metadata.step_stats.devices.empty());
  request.options.output_partition_graphs = true;
  request.options.trace = TraceLevel::kFull;
  const auto full = Run(request);
  ASSERT_TRUE(full.ok()) << full.status();
  ASSERT_EQ(full->metadata.partition_graphs.size(), 1u);
  EXPECT_EQ(full->metadata.partition_graphs[0].nodes.at(0).device, kCpu);
  ASSERT_FALSE(full->metadata.step_stats.devices.empty());
  EXPECT_EQ(full->metadata.step_stats.devices[0].device, kCpu);
}

// ---- Errors of graphs

TEST_P(MasterServiceTest, BadGraphsAreRefusedNamingTheNode) {
  const struct {
    GraphDef graph;
    StatusCode code;
    const char* text;
  } kCases[] = {
      {GraphOf({Plain("a", "Nonsense")}), StatusCode::kNotFound,
       "Op type not registered 'Nonsense'"},
      {GraphOf({Plain("n", "NoOp"), Plain("n", "NoOp")}), StatusCode::kInvalidArgument,
       "'n' is not unique"},
      {GraphOf({Identity("a", "b")}), StatusCode::kInvalidArgument, "Unknown input node 'b'"},
      {GraphOf({Identity("a", "b"), Identity("b", "a")}), StatusCode::kInvalidArgument, "cycle"},
      {GraphOf({Plain("_a", "NoOp")}), StatusCode::kInvalidArgument, "Illegal op name '_a'"},
      {GraphOf({{.name = "a", .op = "Placeholder"}}), StatusCode::kNotFound, "dtype"},
      {GraphOf({Placeholder("a", DType::kFloat), Identity("b", "a", DType::kInt32)}),
       StatusCode::kInvalidArgument, "Input 0 of node b was passed float from a:0"},
      {GraphOf({{.name = "a", .op = "NoOp", .device = "/job:?"}}), StatusCode::kInvalidArgument,
       "Malformed device specification '/job:?'"},
      {GraphOf({{.name = "a", .op = "NoOp", .device = "/job:nobody"}}),
       StatusCode::kInvalidArgument, "/job:nobody"},
  };
  for (const auto& c : kCases) {
    const Status status = Create(c.graph).status();
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_THAT(Message(status), HasSubstr(c.text));
  }
  ExpectWorks(Session());
}

TEST_P(MasterServiceTest, GraphsOfTheFutureAreRefused) {
  GraphDef graph = SmallGraph();
  graph.versions.min_consumer = graph::kProducerVersion + 1;
  const Status status = Create(graph).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("GraphDef min consumer version"));
}

// ---- Extending

TEST_P(MasterServiceTest, ExtendedGraphsRunAndTheVersionRises) {
  const SessionHandle session = Session();
  const auto version = Extend(session, GraphOf({Identity("w", "z")}), 0);
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(*version, 1);
  EXPECT_EQ(*Extend(session, {}, 1), 2);
  const auto response =
      Run({.session = session, .feeds = {{"x:0", Tensor::Scalar(2.0f)}}, .fetches = {"w:0"}});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->tensors.at(0).tensor, Tensor::Scalar(4.0f));
}

TEST_P(MasterServiceTest, FailedExtensionsLeaveTheSessionAsItWas) {
  const SessionHandle session = Session();
  const Status version = Extend(session, GraphOf({Plain("m", "NoOp")}), 5).status();
  EXPECT_EQ(version.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(version), HasSubstr("Current version is 0 but caller expected 5."));
  const Status repeated = Extend(session, GraphOf({Plain("n", "NoOp")}), 0).status();
  EXPECT_EQ(repeated.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(repeated), HasSubstr("includes node 'n'"));
  EXPECT_EQ(Extend(session, GraphOf({Plain("m", "Nonsense")}), 0).status().code(),
            StatusCode::kNotFound);
  ExpectWorks(session);
  EXPECT_EQ(*Extend(session, GraphOf({Plain("m", "NoOp")}), 0), 1);
}

// ---- Errors of steps

TEST_P(MasterServiceTest, BadFeedsAndFetchesAreRefusedNamingThem) {
  const SessionHandle session = Session();
  const NamedTensor x{"x:0", Tensor::Scalar(1.0f)};
  const struct {
    RunStepRequest request;
    StatusCode code;
    const char* text;
  } kCases[] = {
      {{.session = session, .fetches = {"nothing:0"}}, StatusCode::kNotFound, "nothing"},
      {{.session = session, .feeds = {x}, .fetches = {"y:7"}}, StatusCode::kInvalidArgument, "y:7"},
      {{.session = session, .feeds = {x}, .targets = {"nothing"}},
       StatusCode::kNotFound,
       "nothing"},
      {{.session = session, .feeds = {{"nothing:0", x.tensor}}, .fetches = {"n"}},
       StatusCode::kNotFound,
       "nothing"},
      {{.session = session}, StatusCode::kInvalidArgument, "at least one target"},
      {{.session = session, .fetches = {"y:0"}},
       StatusCode::kInvalidArgument,
       "You must feed a value for placeholder tensor 'x' with dtype float"},
      {{.session = session, .feeds = {x, x}, .fetches = {"y:0"}},
       StatusCode::kInvalidArgument,
       "x:0"},
  };
  for (const auto& c : kCases) {
    const Status status = Run(c.request).status();
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_THAT(Message(status), HasSubstr(c.text));
  }
  ExpectWorks(session);
}

TEST_P(MasterServiceTest, AFeedOfAnotherDTypeFails) {
  const SessionHandle session = Session();
  const Status status =
      Run({.session = session, .feeds = {{"x:0", Tensor::Scalar<int32_t>(1)}}, .fetches = {"y:0"}})
          .status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(Message(status), HasSubstr("int32"));
  ExpectWorks(session);
}

TEST_P(MasterServiceTest, AKernelsErrorNamesNodeAndTask) {
  const SessionHandle session = Session(GraphOf(
      {Placeholder("x", DType::kFloat),
       {.name = "check", .op = "Reshape", .inputs = {"x", "s"}, .attrs = {{"T", DType::kFloat}}},
       Placeholder("s", DType::kInt32)}));
  const Status status = Run({.session = session,
                             .feeds = {{"x:0", Tensor::Of<float>({3}, {1, 2, 3})},
                                       {"s:0", Tensor::Of<int32_t>({1}, {2})}},
                             .fetches = {"check:0"}})
                            .status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("[[{{node check}}]]"));
  EXPECT_THAT(Message(status), HasSubstr(kTask));
}

TEST_P(MasterServiceTest, UnknownSessionsAreAborted) {
  const SessionHandle unknown("0123456789abcdef");
  const std::string text = "Session 0123456789abcdef is not found.";
  const auto expect_aborted = [&](const Status& status) {
    EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
    EXPECT_THAT(Message(status), HasSubstr(text));
  };
  expect_aborted(Run({.session = unknown, .targets = {"n"}}).status());
  expect_aborted(Extend(unknown, {}, 0).status());
  expect_aborted(Close(unknown));
  PartialRunSetupResponse setup;
  expect_aborted(Do(&MasterService::PartialRunSetup, {.session = unknown}, &setup));
  expect_aborted(MakeCallable(unknown, {.targets = {"n"}}).status());
  expect_aborted(RunCallable(unknown, 0, {}).status());
  ReleaseCallableResponse released;
  expect_aborted(Do(&MasterService::ReleaseCallable, {.session = unknown}, &released));
  ListDevicesResponse devices;
  const Status listed = Do(&MasterService::ListDevices, {.session = unknown}, &devices);
  EXPECT_EQ(listed.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(listed), HasSubstr(text));
}

TEST_P(MasterServiceTest, ARequestThatCameTwiceIsAborted) {
  const SessionHandle session = Session();
  RunStepRequest request{.session = session, .targets = {"n"}};
  request.request_id = RequestId(-77);
  ASSERT_TRUE(Run(request).ok());
  const Status twice = Run(request).status();
  EXPECT_EQ(twice.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(twice), HasSubstr("was received twice"));
}

// ---- The end of sessions

TEST_P(MasterServiceTest, CloseEndsTheStepsThatRun) {
  const SessionHandle session = Session();
  Pending run(world_.master(), &MasterService::RunStep,
              RunStepRequest{.session = session, .targets = {"hold"}});
  world_.AwaitHold();
  EXPECT_TRUE(Close(session).ok());
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
  EXPECT_THAT(Message(run.Wait()), HasSubstr("an explicit call to `Session::Close()`"));
  EXPECT_EQ(Run({.session = session, .targets = {"n"}}).status().code(), StatusCode::kAborted);
  EXPECT_EQ(Close(session).code(), StatusCode::kAborted);
}

TEST_P(MasterServiceTest, ResetEndsTheStepsThatRun) {
  Pending run(world_.master(), &MasterService::RunStep,
              RunStepRequest{.session = Session(), .targets = {"hold"}});
  world_.AwaitHold();
  ResetResponse response;
  EXPECT_TRUE(Do(&MasterService::Reset, {.containers = {"c"}}, &response).ok());
  EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
}

TEST_P(MasterServiceTest, AStoppedCallEndsItsStep) {
  const SessionHandle session = Session();
  {
    Pending run(world_.master(), &MasterService::RunStep,
                RunStepRequest{.session = session, .targets = {"hold"}});
    world_.AwaitHold();
    run.stop.request_stop();
    EXPECT_EQ(run.Wait().code(), StatusCode::kCancelled);
  }
  ExpectWorks(session);
  EXPECT_TRUE(Close(session).ok()) << "it would wait for a step that still ran";
}

TEST_P(MasterServiceTest, ADeadlineEndsTheStep) {
  const SessionHandle session = Session();
  const Call soon{.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100)};
  EXPECT_EQ(Run({.session = session, .targets = {"hold"}}, soon).status().code(),
            StatusCode::kDeadlineExceeded);
  RunStepRequest request{.session = session, .targets = {"hold"}};
  request.options.timeout_ms = 100;
  const Status status = Run(request).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(status), HasSubstr(kTask)) << "who was being waited for";
  ExpectWorks(session);
  EXPECT_TRUE(Close(session).ok());
}

// ---- Callables

TEST_P(MasterServiceTest, CallablesTakeAndGiveInOrder) {
  const SessionHandle session = Session();
  const auto handle = MakeCallable(session, {.feeds = {"x:0"}, .fetches = {"z:0", "y:0", "z:0"}});
  ASSERT_TRUE(handle.ok()) << handle.status();
  for (float x : {1.0f, 2.0f}) {
    const auto fetches = RunCallable(session, *handle, {Tensor::Scalar(x)});
    ASSERT_TRUE(fetches.ok()) << fetches.status();
    EXPECT_THAT(*fetches,
                ElementsAre(Tensor::Scalar(2 * x), Tensor::Scalar(x), Tensor::Scalar(2 * x)));
  }
  EXPECT_EQ(RunCallable(session, *handle, {}).status().code(), StatusCode::kInvalidArgument);
  ReleaseCallableResponse released;
  EXPECT_TRUE(
      Do(&MasterService::ReleaseCallable, {.session = session, .handle = *handle}, &released).ok());
  const Status gone = RunCallable(session, *handle, {Tensor::Scalar(1.0f)}).status();
  EXPECT_EQ(gone.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(gone), HasSubstr("handle was released"));
  EXPECT_THAT(Message(RunCallable(session, 99, {}).status()),
              HasSubstr("No such callable handle: 99"));
  EXPECT_EQ(MakeCallable(session, {.fetches = {"nothing"}}).status().code(), StatusCode::kNotFound);
}

// ---- Partial runs

TEST_P(MasterServiceTest, PartialRunsGoOnFromStageToStage) {
  GraphDef graph = SmallGraph();
  graph.nodes.push_back(Placeholder("b", DType::kFloat));
  graph.nodes.push_back(
      {.name = "q", .op = "AddV2", .inputs = {"z", "b"}, .attrs = {{"T", DType::kFloat}}});
  const SessionHandle session = Session(graph);
  PartialRunSetupResponse setup;
  ASSERT_TRUE(Do(&MasterService::PartialRunSetup,
                 {.session = session, .feeds = {"x:0", "b:0"}, .fetches = {"z:0", "q:0"}}, &setup)
                  .ok());
  RunStepRequest first{.session = session,
                       .feeds = {{"x:0", Tensor::Scalar(2.0f)}},
                       .fetches = {"z:0"},
                       .partial_run_handle = setup.partial_run_handle};
  RunStepRequest second{.session = session,
                        .feeds = {{"b:0", Tensor::Scalar(10.0f)}},
                        .fetches = {"q:0"},
                        .partial_run_handle = setup.partial_run_handle};
  const auto z = Run(first);
  ASSERT_TRUE(z.ok()) << z.status();
  EXPECT_EQ(z->tensors.at(0).tensor, Tensor::Scalar(4.0f));
  EXPECT_THAT(Message(Run(first).status()), HasSubstr("has already been fed"));
  const auto q = Run(second);
  ASSERT_TRUE(q.ok()) << q.status();
  EXPECT_EQ(q->tensors.at(0).tensor, Tensor::Scalar(14.0f));
  EXPECT_EQ(Run(second).status().code(), StatusCode::kInvalidArgument) << "it has ended";
}

// ---- Devices

TEST_P(MasterServiceTest, ListsItsDevicesWithAndWithoutASession) {
  for (const SessionHandle& session : {SessionHandle(), Session()}) {
    ListDevicesResponse response;
    ASSERT_TRUE(Do(&MasterService::ListDevices, {.session = session}, &response).ok());
    EXPECT_EQ(response.local_devices, world_.task().devices());
    EXPECT_TRUE(response.remote_devices.empty());
  }
}

}  // namespace
}  // namespace rheo
