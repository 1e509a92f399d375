// Sessions of a master over fake workers: creation, extension, close, reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
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

using SessionLifeTest = MasterTest;

TEST_F(SessionLifeTest, CreateSessionReachesEveryTask) {
  const SessionHandle session = Session();
  EXPECT_EQ(session.value.size(), 16u);
  EXPECT_EQ(master().num_sessions(), 1);
  for (const char* task : {kPs, kWorker0, kWorker1}) {
    EXPECT_EQ(worker(task).Count("CreateWorkerSession"), 1) << task;
  }
  EXPECT_EQ(worker(kWorker0).Count("GetStatus"), 0) << "the own task is known";
}

TEST_F(SessionLifeTest, MissingTasksAreNamedWithAddressAndCause) {
  worker(kPs).on_status = [] { return Unavailable("connection refused"); };
  const auto deadline = steady_clock::now() + milliseconds(300) * kSlowdown;
  const StatusOr<SessionHandle> session = CreateSession(Graph(), {}, {.deadline = deadline});
  EXPECT_LT(steady_clock::now(), deadline) << "the answer must arrive in time";
  EXPECT_EQ(session.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(session.status()),
              HasSubstr("/job:ps/replica:0/task:0 at host0:2222: connection refused"));
  EXPECT_THAT(Message(session.status()), HasSubstr("device_filters"));
  EXPECT_THAT(Message(session.status()), Not(HasSubstr(kWorker1)));
  EXPECT_EQ(master().num_sessions(), 0);
  EXPECT_EQ(worker(kWorker1).Count("CreateWorkerSession"), 0);
}

