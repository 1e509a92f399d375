// Steps of a master over fake workers: results, errors, cancellation, deadlines, close.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "rheo/base/sanitizers.h"
#include "rheo/master/fake_cluster_for_test.h"

namespace rheo::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StepTest : public MasterTest {
 protected:
  // y on the ps: parts on the ps and on worker 0.
  SessionHandle SessionOverTwoTasks() { return Session(Graph("/job:ps/task:0")); }
  // Starts a call of RunStep and returns once its part on `task` is held.
  void WaitForHeld(const std::string& task) {
    while (worker(task).Count("RunGraph") == 0) std::this_thread::yield();
  }
  void Hold(const std::string& task) {
    FakeWorker* held = &worker(task);
    held->on_run = [held](const RunGraphRequest&, RunGraphResponse*, const Call& call,
                          DoneCallback done) { held->HoldUntilStopped(call, std::move(done)); };
  }
  static auto Fail(Status status) {
    return [status](const RunGraphRequest&, RunGraphResponse*, const Call&, DoneCallback done) {
      done(status);
    };
  }
};

TEST_F(StepTest, FeedsAndFetchesRideInRunGraph) {
  const StatusOr<RunStepResponse> response = Run(FeedXFetchY(Session()));
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->tensors.size(), 1u);
  EXPECT_EQ(response->tensors[0].name, "y:0");
  EXPECT_EQ(response->tensors[0].tensor, Tensor::Scalar(5.0f));
}

TEST_F(StepTest, NamesWithoutIndexMeanOutputZero) {
  const StatusOr<RunStepResponse> response = Run(
      {.session = Session(), .feeds = {{"x", Tensor::Scalar(5.0f)}}, .fetches = {"y", "y:0", "y"}});
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->tensors.size(), 2u) << "each name as sent, once";
  EXPECT_EQ(response->tensors[0].name, "y");
  EXPECT_EQ(response->tensors[1].name, "y:0");
}

TEST_F(StepTest, EqualStepsAreRegisteredOnce) {
  const SessionHandle session = Session();
  RunStepRequest request = FeedXFetchY(session);
  request.targets = {"n", "y"};
  ASSERT_TRUE(Run(request).ok());
  ASSERT_TRUE(Run(request).ok());
  request.targets = {"y:0", "n"};
  ASSERT_TRUE(Run(request).ok());
  EXPECT_EQ(worker(kWorker0).Count("RegisterGraph"), 1);
  EXPECT_EQ(worker(kWorker0).Count("RunGraph"), 3);
}

TEST_F(StepTest, TargetIsNotConfusedWithFetch) {
  const SessionHandle session = Session();
  RunStepRequest request = FeedXFetchY(session);
  ASSERT_TRUE(Run(request).ok());
  request.fetches.clear();
  request.targets = {"y:0"};
  const StatusOr<RunStepResponse> response = Run(request);
  ASSERT_TRUE(response.ok());
  EXPECT_TRUE(response->tensors.empty());
}

