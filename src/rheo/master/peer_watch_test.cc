#include "rheo/master/peer_watch.h"

#include <gmock/gmock.h>

#include "rheo/async/notification.h"
#include "rheo/master/fake_cluster_for_test.h"

namespace rheo::master {
namespace {

using testing::HasSubstr;

constexpr const char* kTask = "/job:ps/replica:0/task:0";
constexpr PeerWatchTiming kFast{.between = std::chrono::milliseconds(1)};

TEST(PeerWatchTest, TheFirstQuestionThatFailsIsTold) {
  TimerQueue timers;
  auto worker = std::make_shared<FakeWorker>(kTask);
  int questions = 0;
  worker->on_status = [&] { return ++questions < 3 ? OkStatus() : Unavailable("gone"); };
  Notification told;
  Status lost;
  const auto watch = PeerWatch::Start(
      timers, kTask, worker,
      [&](Status status) {
        lost = std::move(status);
        told.Notify();
      },
      kFast);
  told.Wait();
  EXPECT_EQ(questions, 3);
  EXPECT_EQ(lost.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(lost)), testing::AllOf(HasSubstr(kTask), HasSubstr("gone")));
}

TEST(PeerWatchTest, ATaskThatRefusesIsThere) {
  TimerQueue timers;
  auto worker = std::make_shared<FakeWorker>(kTask);
  Notification asked_often;
  int questions = 0;
  worker->on_status = [&] {
    if (++questions == 3) asked_often.Notify();
    return Unimplemented("what?");
  };
  const auto watch = PeerWatch::Start(
      timers, kTask, worker, [](const Status& status) { FAIL() << status; }, kFast);
  asked_often.Wait();
  watch->Stop();
}

}  // namespace
}  // namespace rheo::master
