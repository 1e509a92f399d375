#include "rheo/rpc/server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/test_server.h"

namespace rheo::rpc {
namespace {

using service::Call;
using service::RecvTensorRequest;
using service::RecvTensorResponse;
using service::WorkerService;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

// Keeps the callbacks of the calls it gets.
class Blocker {
 public:
  auto Function() {
    return [this](const RecvTensorRequest&, RecvTensorResponse* response, const Call&,
                  DoneCallback done) {
      response->item.is_dead = true;
      MutexLock lock(mutex_);
      held_.push_back(std::move(done));
      changed_.NotifyAll();
    };
  }
  void Await(size_t count) {
    MutexLock lock(mutex_);
    changed_.Wait(mutex_, [&]() RHEO_NO_THREAD_SAFETY_ANALYSIS { return held_.size() >= count; });
  }
  void ReleaseAll() {
    std::vector<DoneCallback> held;
    {
      MutexLock lock(mutex_);
      held.swap(held_);
    }
    for (DoneCallback& done : held) std::move(done)(OkStatus());
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<DoneCallback> held_ RHEO_GUARDED_BY(mutex_);
};

// Answers CANCELLED once the call's token fires, and says so.
struct StopWatcher {
  Notification entered;
  Notification stopped;
  std::optional<StopCallback> callback;