TEST_F(StepTest, BadNamesFailAndTheSessionGoesOn) {
  const SessionHandle session = Session();
  EXPECT_EQ(Run({.session = session, .fetches = {"z:0"}}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Message(Run({.session = session}).status()),
            "Must specify at least one target to fetch or execute.");
  EXPECT_TRUE(Run(FeedXFetchY(session)).ok());
}

TEST_F(StepTest, StepOnOneTaskNeedsNoCleanup) {
  ASSERT_TRUE(Run(FeedXFetchY(Session())).ok());
  EXPECT_EQ(worker(kWorker0).Count("CleanupGraph"), 0);
  EXPECT_EQ(worker(kPs).Count("RunGraph"), 0);
}

TEST_F(StepTest, FeedThatNothingReadsIsIgnored) {
  graph::GraphDef def = Graph();
  def.nodes.push_back({.name = "far", .op = "NoOp", .device = "/job:ps/task:0"});
  const RunStepRequest request{
      .session = Session(def), .feeds = {{"x:0", Tensor::Scalar(5.0f)}}, .targets = {"far"}};
  EXPECT_TRUE(Run(request).ok());
  EXPECT_EQ(worker(kPs).Count("RunGraph"), 1);
  EXPECT_EQ(worker(kWorker0).Count("RunGraph"), 0);
}

TEST_F(StepTest, StepOverTwoTasksRunsBothPartsAndCleansUp) {
  ASSERT_TRUE(Run(FeedXFetchY(SessionOverTwoTasks())).ok());
  for (const char* task : {kPs, kWorker0}) {
    EXPECT_EQ(worker(task).Count("RunGraph"), 1) << task;
    EXPECT_EQ(worker(task).Count("CleanupGraph"), 1) << task;
  }
}

TEST_F(StepTest, RheoPeersPushBetweenTasks) {
  ASSERT_TRUE(Run(FeedXFetchY(SessionOverTwoTasks())).ok());
  int num_pushed = 0;
  for (const char* task : {kPs, kWorker0}) {
    const graph::GraphDef part = worker(task).registered().at(0).graph;
    for (const graph::NodeDef& node : part.nodes) {
      const bool crosses = node.attrs.GetOr<std::string>("send_device", "") !=
                           node.attrs.GetOr<std::string>("recv_device", "");
      EXPECT_EQ(node.attrs.GetOr<bool>("_rheo_push", false), crosses) << node.name;
      num_pushed += crosses ? 1 : 0;
      EXPECT_THAT(node.device, StartsWith(task)) << node.name;
    }
  }
  EXPECT_EQ(num_pushed, 4) << "x goes to the ps and y comes back";
}

TEST_F(StepTest, TensorFlowPeersPull) {
  worker(kPs).is_rheo = false;
  ASSERT_TRUE(Run(FeedXFetchY(SessionOverTwoTasks())).ok());
  const graph::GraphDef part = worker(kPs).registered().at(0).graph;
  for (const graph::NodeDef& node : part.nodes) {
    EXPECT_FALSE(node.attrs.Has("_rheo_push")) << node.name;
  }
}

TEST_F(StepTest, TransferNodesOfDifferentStepsHaveDifferentNames) {
  const SessionHandle session = SessionOverTwoTasks();
  ASSERT_TRUE(Run(FeedXFetchY(session)).ok());
  RunStepRequest other = FeedXFetchY(session);
  other.targets = {"n"};
  ASSERT_TRUE(Run(other).ok());
  std::set<std::string> names;
  const std::vector<RegisterGraphRequest> registered = worker(kPs).registered();
  for (const RegisterGraphRequest& request : registered) {
    for (const graph::NodeDef& node : request.graph.nodes) {
      if (node.op != "_Send" && node.op != "_Recv") continue;
      EXPECT_TRUE(names.insert(node.name).second) << node.name;
    }
  }
  EXPECT_EQ(names.size(), 4u);
}

TEST_F(StepTest, ConcurrentCallersRegisterOnce) {
  DoneCallback registered;
  Notification is_registering;
  worker(kWorker0).on_register = [&](const RegisterGraphRequest&, DoneCallback done) {
    registered = std::move(done);
    is_registering.Notify();
  };
  const RunStepRequest request = FeedXFetchY(Session());
  std::vector<std::thread> threads;
  std::atomic<int> num_ok{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { num_ok += Run(request).ok() ? 1 : 0; });
  }
  is_registering.Wait();
  registered(OkStatus());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_ok, 4);
  EXPECT_EQ(worker(kWorker0).Count("RegisterGraph"), 1);
}

TEST_F(StepTest, FailedRegistrationIsTriedAgain) {
  const SessionHandle session = SessionOverTwoTasks();
  worker(kPs).on_register = [](const auto&, DoneCallback done) {
    done(Unavailable("connection refused"));
  };
  const Status failed = Run(FeedXFetchY(session)).status();
  EXPECT_EQ(failed.code(), StatusCode::kUnavailable);
  EXPECT_THAT(Message(failed), StartsWith("From /job:ps/replica:0/task:0:\n"));
  EXPECT_EQ(worker(kWorker0).Count("DeregisterGraph"), 1) << "the part that did register goes";
  worker(kPs).on_register = nullptr;
  EXPECT_TRUE(Run(FeedXFetchY(session)).ok());
}

