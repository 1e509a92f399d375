#include "rheo/worker/master_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace rheo::worker {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kMaster[] = "/job:worker/replica:0/task:1";

// Answers GetStatus; nothing else is called.
class FakeTask final : public service::WorkerService {
 public:
  void GetStatus(const service::GetStatusRequest&, service::GetStatusResponse* response,
                 const service::Call&, DoneCallback done) override {
    ++num_asked;
    response->devices.push_back({.name = "CPU:0", .incarnation = Incarnation(incarnation)});
    if (is_silent) {
      held = std::move(done);
    } else {
      std::move(done)(status);
    }
  }

#define RHEO_NOT_CALLED(Method)                                                                  \
  void Method(const service::Method##Request&, service::Method##Response*, const service::Call&, \
              DoneCallback done) override {                                                      \
    std::move(done)(Unimplemented(#Method));                                                     \
  }
  RHEO_NOT_CALLED(CreateWorkerSession)
  RHEO_NOT_CALLED(DeleteWorkerSession)
  RHEO_NOT_CALLED(RegisterGraph)
  RHEO_NOT_CALLED(DeregisterGraph)
  RHEO_NOT_CALLED(RunGraph)
  RHEO_NOT_CALLED(CleanupGraph)
  RHEO_NOT_CALLED(CleanupAll)
  RHEO_NOT_CALLED(RecvTensor)
  RHEO_NOT_CALLED(PushTensors)
  RHEO_NOT_CALLED(MarkRecvFinished)
  RHEO_NOT_CALLED(RecvBuf)
  RHEO_NOT_CALLED(CompleteGroup)
  RHEO_NOT_CALLED(CompleteInstance)
  RHEO_NOT_CALLED(GetStepSequence)
  RHEO_NOT_CALLED(Logging)
#undef RHEO_NOT_CALLED

  int num_asked = 0;
  uint64_t incarnation = 7;
  bool is_silent = false;
  Status status;
  DoneCallback held;
};

class MasterWatchTest : public testing::Test {
 protected:
  // Looks at second `at`, when the master's sessions have been used so often.
  std::vector<LostMaster> LookAt(int at, uint64_t uses = 0) {
    return watch_.Look(start_ + seconds(at), {{.task = kMaster, .incarnation = 7, .uses = uses}});
  }
  // It was asked and has answered.
  void See() {
    EXPECT_THAT(LookAt(0), IsEmpty());
    EXPECT_THAT(LookAt(1), IsEmpty());
  }

  const MasterWatch::Time start_{seconds(1'000'000)};
  std::shared_ptr<FakeTask> task_ = std::make_shared<FakeTask>();
  MasterWatch watch_{[this](const service::ClusterSpec*,
                            const std::string& name) -> std::shared_ptr<service::WorkerService> {
                       return name == kMaster ? task_ : nullptr;
                     },
                     seconds(100)};
};

TEST_F(MasterWatchTest, AMasterThatAnswersIsKeptHoweverLongItIsIdle) {
  See();
  for (int at = 30; at < 10'000; at += 30) EXPECT_THAT(LookAt(at), IsEmpty());
}

TEST_F(MasterWatchTest, AMasterThatWasSeenAndDoesNotAnswerAnyMoreIsGoneInTime) {
  See();
  task_->status = Unavailable("connection refused");
  for (int at = 30; at < 100; at += 10) EXPECT_THAT(LookAt(at), IsEmpty()) << at;
  EXPECT_THAT(
      LookAt(102),
      ElementsAre(AllOf(Field(&LostMaster::task, kMaster), Field(&LostMaster::incarnation, 7),
                        Field(&LostMaster::why, HasSubstr("connection refused")))));
}

TEST_F(MasterWatchTest, UsesOfItsSessionsAreSignsOfLife) {
  See();
  task_->status = Unavailable("connection refused");
  for (int at = 30; at < 3000; at += 10) {
    EXPECT_THAT(LookAt(at, static_cast<uint64_t>(at / 50)), IsEmpty()) << at;
  }
}

TEST_F(MasterWatchTest, AMasterThatComesBackInTimeIsKept) {
  See();
  task_->status = Unavailable("connection refused");
  for (int at = 30; at < 90; at += 10) EXPECT_THAT(LookAt(at), IsEmpty()) << at;
  task_->status = OkStatus();
  for (int at = 90; at < 140; at += 10) EXPECT_THAT(LookAt(at), IsEmpty()) << at;
  task_->status = Unavailable("connection refused");
  EXPECT_THAT(LookAt(220), IsEmpty()) << "it answered at 90 or later, but that is heard only now";
}

TEST_F(MasterWatchTest, ARestartedTaskIsNoticedAtOnce) {
  See();
  task_->incarnation = 8;
  EXPECT_THAT(LookAt(40), IsEmpty());
  EXPECT_THAT(LookAt(41), ElementsAre(Field(&LostMaster::why, HasSubstr("restarted"))));
}

TEST_F(MasterWatchTest, AMasterThatWasNeverSeenIsKept) {
  task_->status = Unavailable("no route to host");
  for (int at = 0; at < 10'000; at += 10) EXPECT_THAT(LookAt(at), IsEmpty());
  task_->status = OkStatus();
  task_->incarnation = 8;  // the name belongs to somebody else here
  for (int at = 10'000; at < 20'000; at += 10) EXPECT_THAT(LookAt(at), IsEmpty());
}

TEST_F(MasterWatchTest, OnlyOneQuestionIsOpenAndAFrozenMasterIsGoneInTime) {
  See();
  const int asked = task_->num_asked;
  task_->is_silent = true;
  for (int at = 30; at < 80; at += 10) EXPECT_THAT(LookAt(at), IsEmpty());
  EXPECT_EQ(task_->num_asked, asked + 1);
  DoneCallback held = std::move(task_->held);
  std::move(held)(DeadlineExceeded("no answer"));
  task_->is_silent = false;
  task_->status = DeadlineExceeded("no answer");
  EXPECT_THAT(LookAt(80), IsEmpty());
  EXPECT_EQ(LookAt(110).size(), 1u);
}

TEST_F(MasterWatchTest, AnErrorIsAnAnswer) {
  See();
  task_->status = Status(StatusCode::kUnauthenticated, "who are you?");
  for (int at = 30; at < 1000; at += 10) EXPECT_THAT(LookAt(at), IsEmpty());
}

TEST_F(MasterWatchTest, AMasterThatIsSeenIsNotAskedAllTheTime) {
  See();
  const int asked = task_->num_asked;
  for (int at = 2; at < 62; ++at) EXPECT_THAT(LookAt(at), IsEmpty());
  EXPECT_LE(task_->num_asked, asked + 3);
}

}  // namespace
}  // namespace rheo::worker
