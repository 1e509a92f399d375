#include "rheo/master/cleanups.h"

#include <gmock/gmock.h>

#include <thread>

#include "rheo/master/fake_cluster_for_test.h"

namespace rheo::master {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

class CleanupsTest : public ::testing::Test {
 protected:
  CleanupsTest() {
    worker_->on_cleanup = [this] { return is_reachable_ ? OkStatus() : Unavailable("cut off"); };
  }
  ~CleanupsTest() override { cleanups_->Stop(); }

  // Until the worker was told `count` times; the test's time limit is the limit.
  void AwaitCalls(size_t count) const {
    while (worker_->calls().size() < count) std::this_thread::sleep_for(milliseconds(1));
  }

  std::atomic<bool> is_reachable_ = false;
  const std::shared_ptr<FakeWorker> worker_ =
      std::make_shared<FakeWorker>("/job:ps/replica:0/task:0");
  TimerQueue timers_;
  const std::shared_ptr<Cleanups> cleanups_ =
      std::make_shared<Cleanups>(timers_, milliseconds(1), milliseconds(2));
};

TEST_F(CleanupsTest, WhatArrivesIsToldOnce) {
  is_reachable_ = true;
  Status answer = Internal("none");
  cleanups_->EndSession(worker_, SessionHandle("s"), [&](Status status) { answer = status; });
  cleanups_->EndStep(worker_, StepId(7));
  cleanups_->ForgetGraph(worker_, SessionHandle("s"), GraphHandle("g"));
  EXPECT_EQ(answer, OkStatus());
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_THAT(worker_->calls(),
              ElementsAre("DeleteWorkerSession", "CleanupGraph", "DeregisterGraph"));
}

TEST_F(CleanupsTest, WhatDoesNotArriveIsToldAgainInOrder) {
  Status answer;
  cleanups_->EndStep(worker_, StepId(7));
  cleanups_->EndSession(worker_, SessionHandle("s"), [&](Status status) { answer = status; });
  EXPECT_EQ(answer.code(), StatusCode::kUnavailable) << "nobody waits for the second try";
  AwaitCalls(6);
  is_reachable_ = true;
  const auto is_done = [&] { return worker_->calls().back() == "DeleteWorkerSession"; };
  while (!is_done()) std::this_thread::sleep_for(milliseconds(1));
  const std::vector<std::string> calls = worker_->calls();
  // The first of them finds out whether the worker is there, again and again.
  for (size_t i = 2; i + 1 < calls.size(); ++i) EXPECT_EQ(calls[i], "CleanupGraph");
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(worker_->calls().size(), calls.size());
}

TEST_F(CleanupsTest, AnAnswerIsAnAnswer) {
  worker_->on_cleanup = [] { return Aborted("session not found"); };
  cleanups_->EndStep(worker_, StepId(7));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_THAT(worker_->calls(), ElementsAre("CleanupGraph"));
}

TEST_F(CleanupsTest, NothingIsTriedAfterTheStop) {
  cleanups_->EndStep(worker_, StepId(7));
  cleanups_->Stop();
  const size_t count = worker_->calls().size();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_LE(worker_->calls().size(), count + 1) << "one may have been under way";
}

// A session closed while a task cannot be reached is deleted there later.
TEST_F(MasterTest, ATaskThatComesBackLearnsThatASessionWasClosed) {
  const SessionHandle session = Session();
  std::atomic<bool> is_reachable = false;
  worker(kPs).on_cleanup = [&] { return is_reachable ? OkStatus() : Unavailable("cut off"); };
  EXPECT_EQ(Close(session), OkStatus());
  EXPECT_EQ(worker(kPs).Count("DeleteWorkerSession"), 1);
  is_reachable = true;
  while (worker(kPs).Count("DeleteWorkerSession") < 2) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

}  // namespace
}  // namespace rheo::master