TEST_F(StepTest, RegistrationThatHangsMeetsTheDeadline) {
  DoneCallback registered;
  worker(kWorker0).on_register = [&](const auto&, DoneCallback done) {
    registered = std::move(done);
  };
  const SessionHandle session = Session();
  RunStepRequest request = FeedXFetchY(session);
  request.options.timeout_ms = 50;
  EXPECT_EQ(Run(request).status(),
            DeadlineExceeded("compiling the step and registering its parts did not finish in time; "
                             "no answer yet from {}",
                             kWorker0));
  registered(OkStatus());
  EXPECT_TRUE(Run(FeedXFetchY(session)).ok());
}

TEST_F(StepTest, RootErrorStopsTheOtherParts) {
  worker(kPs).on_run = Fail(InvalidArgument("bad\n\t [[{{{{node bad}}}}]]"));
  Hold(kWorker0);
  const Status status = Run(FeedXFetchY(SessionOverTwoTasks())).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "From /job:ps/replica:0/task:0:\nbad\n\t [[{{node bad}}]]");
}

TEST_F(StepTest, DerivedErrorAloneDoesNotStopTheOthers) {
  std::atomic<bool> is_ps_done{false};
  DoneCallback ps_done;
  worker(kPs).on_run = [&](const RunGraphRequest&, RunGraphResponse*, const Call& call,
                           DoneCallback done) {
    ps_done = std::move(done);
    EXPECT_FALSE(call.stop.stop_requested());
  };
  worker(kWorker0).on_run = [&](const RunGraphRequest&, RunGraphResponse*, const Call&,
                                DoneCallback done) {
    done(AsDerived(Aborted("stopped")));
    ps_done(InvalidArgument("root"));
    is_ps_done = true;
  };
  const Status status = Run(FeedXFetchY(SessionOverTwoTasks())).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(is_ps_done);
}

TEST_F(StepTest, OriginNamedByAConsumerMayReportItself) {
  DoneCallback ps_done;
  StopToken ps_stop;
  worker(kPs).on_run = [&](const RunGraphRequest&, RunGraphResponse*, const Call& call,
                           DoneCallback done) {
    ps_stop = call.stop;
    ps_done = std::move(done);
  };
  worker(kWorker0).on_run = [&](const RunGraphRequest&, RunGraphResponse*, const Call&,
                                DoneCallback done) {
    done(
        InvalidArgument("bad shapes\nAdditional GRPC error information from remote target {} "
                        "while calling RecvTensor",
                        kPs));
    EXPECT_FALSE(ps_stop.stop_requested());
    ps_done(InvalidArgument("bad shapes"));
  };
  const Status status = Run(FeedXFetchY(SessionOverTwoTasks())).status();
  EXPECT_EQ(Message(status), "From /job:ps/replica:0/task:0:\nbad shapes");
}

TEST_F(StepTest, CallerCancelsAndTheSessionGoesOn) {
  Hold(kPs);
  const SessionHandle session = SessionOverTwoTasks();
  StopSource stop;
  std::thread stopper([&] {
    WaitForHeld(kPs);
    stop.request_stop();
  });
  const Status status = Run(FeedXFetchY(session), {.stop = stop.get_token()}).status();
  stopper.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  worker(kPs).on_run = nullptr;
  EXPECT_TRUE(Run(FeedXFetchY(session)).ok());
}

TEST_F(StepTest, NothingOfACallIsTouchedOnceItWasAnswered) {
  const SessionHandle session = Session();
  std::vector<int64_t> keys;
  worker(kWorker0).on_register = [&](const RegisterGraphRequest& request, DoneCallback done) {
    keys.push_back(request.collective_graph_key);
    done(OkStatus());
  };
  auto request = std::make_unique<RunStepRequest>(FeedXFetchY(session));
  request->options.collective_graph_key = 5;
  StopSource stop;
  stop.request_stop();
  auto call = std::make_unique<Call>(Call{.stop = stop.get_token(), .caller_waits = true});
  RunStepResponse response;
  Status status;
  master().RunStep(*request, &response, *call, [&](Status s) {
    status = std::move(s);
    request.reset();
    call.reset();
  });
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(keys, std::vector<int64_t>{5});
}

