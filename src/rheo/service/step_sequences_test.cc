#include "rheo/service/step_sequences.h"

#include <gtest/gtest.h>

namespace rheo::service {
namespace {

StepId Plus(StepId step, int64_t n) { return StepId(step.value + n); }

TEST(StepSequencesTest, StepsCountUpAndOthersAreToldTheOldestThatRuns) {
  StepSequences leader;
  const StepId first = leader.Next(5);
  EXPECT_EQ(leader.Take(5), first);
  EXPECT_EQ(leader.Next(5), first);  // another master takes part in it
  const StepId second = leader.Take(5);
  EXPECT_EQ(second, Plus(first, 1));
  EXPECT_EQ(leader.Next(5), first);
  leader.Return(5, first, true);
  EXPECT_EQ(leader.Next(5), second);
  leader.Return(5, second, true);
  EXPECT_EQ(leader.Next(5), Plus(first, 2));
  EXPECT_NE(leader.Next(6), Plus(first, 2));  // another graph
}

TEST(StepSequencesTest, TheLeaderIsAskedAtFirstAndAfterAFailure) {
  StepSequences other;
  EXPECT_TRUE(other.NeedsLeader(5));
  other.SetNext(5, StepId(100));
  EXPECT_FALSE(other.NeedsLeader(5));
  EXPECT_EQ(other.Take(5), StepId(100));
  other.Return(5, StepId(100), false);
  EXPECT_TRUE(other.NeedsLeader(5));
}

TEST(StepSequencesTest, TheLeaderIsFollowedUnlessStepsRun) {
  StepSequences other;
  other.SetNext(5, StepId(1000));
  const StepId step = other.Take(5);
  other.SetNext(5, StepId(7));
  EXPECT_EQ(other.Take(5), StepId(1001));
  other.Return(5, StepId(1001), true);
  other.Return(5, step, false);
  EXPECT_TRUE(other.HasFailed(5, step));
  EXPECT_FALSE(other.HasFailed(5, StepId(1001)));
  other.SetNext(5, StepId(7));
  EXPECT_EQ(other.Take(5), StepId(7));
}

TEST(StepSequencesTest, OldSequencesAreForgottenUnlessTheyRun) {
  StepSequences sequences;
  const StepId running = sequences.Take(1);
  const StepId idle = sequences.Next(2);
  for (int64_t key = 3; key < static_cast<int64_t>(StepSequences::kMaxSequences) + 10; ++key) {
    sequences.Next(key);
  }
  EXPECT_EQ(sequences.Next(1), running);
  EXPECT_NE(sequences.Next(2), idle);
}

}  // namespace
}  // namespace rheo::service