TEST_F(SessionLifeTest, WithoutATimeoutTheFormingLimitCounts) {
  env_.forming_timeout = milliseconds(150);
  worker(kPs).on_status = [] { return Unavailable("connection refused"); };
  EXPECT_EQ(CreateSession(Graph()).status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(SessionLifeTest, ATimeoutBeyondAllMeasureIsNone) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::atomic<int> tries{0};
  worker(kPs).on_status = [&tries] {
    return ++tries < 3 ? Unavailable("connection refused") : OkStatus();
  };
  EXPECT_TRUE(CreateSession(Graph(), {.operation_timeout_ms = kMost}).ok());
  EXPECT_EQ(tries, 3) << "it did not wait";
}

TEST_F(SessionLifeTest, TaskThatStartsLateIsFound) {
  std::atomic<int> tries{0};
  worker(kPs).on_status = [&tries] {
    return ++tries < 3 ? Unavailable("connection refused") : OkStatus();
  };
  EXPECT_TRUE(CreateSession(Graph()).ok());
  EXPECT_EQ(tries, 3);
}

TEST_F(SessionLifeTest, CallerThatGivesUpGetsCancelled) {
  worker(kPs).on_status = [] { return Unavailable("connection refused"); };
  StopSource stop;
  std::thread stopper([&] {
    while (worker(kPs).Count("GetStatus") == 0) std::this_thread::yield();
    stop.request_stop();
  });
  const StatusOr<SessionHandle> session = CreateSession(Graph(), {}, {.stop = stop.get_token()});
  stopper.join();
  EXPECT_EQ(session.status().code(), StatusCode::kCancelled);
}

TEST_F(SessionLifeTest, FilteredTasksAreNeverContacted) {
  worker(kPs).on_status = [] { return Unavailable("connection refused"); };
  ASSERT_TRUE(CreateSession(Graph(), {.device_filters = {"/job:worker/task:1"}}).ok());
  EXPECT_TRUE(worker(kPs).calls().empty());
  EXPECT_EQ(worker(kWorker1).Count("CreateWorkerSession"), 1);
  EXPECT_EQ(worker(kWorker0).Count("CreateWorkerSession"), 1) << "the own task needs no admission";
}

TEST_F(SessionLifeTest, FilterThatDoesNotParseIsInvalid) {
  EXPECT_EQ(CreateSession(Graph(), {.device_filters = {"/job:?"}}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(SessionLifeTest, FailedWorkerSessionLeavesNothingBehind) {
  worker(kPs).on_create = [](const auto&) { return Unavailable("Socket closed"); };
  const StatusOr<SessionHandle> session = CreateSession(Graph());
  EXPECT_EQ(session.status().code(), StatusCode::kAborted) << "clients retry UNAVAILABLE at once";
  EXPECT_THAT(Message(session.status()), HasSubstr(kPs));
  EXPECT_EQ(master().num_sessions(), 0);
  EXPECT_EQ(worker(kWorker1).Count("DeleteWorkerSession"), 1);
}

TEST_F(SessionLifeTest, ThreadPoolOptionsAreRefused) {
  const Status status = CreateSession(Graph(), {.use_per_session_threads = true}).status();
  EXPECT_EQ(Message(status), "Distributed session does not support session thread pool options.");
}

TEST_F(SessionLifeTest, WorkerSessionsLearnWhoTheMasterIs) {
  CreateWorkerSessionRequest seen;
  worker(kPs).on_create = [&seen](const CreateWorkerSessionRequest& request) {
    seen = request;
    return OkStatus();
  };
  const SessionHandle session = Session();
  EXPECT_EQ(seen.session, session);
  EXPECT_EQ(seen.server_def.job_name, "ps");
  EXPECT_EQ(seen.server_def.task_index, 0);
  EXPECT_TRUE(seen.server_def.cluster.empty());
  EXPECT_EQ(seen.master_task, kWorker0);
  EXPECT_NE(seen.master_incarnation, 0);
}

TEST_F(SessionLifeTest, PropagatedClusterMustContainTheTarget) {
  env_.make_directory = [this](const ClusterSpec&, std::string_view) { return directory_; };
  const auto cluster = std::make_shared<const ClusterSpec>(ClusterSpec{{"worker", {"h:1"}}});
  EXPECT_THAT(Message(CreateSession(Graph(), {.cluster = cluster}).status()),
              StartsWith("The master (current machine) is not included"));
}

TEST_F(SessionLifeTest, UnknownSessionsAreAborted) {
  const SessionHandle unknown("0123456789abcdef");
  const Status run = Run({.session = unknown, .targets = {"n"}}).status();
  EXPECT_EQ(run.code(), StatusCode::kAborted);
  EXPECT_EQ(Message(run), "Session 0123456789abcdef is not found.");
  EXPECT_EQ(Message(Close(unknown)),
            "Session 0123456789abcdef is not found. Possibly, this master has restarted.");
  ListDevicesResponse devices;
  Call call;
  const ListDevicesRequest request{.session = unknown};
  const Status list = Wait(call, [&](DoneCallback done) {
    master().ListDevices(request, &devices, call, std::move(done));
  });
  EXPECT_EQ(list.code(), StatusCode::kInvalidArgument);
}

class ExtendTest : public MasterTest {
 protected:
  StatusOr<int64_t> Extend(const SessionHandle& session, graph::GraphDef graph, int64_t version) {
    const ExtendSessionRequest request{
        .session = session, .graph = std::move(graph), .current_graph_version = version};
    ExtendSessionResponse response;
    Call call;
    Status status = Wait(call, [&](DoneCallback done) {
      master().ExtendSession(request, &response, call, std::move(done));
    });
    if (!status.ok()) return status;
    return response.new_graph_version;
  }
  static graph::GraphDef Added(std::string name) {
    graph::GraphDef def;
    def.versions.producer = graph::kProducerVersion;
    def.nodes.push_back({.name = std::move(name), .op = "NoOp", .inputs = {"^n"}});
    return def;
  }
};

TEST_F(ExtendTest, NewNodesRunAndTheVersionRises) {
  const SessionHandle session = Session();
  EXPECT_EQ(*Extend(session, Added("m"), 0), 1);
  EXPECT_EQ(*Extend(session, {}, 1), 2) << "an empty graph counts too";
  EXPECT_TRUE(Run({.session = session, .targets = {"m"}}).ok());
}

TEST_F(ExtendTest, WrongVersionIsAborted) {
  const SessionHandle session = Session();
  const Status status = Extend(session, Added("m"), 3).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_EQ(Message(status), "Current version is 0 but caller expected 3.");
}

TEST_F(ExtendTest, FailureLeavesGraphAndVersion) {
  const SessionHandle session = Session();
  EXPECT_THAT(Message(Extend(session, Added("n"), 0).status()),
              HasSubstr("GraphDef argument to Extend includes node 'n'"));
  EXPECT_EQ(*Extend(session, Added("m"), 0), 1);
}

TEST_F(SessionLifeTest, CloseDeletesWorkerSessions) {
  const SessionHandle session = Session();
  EXPECT_TRUE(Close(session).ok());
  EXPECT_EQ(master().num_sessions(), 0);
  for (const char* task : {kPs, kWorker0, kWorker1}) {
    EXPECT_EQ(worker(task).Count("DeleteWorkerSession"), 1) << task;
  }
  EXPECT_EQ(Run({.session = session, .targets = {"n"}}).status().code(), StatusCode::kAborted);
}

TEST_F(SessionLifeTest, ResetEmptiesContainersAndForgetsSessions) {
  const SessionHandle session = Session();
  const ResetRequest request{.containers = {"c"}, .device_filters = {"/job:ps"}};
  ResetResponse response;
  Call call;
  const Status status = Wait(
      call, [&](DoneCallback done) { master().Reset(request, &response, call, std::move(done)); });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(worker(kPs).Count("CleanupAll"), 1);
  EXPECT_EQ(worker(kWorker1).Count("CleanupAll"), 0);
  EXPECT_EQ(worker(kWorker1).Count("DeleteWorkerSession"), 1);
  EXPECT_EQ(Run({.session = session, .targets = {"n"}}).status().code(), StatusCode::kAborted);
}

TEST_F(SessionLifeTest, DevicesAreNamedByTheTaskThatWasContacted) {
  worker(kPs).devices[0].name = "/job:elsewhere/replica:0/task:9/device:CPU:0";
  const ListDevicesRequest request;
  ListDevicesResponse response;
  Call call;
  const Status status = Wait(call, [&](DoneCallback done) {
    master().ListDevices(request, &response, call, std::move(done));
  });
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(response.remote_devices.size(), 2u);
  EXPECT_EQ(response.remote_devices[0].name, std::string(kPs) + "/device:CPU:0");
}

TEST_F(SessionLifeTest, ListDevicesTellsOwnFromOthers) {
  for (const SessionHandle& session : {SessionHandle(), Session()}) {
    const ListDevicesRequest request{.session = session};
    ListDevicesResponse response;
    Call call;
    const Status status = Wait(call, [&](DoneCallback done) {
      master().ListDevices(request, &response, call, std::move(done));
    });
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(response.local_devices.size(), 1u);
    EXPECT_EQ(response.local_devices[0].name, std::string(kWorker0) + "/device:CPU:0");
    ASSERT_EQ(response.remote_devices.size(), 2u);
    EXPECT_EQ(response.remote_devices[0].name, std::string(kPs) + "/device:CPU:0");
  }
}

TEST_F(SessionLifeTest, StoppedMasterRefusesWithItsReason) {
  const SessionHandle session = Session();
  master().Stop(Unavailable("the task stops"));
  EXPECT_EQ(worker(kPs).Count("DeleteWorkerSession"), 1);
  EXPECT_EQ(Message(CreateSession(Graph()).status()), "the task stops");
  EXPECT_EQ(Message(Run({.session = session, .targets = {"n"}}).status()), "the task stops");
}

}  // namespace
}  // namespace rheo::master