// n and r = the sum of x over the members of an instance.
graph::GraphDef Collective(int64_t instance_key) {
  graph::GraphDef def;
  def.versions.producer = graph::kProducerVersion;
  def.nodes.push_back({.name = "x", .op = "Placeholder", .attrs = {{"dtype", DType::kFloat}}});
  def.nodes.push_back({.name = "r",
                       .op = "CollectiveReduce",
                       .inputs = {"x"},
                       .attrs = {{"T", DType::kFloat},
                                 {"group_size", int64_t{2}},
                                 {"group_key", int64_t{1}},
                                 {"instance_key", instance_key},
                                 {"merge_op", "Add"},
                                 {"final_op", "Id"},
                                 {"subdiv_offsets", std::vector<int64_t>{0}}}});
  return def;
}

TEST_F(StepTest, ACollectiveGraphHasAKeyAndConsecutiveIdsThatTheLeaderBegins) {
  env_.default_config.collective_group_leader = kWorker1;
  const SessionHandle session = Session(Collective(13));
  std::vector<int64_t> ids;
  worker(kWorker0).on_run = [&](const RunGraphRequest& request, RunGraphResponse* response,
                                const Call&, DoneCallback done) {
    ids.push_back(request.step.value);
    FakeWorker::Answer(request, response);
    done(OkStatus());
  };
  const RunStepRequest request{
      .session = session, .feeds = {{"x:0", Tensor::Scalar(5.0f)}}, .fetches = {"r:0"}};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Run(request).ok());
  EXPECT_EQ(ids, (std::vector<int64_t>{1000, 1001, 1002}));
  EXPECT_EQ(worker(kWorker1).Count("GetStepSequence"), 1);
  EXPECT_EQ(worker(kWorker0).registered().back().collective_graph_key, 0x25ac2419dbbd487f);
  // After a failure the leader is asked again.
  worker(kWorker0).on_run = [&](const RunGraphRequest&, RunGraphResponse*, const Call&,
                                DoneCallback done) { done(Internal("it broke")); };
  EXPECT_FALSE(Run(request).ok());
  EXPECT_EQ(worker(kWorker1).Count("failed 1003"), 1);  // the others are told
  EXPECT_EQ(worker(kWorker1).Count("failed 1002"), 0);
  worker(kWorker1).next_step = StepId(2000);
  worker(kWorker0).on_run = [&](const RunGraphRequest& run, RunGraphResponse* response, const Call&,
                                DoneCallback done) {
    ids.push_back(run.step.value);
    FakeWorker::Answer(run, response);
    done(OkStatus());
  };
  ASSERT_TRUE(Run(request).ok());
  EXPECT_EQ(ids.back(), 2000);
  EXPECT_EQ(worker(kWorker1).Count("GetStepSequence"), 2);
}

TEST_F(StepTest, ALeaderThatIsNotInTheClusterIsNamed) {
  env_.default_config.collective_group_leader = "/job:elsewhere/replica:0/task:0";
  const SessionHandle session = Session(Collective(13));
  const Status status =
      Run({.session = session, .feeds = {{"x:0", Tensor::Scalar(5.0f)}}, .fetches = {"r:0"}})
          .status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("/job:elsewhere/replica:0/task:0"), std::string_view::npos);
}

TEST_F(StepTest, DeadlineNamesWhatWasWaiting) {
  Hold(kPs);
  const SessionHandle session = SessionOverTwoTasks();
  const auto deadline = steady_clock::now() + milliseconds(200) * kSlowdown;
  const Status status = Run(FeedXFetchY(session), {.deadline = deadline}).status();
  EXPECT_LT(steady_clock::now(), deadline) << "the answer must arrive in time";
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(status), HasSubstr(kPs));
  EXPECT_THAT(Message(status), HasSubstr("[[{{node deq}}]]"));
  EXPECT_THAT(Message(status), Not(HasSubstr(kWorker0)));
}