  auto Function() {
    return
        [this](const RecvTensorRequest&, RecvTensorResponse*, const Call& call, DoneCallback done) {
          auto shared = std::make_shared<DoneCallback>(std::move(done));
          entered.Notify();
          callback.emplace(call.stop, [this, shared] {
            stopped.Notify();
            (*shared)(Cancelled("told to stop"));
          });
        };
  }
};

int NumThreads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

TEST(RpcServerTest, ACallThatTakesLongHoldsUpNoOther) {
  TestServer s;
  Notification entered;
  Notification go_on;
  s.worker.register_graph.Run([&](const service::RegisterGraphRequest&,
                                  service::RegisterGraphResponse*, const Call&, DoneCallback done) {
    entered.Notify();
    go_on.Wait();  // as compiling a large graph would
    std::move(done)(OkStatus());
  });
  const auto stub = s.WorkerStub();
  const service::RegisterGraphRequest slow;
  service::RegisterGraphResponse slow_response;
  Notification slow_done;
  stub->RegisterGraph(slow, &slow_response, {}, [&](const Status&) { slow_done.Notify(); });
  entered.Wait();
  service::GetStatusResponse response;
  EXPECT_TRUE(CallAndWait(*stub, &WorkerService::GetStatus, {}, &response).ok());
  go_on.Notify();
  slow_done.Wait();
}

TEST(RpcServerTest, AnUnknownPathIsUnimplementedAndNamed) {
  TestServer s;
  const grpc::Status status = s.RawCall("/tensorflow.WorkerService/NoSuchMethod", "");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(status.error_message(), testing::HasSubstr("NoSuchMethod"));
}

TEST(RpcServerTest, MethodsWithoutImplementationSayTheirName) {
  TestServer s;
  const grpc::Status status = s.RawCall("/tensorflow.WorkerService/Tracing", "");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message(), "Tracing");
}

TEST(RpcServerTest, AnEmptyBodyIsAValidRequestOfEveryMethod) {
  TestServer s;
  for (const std::string& path : AllTestPaths()) {
    // Where an empty key or id makes no sense the codec may say so, but not "unable to parse".
    const grpc::Status status = s.RawCall(path, "");
    EXPECT_NE(status.error_code(), grpc::StatusCode::INTERNAL) << path << status.error_message();
    EXPECT_NE(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << path;
  }
}

TEST(RpcServerTest, GarbageOnAnyMethodIsInternalAndTheServerGoesOn) {
  TestServer s;
  for (const std::string& path : AllTestPaths()) {
    const grpc::Status status = s.RawCall(path, std::string("\x0a\xff\xff\xff\xff\x0f\x01\x02", 8));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL) << path;
    EXPECT_EQ(status.error_message(), "Unable to parse request") << path;
  }
  EXPECT_EQ(s.worker.recv_tensor.num_calls(), 0);
  EXPECT_TRUE(s.RawCall("/tensorflow.WorkerService/GetStatus", "").ok());
}

TEST(RpcServerTest, AnswersHealthChecks) {
  TestServer s;
  std::string body;
  ASSERT_TRUE(s.RawCall(std::string(kHealthCheckPath), "", &body).ok());
  EXPECT_EQ(body, std::string("\x08\x01", 2));
  const std::string worker = "tensorflow.WorkerService";
  EXPECT_TRUE(
      s.RawCall(std::string(kHealthCheckPath), std::string("\x0a") + char(worker.size()) + worker)
          .ok());
  EXPECT_EQ(s.RawCall(std::string(kHealthCheckPath), "\x0a\x01?").error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(RpcServerTest, ATakenPortIsAnErrorThatNamesIt) {
  TestServer s;
  const auto second = RpcServer::Bind({.address = s.address()});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::kUnknown);
  EXPECT_THAT(std::string(Message(second.status())), HasSubstr("Could not start gRPC server"));
  EXPECT_THAT(std::string(Message(second.status())), HasSubstr(s.address()));
  EXPECT_THAT(std::string(Message(second.status())), HasSubstr("Address already in use"));
}

TEST(RpcServerTest, AnAddressThatIsNoneIsAnError) {
  EXPECT_FALSE(RpcServer::Bind({.address = "nowhere"}).ok());
}

TEST(RpcServerTest, CanStartAgainOnTheSamePort) {
  auto first = std::make_unique<TestServer>();
  const std::string address = first->address();
  ASSERT_TRUE(first->RawCall("/tensorflow.WorkerService/GetStatus", "").ok());
  first.reset();
  TestServer second(address);
  EXPECT_TRUE(second.RawCall("/tensorflow.WorkerService/GetStatus", "").ok());
}

TEST(RpcServerTest, CallsThatComeBeforeStartWait) {
  auto server = RpcServer::Bind({.address = "127.0.0.1:0"});
  ASSERT_TRUE(server.ok());
  FakeWorker worker;
  RpcClient client;
  auto stub = ConnectWorker(client, kTestTask, "127.0.0.1:" + std::to_string((*server)->port()));
  const service::GetStatusRequest request;
  service::GetStatusResponse response;
  const Call call;
  Status status;
  Notification answered;
  stub->GetStatus(request, &response, call, [&](Status s) {
    status = s;
    answered.Notify();
  });
  (*server)->Start(nullptr, &worker);
  answered.Wait();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(RpcServerTest, ThousandBlockedReceivesHoldNoThreads) {
  constexpr int kCalls = 1000;
  TestServer s;
  Blocker blocker;
  s.worker.recv_tensor.Run(blocker.Function());
  auto stub = s.WorkerStub();
  struct Receive {
    RecvTensorRequest request;
    RecvTensorResponse response;
    Call call;
  };
  std::vector<Receive> receives(kCalls);
  std::atomic<int> left{kCalls};
  std::atomic<int> failed{0};
  Notification all;
  for (Receive& r : receives) {
    r.request.key = TestKey("e");
    stub->RecvTensor(r.request, &r.response, r.call, [&](Status status) {
      failed += status.ok() ? 0 : 1;
      if (--left == 0) all.Notify();
    });
  }
  blocker.Await(kCalls);
  EXPECT_LE(NumThreads(), 20);
  // Another call still gets through.
  EXPECT_TRUE(s.RawCall("/tensorflow.WorkerService/GetStatus", "").ok());
  blocker.ReleaseAll();
  all.Wait();
  EXPECT_EQ(failed, 0);
}

TEST(RpcServerTest, ACallersStopReachesTheServersToken) {
  TestServer s;
  StopWatcher watcher;
  s.worker.recv_tensor.Run(watcher.Function());
  StopSource source;
  const RecvTensorRequest request{.step = StepId(1), .key = TestKey("e")};
  RecvTensorResponse response;
  const Call call{.stop = source.get_token()};
  Status status;
  Notification answered;
  s.WorkerStub()->RecvTensor(request, &response, call, [&](Status result) {
    status = result;
    answered.Notify();
  });
  watcher.entered.Wait();
  source.request_stop();
  answered.Wait();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
  watcher.stopped.Wait();
}

TEST(RpcServerTest, TheCallersDeadlineReachesTheServerAndStopsIt) {
  TestServer s;
  StopWatcher watcher;
  service::Deadline seen;
  s.worker.recv_tensor.Run([&](const RecvTensorRequest& request, RecvTensorResponse* response,
                               const Call& call, DoneCallback done) {
    seen = call.deadline;
    watcher.Function()(request, response, call, std::move(done));
  });
  const RecvTensorRequest request{.step = StepId(1), .key = TestKey("e")};
  RecvTensorResponse response;
  const auto deadline = steady_clock::now() + milliseconds(200);
  const Status status = CallAndWait(*s.WorkerStub(), &WorkerService::RecvTensor, request, &response,
                                    {.deadline = deadline});
  EXPECT_GE(steady_clock::now(), deadline);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(Message(status)), HasSubstr(kTestTask));
  watcher.stopped.Wait();
  ASSERT_TRUE(seen.has_value());
  EXPECT_LT(*seen, deadline + std::chrono::minutes(1));
}

TEST(RpcServerTest, ACallWithoutDeadlineHasNoneOnTheServer) {
  TestServer s;
  service::Deadline seen = steady_clock::now();
  s.worker.get_status.Run([&](const service::GetStatusRequest&, service::GetStatusResponse*,
                              const Call& call, DoneCallback done) {
    seen = call.deadline;
    done(OkStatus());
  });
  service::GetStatusResponse response;
  ASSERT_TRUE(CallAndWait(*s.WorkerStub(), &WorkerService::GetStatus, {}, &response).ok());
  EXPECT_FALSE(seen.has_value());
}

TEST(RpcServerTest, ShutdownStopsOpenCallsAndWaitsForThem) {
  TestServer s;
  StopWatcher watcher;
  s.worker.recv_tensor.Run(watcher.Function());
  const RecvTensorRequest request{.step = StepId(1), .key = TestKey("e")};
  RecvTensorResponse response;
  const Call call;
  Status status;
  Notification answered;
  s.WorkerStub()->RecvTensor(request, &response, call, [&](Status result) {
    status = result;
    answered.Notify();
  });
  watcher.entered.Wait();
  s.server->Shutdown(milliseconds(0));
  EXPECT_TRUE(watcher.stopped.HasBeenNotified());
  answered.Wait();
  EXPECT_FALSE(status.ok());
}

TEST(RpcServerTest, ShutdownLetsOpenCallsEndWithinTheGrace) {
  TestServer s;
  Blocker blocker;
  s.worker.recv_tensor.Run(blocker.Function());
  const RecvTensorRequest request{.step = StepId(1), .key = TestKey("e")};
  RecvTensorResponse response;
  const Call call;
  Status status;
  Notification answered;
  s.WorkerStub()->RecvTensor(request, &response, call, [&](Status result) {
    status = result;
    answered.Notify();
  });
  blocker.Await(1);
  ThreadPool pool({.name = "shutdown", .num_threads = 1});
  Notification shut_down;
  pool.Schedule([&] {
    s.server->Shutdown(std::chrono::minutes(1));
    shut_down.Notify();
  });
  blocker.ReleaseAll();
  answered.Wait();
  EXPECT_TRUE(status.ok()) << status;
  shut_down.Wait();
}

}  // namespace
}  // namespace rheo::rpc
