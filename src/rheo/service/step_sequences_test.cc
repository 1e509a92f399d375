#include "rheo/service/step_sequences.h"

#include <gtest/gtest.h>

namespace rheo::service {
namespace {

StepId Plus(StepId step, int64_t n) { return StepId(step.value + n); }

TEST(StepSequencesTest, StepsCountUpAndOthersAreToldTheOldestThatRuns) {
  StepSequences leader;
  const StepId first = *leader.Next(5);
  EXPECT_EQ(*leader.Take(5), first);
  EXPECT_EQ(*leader.Next(5), first);  // another master takes part in it
  const StepId second = *leader.Take(5);
  EXPECT_EQ(second, Plus(first, 1));
  EXPECT_EQ(*leader.Next(5), first);
  leader.Return(5, first, true);
  EXPECT_EQ(*leader.Next(5), second);
  leader.Return(5, second, true);
  EXPECT_EQ(*leader.Next(5), Plus(first, 2));
  EXPECT_NE(*leader.Next(6), Plus(first, 2));  // another graph
}

TEST(StepSequencesTest, TheLeaderIsAskedAtFirstAndAfterAFailure) {
  StepSequences other;
  EXPECT_TRUE(other.NeedsLeader(5));
  ASSERT_TRUE(other.SetNext(5, StepId(100)).ok());
  EXPECT_FALSE(other.NeedsLeader(5));
  EXPECT_EQ(*other.Take(5), StepId(100));
  other.Return(5, StepId(100), false);
  EXPECT_TRUE(other.NeedsLeader(5));
}

TEST(StepSequencesTest, TheLeaderIsFollowedUnlessStepsRun) {
  StepSequences other;
  ASSERT_TRUE(other.SetNext(5, StepId(1000)).ok());
  const StepId step = *other.Take(5);
  ASSERT_TRUE(other.SetNext(5, StepId(7)).ok());
  EXPECT_EQ(*other.Take(5), StepId(1001));
  other.Return(5, StepId(1001), true);
  other.Return(5, step, false);
  EXPECT_TRUE(other.HasFailed(5, step));
  EXPECT_FALSE(other.HasFailed(5, StepId(1001)));
  ASSERT_TRUE(other.SetNext(5, StepId(7)).ok());
  EXPECT_EQ(*other.Take(5), StepId(7));
}

TEST(StepSequencesTest, AStepThatFailedElsewhereIsBegunByNobody) {
  StepSequences leader;
  const StepId first = *leader.Next(5);
  leader.GiveUp(5, first);
  EXPECT_EQ(*leader.Take(5), Plus(first, 1));
  leader.GiveUp(5, Plus(first, 1));  // it runs here
  EXPECT_EQ(*leader.Next(5), Plus(first, 2));
  leader.GiveUp(5, Plus(first, 1));  // heard twice
  EXPECT_EQ(*leader.Next(5), Plus(first, 2));

  StepSequences other;
  ASSERT_TRUE(other.SetNext(5, first).ok());
  other.GiveUp(5, first);
  EXPECT_TRUE(other.NeedsLeader(5));
}

class FloodTest : public ::testing::Test {
 protected:
  static constexpr auto kMax = static_cast<int64_t>(StepSequences::kMaxSequences);

  // As many questions as there is room for, of keys that nobody else uses; 10 more.
  Status Flood() {
    Status last;
    for (int64_t key = 1000; key < 1000 + kMax + 10; ++key) last = sequences_.Next(key).status();
    return last;
  }

  StepSequences::Clock::time_point now_{};
  StepSequences sequences_{[this] { return now_; }};
};

TEST_F(FloodTest, WhatWasUsedLatelyIsNotForgottenAndWhatIsNewIsRefused) {
  const StepId asked_for = *sequences_.Next(1);
  const StepId ran = *sequences_.Take(2);
  sequences_.Return(2, ran, true);
  now_ += StepSequences::kYoung - std::chrono::seconds(1);
  EXPECT_EQ(*sequences_.Next(1), asked_for);
  now_ += std::chrono::seconds(2);
  EXPECT_EQ(Flood().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*sequences_.Next(1), asked_for);
  EXPECT_EQ(*sequences_.Next(2), Plus(ran, 1));
}

TEST_F(FloodTest, QuestionsDoNotKeepThisTaskFromStartingSteps) {
  const StepId asked_for = *sequences_.Next(1);
  EXPECT_FALSE(Flood().ok());
  EXPECT_EQ(*sequences_.Take(1), asked_for);
  EXPECT_TRUE(sequences_.Take(2).ok());
  EXPECT_TRUE(sequences_.SetNext(3, StepId(70)).ok());
  EXPECT_EQ(*sequences_.Take(3), StepId(70));
}

TEST_F(FloodTest, WhatIsOldMakesRoomUnlessItsStepsRun) {
  const StepId running = *sequences_.Take(1);
  const StepId idle = *sequences_.Take(2);
  sequences_.Return(2, idle, true);
  EXPECT_FALSE(Flood().ok());
  now_ += StepSequences::kYoung;
  EXPECT_TRUE(sequences_.Next(3).ok());
  for (int64_t key = 1000; key < 1000 + kMax - 1; ++key) {
    ASSERT_TRUE(sequences_.Take(key).ok());
  }
  EXPECT_EQ(sequences_.Take(4).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*sequences_.Next(1), running);
  EXPECT_NE(*sequences_.Next(2), Plus(idle, 1));  // forgotten
}

}  // namespace
}  // namespace rheo::service