TEST_F(StepTest, DeadlineHoldsThoughAPartDoesNotReact) {
  DoneCallback stuck;
  worker(kPs).on_run = [&](const auto&, auto*, const Call&, DoneCallback done) {
    stuck = std::move(done);
  };
  const SessionHandle session = SessionOverTwoTasks();
  RunStepRequest request = FeedXFetchY(session);
  request.options.timeout_ms = 50;
  const Status status = Run(request).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(status), HasSubstr("/job:ps/replica:0/task:0: has not answered"));
  stuck(OkStatus());
}

TEST_F(StepTest, CloseCancelsRunningStepsAndWaitsForThem) {
  Hold(kWorker0);
  const SessionHandle session = Session();
  std::thread closer([&] {
    WaitForHeld(kWorker0);
    EXPECT_TRUE(Close(session).ok());
  });
  const Status status = Run(FeedXFetchY(session)).status();
  closer.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(Message(status), "Step was cancelled by an explicit call to `Session::Close()`.");
}

TEST_F(StepTest, DuplicateRequestsAreAborted) {
  RunStepRequest request = FeedXFetchY(Session());
  request.request_id = NewRequestId();
  EXPECT_TRUE(Run(request).ok());
  const Status status = Run(request).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_THAT(Message(status), StartsWith("The same RunStep (Master) request was received twice."));
}

TEST_F(StepTest, TraceIsCollectedFromAllParts) {
  const auto traced = [](const RunGraphRequest& request, RunGraphResponse* response, const Call&,
                         DoneCallback done) {
    FakeWorker::Answer(request, response);
    if (request.exec.record_timeline) response->step_stats.devices.push_back({.device = "d"});
    if (request.exec.record_partition_graphs) response->partition_graphs.emplace_back();
    done(OkStatus());
  };
  worker(kPs).on_run = traced;
  worker(kWorker0).on_run = traced;
  RunStepRequest request = FeedXFetchY(SessionOverTwoTasks());
  EXPECT_TRUE(Run(request)->metadata.step_stats.devices.empty());
  request.options = {.trace = TraceLevel::kFull, .output_partition_graphs = true};
  const StatusOr<RunStepResponse> response = Run(request);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->metadata.step_stats.devices.size(), 2u);
  EXPECT_EQ(response->metadata.partition_graphs.size(), 2u);
}

TEST_F(StepTest, MissingFetchIsAnError) {
  worker(kWorker0).on_run = Fail(OkStatus());
  EXPECT_EQ(Run(FeedXFetchY(Session())).status().code(), StatusCode::kInternal);
}

TEST_F(StepTest, RunsExtensionsAndCloseMayMeet) {
  const SessionHandle session = Session();
  std::vector<std::thread> threads;
  std::atomic<bool> is_open{true};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (is_open) {
        const Status status = Run(FeedXFetchY(session)).status();
        if (!status.ok()) {
          EXPECT_THAT(status.code(), ::testing::AnyOf(StatusCode::kAborted, StatusCode::kCancelled,
                                                      StatusCode::kFailedPrecondition));
          return;
        }
      }
    });
  }
  while (worker(kWorker0).Count("RunGraph") < 100) std::this_thread::yield();
  EXPECT_TRUE(Close(session).ok());
  is_open = false;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(worker(kWorker0).calls().back(), "DeleteWorkerSession")
      << "no step runs once the session is closed";
}

class CallableTest : public StepTest {
 protected:
  StatusOr<int64_t> Make(const SessionHandle& session, CallableOptions options) {
    const MakeCallableRequest request{.session = session, .options = std::move(options)};
    MakeCallableResponse response;
    Call call;
    Status status = Wait(call, [&](DoneCallback done) {
      master().MakeCallable(request, &response, call, std::move(done));
    });
    if (!status.ok()) return status;
    return response.handle;
  }
  StatusOr<std::vector<Tensor>> RunCallable(const SessionHandle& session, int64_t handle,
                                            std::vector<Tensor> feeds) {
    const RunCallableRequest request{.session = session, .handle = handle, .feeds = feeds};
    RunCallableResponse response;
    Call call;
    Status status = Wait(call, [&](DoneCallback done) {
      master().RunCallable(request, &response, call, std::move(done));
    });
    if (!status.ok()) return status;
    return response.fetches;
  }
};

