// Tasks that are slow, wrong or dead at the worst moment: named places in RunGraph, RecvTensor,
// accept and cancel.
#include <signal.h>

#include "case_test.h"
#include "queue.h"
#include "status_page.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A ps with faults, a worker without, and a value of some size that the ps makes for the worker.
class Faults : public CaseTest {
 protected:
  void StartWith(const std::string& faults) {
    cluster_.Start("ps", 0, {"--faults", faults});
    cluster_.Start("worker");
    EXPECT_THAT(cluster_.Get("ps").Log(), HasSubstr("has fault points"));
    session_.emplace(Session::Create(g_, {.target = cluster_.Target()}));
    ASSERT_TRUE(session_->ok()) << session_->status();
  }
  Status Step(milliseconds timeout = seconds(30)) {
    return (*session_)
        ->Run({.feeds = {{x_, Tensor(DType::kFloat, {1 << 20})}},
               .fetches = {on_worker_},
               .options = {.timeout = timeout}})
        .status();
  }
  // After the ps came back without faults, a new session works.
  void ExpectRecovery() {
    cluster_.Get("ps").Kill();
    cluster_.Start("ps");
    session_.emplace(Session::Create(g_, {.target = cluster_.Target()}));
    ASSERT_TRUE(session_->ok()) << session_->status();
    EXPECT_TRUE(Step().ok());
  }
  bool BecomesIdle(milliseconds patience) {
    return Eventually(patience, [&] {
      const StatusPage page = ReadStatusPage(cluster_.Address("ps"));
      return page.steps == 0 && page.blocked.empty();
    });
  }

  Cluster& cluster_ = Make({.ps = 1, .start = false});
  Scope g_ = Scope::NewRoot();
  Output x_ = ops::Placeholder(g_.WithName("x"), DType::kFloat);
  // Four megabytes: announced by the ps and fetched by RecvTensor.
  Output on_ps_ = ops::Neg(g_.WithDevice(Device("ps")), x_);
  Output on_worker_ = ops::Sum(g_.WithDevice(Device("worker")), on_ps_, {0});
  std::optional<StatusOr<Session>> session_;
};

const auto kLostPs = [] {
  return AllOf(HasCode(StatusCode::kUnavailable), TextHas(TaskName("ps")));
};

TEST_F(Faults, KilledInRunGraph) {
  StartWith("run_graph@2=kill");
  ASSERT_TRUE(Step().ok());
  const Stopwatch watch;
  EXPECT_THAT(Step(), kLostPs());
  EXPECT_TRUE(watch.IsBelow(10)) << watch.Seconds();
  EXPECT_EQ(cluster_.Get("ps").WaitExit(seconds(5)), -SIGKILL);
  ExpectRecovery();
}

TEST_F(Faults, KilledBeforeTheAnswerOfRunGraph) {
  StartWith("run_graph_answer@2=kill");
  ASSERT_TRUE(Step().ok());
  EXPECT_THAT(Step(), kLostPs());
  ExpectRecovery();
}

TEST_F(Faults, SlowRunGraphIsOnlySlow) {
  StartWith("run_graph@2=delay:1500");
  ASSERT_TRUE(Step().ok());
  const Stopwatch watch;
  EXPECT_TRUE(Step().ok());
  EXPECT_GT(watch.Seconds(), 1.4);
  EXPECT_TRUE(Step().ok());
}

// The call waits on the ps while the step's time runs out; nothing of it stays.
TEST_F(Faults, SlowRunGraphDoesNotHoldADeadline) {
  StartWith("run_graph@2=delay:3000");
  ASSERT_TRUE(Step().ok());
  const Stopwatch watch;
  EXPECT_THAT(Step(milliseconds(500)), HasCode(StatusCode::kDeadlineExceeded));
  EXPECT_TRUE(watch.IsBelow(1.5)) << watch.Seconds();
  EXPECT_TRUE(BecomesIdle(seconds(10)));
  EXPECT_TRUE(Step().ok());
}

TEST_F(Faults, FailedRunGraphFailsOneStep) {
  StartWith("run_graph@2=fail:RESOURCE_EXHAUSTED");
  ASSERT_TRUE(Step().ok());
  EXPECT_THAT(Step(), AllOf(HasCode(StatusCode::kResourceExhausted), TextHas(TaskName("ps"))));
  EXPECT_TRUE(Step().ok());
}

TEST_F(Faults, FailedAcceptFailsOneStep) {
  StartWith("run_graph@100=kill,accept@6=fail:INTERNAL");
  // Which call is the sixth depends on the connection; all others must pass.
  int failures = 0;
  for (int i = 0; i < 12; ++i) failures += Step().ok() ? 0 : 1;
  EXPECT_LE(failures, 1);
  EXPECT_TRUE(Step().ok());
}

TEST_F(Faults, SlowCancelHoldsNobodyUp) {
  Scope g = Scope::NewRoot();
  const Queue queue(g);
  cluster_.Start("ps", 0, {"--faults", "cancel=delay:2000"});
  cluster_.Start("worker");
  StatusOr<Session> session = Session::Create(g, {.target = cluster_.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  const Stopwatch watch;
  EXPECT_THAT(session->Run({.fetches = {queue.dequeued}, .options = {.timeout = milliseconds(300)}})
                  .status(),
              HasCode(StatusCode::kDeadlineExceeded));
  EXPECT_TRUE(watch.IsBelow(1.5)) << watch.Seconds();
  EXPECT_TRUE(BecomesIdle(seconds(10)));
}

TEST_F(Faults, KilledInCancel) {
  Scope g = Scope::NewRoot();
  const Queue queue(g);
  cluster_.Start("ps", 0, {"--faults", "cancel=kill"});
  cluster_.Start("worker");
  StatusOr<Session> session = Session::Create(g, {.target = cluster_.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(session->Run({.fetches = {queue.dequeued}, .options = {.timeout = milliseconds(300)}})
                  .status(),
              HasCode(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(cluster_.Get("ps").WaitExit(seconds(5)), -SIGKILL);
  ExpectRecovery();
}

// RecvTensor is asked of the worker, by the ps that pulls a value from it.
TEST_F(Faults, KilledInRecvTensor) {
  StartWith("recv_tensor@1=kill");
  const Status status = Step();

  EXPECT_THAT(status, kLostPs());
  ExpectRecovery();
}

TEST_F(Faults, FailedRecvTensorNamesTheTask) {
  StartWith("recv_tensor=fail:UNAVAILABLE");
  const Status status = Step();
  EXPECT_THAT(status, kLostPs());
  cluster_.Kill("ps");
  ExpectRecovery();
}

}  // namespace
}  // namespace rheo::cluster_test