TEST_F(CallableTest, FetchesComeInOrderWithRepeats) {
  const SessionHandle session = Session();
  const StatusOr<int64_t> handle = Make(session, {.feeds = {"x"}, .fetches = {"y", "y:0"}});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ(*handle, 0);
  for (float value : {1.0f, 2.0f, 3.0f}) {
    const auto fetches = RunCallable(session, *handle, {Tensor::Scalar(value)});
    ASSERT_TRUE(fetches.ok()) << fetches.status();
    ASSERT_EQ(fetches->size(), 2u);
    EXPECT_EQ((*fetches)[0], Tensor::Scalar(value));
    EXPECT_EQ((*fetches)[1], Tensor::Scalar(value));
  }
}

TEST_F(CallableTest, MisuseIsInvalid) {
  const SessionHandle session = Session();
  const int64_t handle = *Make(session, {.feeds = {"x"}, .fetches = {"y"}});
  EXPECT_EQ(RunCallable(session, handle, {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(RunCallable(session, 7, {}).status()), "No such callable handle: 7");
  const ReleaseCallableRequest request{.session = session, .handle = handle};
  ReleaseCallableResponse response;
  Call call;
  const Status released = Wait(call, [&](DoneCallback done) {
    master().ReleaseCallable(request, &response, call, std::move(done));
  });
  EXPECT_TRUE(released.ok());
  EXPECT_EQ(Message(RunCallable(session, handle, {Tensor::Scalar(1.0f)}).status()),
            "Attempted to run callable after handle was released: 0");
  EXPECT_EQ(worker(kWorker0).Count("DeregisterGraph"), 1);
  EXPECT_EQ(Make(session, {.fetches = {"y"}, .has_feed_or_fetch_devices = true}).status().code(),
            StatusCode::kUnimplemented);
}

TEST_F(CallableTest, TensorConnectionsReplaceAnOutput) {
  graph::GraphDef def = Graph();
  def.nodes.push_back(
      {.name = "z", .op = "Identity", .inputs = {"y"}, .attrs = {{"T", DType::kFloat}}});
  const SessionHandle session = Session(def);
  EXPECT_TRUE(
      Make(session, {.feeds = {"x"}, .fetches = {"z"}, .tensor_connections = {{"x", "y"}}}).ok());
  EXPECT_EQ(
      Message(Make(session, {.feeds = {"x"}, .fetches = {"z"}, .tensor_connections = {{"z", "y"}}})
                  .status()),
      "Requested Tensor connection between nodes \"z\" and \"y\" would create a cycle.");
}

TEST_F(CallableTest, ControlOutputsAreNoTensors) {
  const SessionHandle session = Session();
  for (const CallableOptions& options : std::vector<CallableOptions>{
           {.feeds = {"^x"}, .fetches = {"y"}},
           {.feeds = {"x"}, .fetches = {"^y"}},
           {.fetches = {"y"}, .tensor_connections = {{"y", "^x"}}},
           {.fetches = {"y"}, .tensor_connections = {{"^y", "x"}}},
       }) {
    const Status status = Make(session, options).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(Message(status)), HasSubstr("is a control output"));
  }
}

class PartialRunTest : public StepTest {
 protected:
  // p = x, q = p + b.
  SessionHandle SumSession() {
    graph::GraphDef def = Graph();
    def.nodes.push_back({.name = "b", .op = "Placeholder", .attrs = {{"dtype", DType::kFloat}}});
    def.nodes.push_back(
        {.name = "q", .op = "AddV2", .inputs = {"y", "b"}, .attrs = {{"T", DType::kFloat}}});
    return Session(def);
  }
  StatusOr<std::string> SetUpRun(const SessionHandle& session, std::vector<std::string> feeds,
                                 std::vector<std::string> fetches) {
    const PartialRunSetupRequest request{
        .session = session, .feeds = std::move(feeds), .fetches = std::move(fetches)};
    PartialRunSetupResponse response;
    Call call;
    RHEO_RETURN_IF_ERROR(Wait(call, [&](DoneCallback done) {
      master().PartialRunSetup(request, &response, call, std::move(done));
    }));
    return response.partial_run_handle;
  }
  std::string SetUpRun(const SessionHandle& session) {
    const auto handle = SetUpRun(session, {"x:0", "b:0"}, {"y:0", "q:0"});
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : "";
  }
  static RunStepRequest Stage(const SessionHandle& session, const std::string& handle,
                              std::string feed, std::string fetch) {
    RunStepRequest request{.session = session, .partial_run_handle = handle};
    if (!feed.empty()) request.feeds.push_back({feed, Tensor::Scalar(2.0f)});
    if (!fetch.empty()) request.fetches.push_back(fetch);
    return request;
  }
};

TEST_F(PartialRunTest, StagesShareOneStep) {
  std::vector<RunGraphRequest> runs;
  worker(kWorker0).on_run = [&](const RunGraphRequest& request, RunGraphResponse* response,
                                const Call&, DoneCallback done) {
    runs.push_back(request);
    FakeWorker::Answer(request, response);
    done(OkStatus());
  };
  const SessionHandle session = SumSession();
  const std::string handle = SetUpRun(session);
  const StatusOr<RunStepResponse> first = Run(Stage(session, handle, "x:0", "y:0"));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->tensors[0].tensor, Tensor::Scalar(2.0f));
  ASSERT_TRUE(Run(Stage(session, handle, "b:0", "q:0")).ok());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].step, runs[1].step);
  EXPECT_TRUE(runs[0].is_partial);
  EXPECT_FALSE(runs[0].is_last_partial_run);
  EXPECT_TRUE(runs[1].is_last_partial_run);
  EXPECT_EQ(runs[0].sends.size(), 1u);
  EXPECT_EQ(runs[0].sends[0].key.channel().edge, "x:0");
  EXPECT_EQ(runs[1].recv_keys.at(0).channel().edge, "q:0");
  EXPECT_EQ(worker(kWorker0).Count("CleanupGraph"), 1);
  EXPECT_EQ(Message(Run(Stage(session, handle, "", "q:0")).status()),
            "Must run PartialRunSetup before performing partial runs");
}

TEST_F(PartialRunTest, TasksPullSoThatErrorsReachWhoeverWaits) {
  const SessionHandle session = SessionOverTwoTasks();
  const PartialRunSetupRequest request{.session = session, .feeds = {"x:0"}, .fetches = {"y:0"}};
  PartialRunSetupResponse response;
  Call call;
  ASSERT_TRUE(Wait(call, [&](DoneCallback done) {
                master().PartialRunSetup(request, &response, call, std::move(done));
              }).ok());
  for (const char* task : {kPs, kWorker0}) {
    const graph::GraphDef part = worker(task).registered().at(0).graph;
    for (const graph::NodeDef& node : part.nodes) {
      EXPECT_FALSE(node.attrs.Has("_rheo_push")) << node.name;
    }
  }
}

TEST_F(PartialRunTest, ControlOutputsAreNoTensors) {
  const SessionHandle session = SumSession();
  EXPECT_EQ(SetUpRun(session, {"^x"}, {"y:0"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SetUpRun(session, {"x:0"}, {"^y"}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(PartialRunTest, MisuseIsInvalidAndTheRunGoesOn) {
  const SessionHandle session = SumSession();
  const std::string handle = SetUpRun(session);
  EXPECT_EQ(Message(Run(Stage(session, handle, "x:0", "q:0")).status()),
            "Fetch b:0 can't be computed from the feeds that have been fed so far.");
  EXPECT_EQ(Message(Run(Stage(session, handle, "x:0", "n:0")).status()),
            "The fetch n:0 was not specified in partial_run_setup.");
  ASSERT_TRUE(Run(Stage(session, handle, "x:0", "y:0")).ok());
  EXPECT_EQ(Message(Run(Stage(session, handle, "x:0", "")).status()),
            "The feed x:0 has already been fed.");
  EXPECT_TRUE(Run(Stage(session, handle, "b:0", "q:0")).ok());
}

}  // namespace
}  // namespace rheo::master
