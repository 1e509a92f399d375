#include "rheo/worker/step_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rheo::worker {
namespace {

TEST(StepTableTest, AStepThatRunsFindsWhatWasPushedBefore) {
  StepTable table;
  const auto pushed = table.FindForPush(StepId(1));
  ASSERT_TRUE(pushed.ok());
  EXPECT_TRUE(table.FindOrCreate(StepId(1)) == *pushed);
  EXPECT_TRUE(*table.FindForPush(StepId(1)) == *pushed);
}

TEST(StepTableTest, WhatIsPushedToAStepThatHasEndedIsDropped) {
  StepTable table;
  table.FindOrCreate(StepId(1));
  table.Remove(StepId(1));
  table.Remove(StepId(2));  // its values may come after its cleanup
  for (int id : {1, 2}) {
    const auto late = table.FindForPush(StepId(id));
    ASSERT_TRUE(late.ok());
    EXPECT_EQ(table.Find(StepId(id)), nullptr);
    (*late)->rendezvous->local().Recv({}, {}, [](StatusOr<rendezvous::Item> item) {
      EXPECT_EQ(item.status().code(), StatusCode::kAborted);
    });
  }
}

TEST(StepTableTest, StepsWithCollectivesMayComeAgainUnlessTheyFailed) {
  StepTable table;
  table.FindForCollectives(StepId(1));
  table.NoteEnded(StepId(1), true);
  table.Remove(StepId(1));
  // Its next step of that id gets values before it runs here.
  const auto pushed = table.FindForPush(StepId(1));
  ASSERT_TRUE(pushed.ok());
  EXPECT_TRUE(table.FindForCollectives(StepId(1)) == *pushed);
  table.NoteEnded(StepId(1), true);
  table.Remove(StepId(1));
  // A member in the next step of that id asks before it runs here.
  const std::shared_ptr<StepState> asked = table.FindForPiece(StepId(1)).state();
  EXPECT_EQ(table.Find(StepId(1)), asked);
  EXPECT_EQ(table.FindForCollectives(StepId(1)).state(), asked);
  table.NoteEnded(StepId(1), false);
  table.Remove(StepId(1));
  table.FindForPiece(StepId(1))->buffers.Take({.key = "piece"}, {}, [](StatusOr<Tensor> piece) {
    EXPECT_EQ(piece.status().code(), StatusCode::kAborted);
  });
  EXPECT_EQ(table.Find(StepId(1)), nullptr);
}

TEST(StepTableTest, CollectivesOfAStepThatFailedElsewhereAreStoppedForTheReason) {
  StepTable table;
  const StepUse running = table.FindForCollectives(StepId(1));
  Status waiting;
  running->buffers.Take({.key = "piece"}, {},
                        [&](StatusOr<Tensor> piece) { waiting = piece.status(); });
  table.StopCollectives(StepId(1), Aborted("it failed on task 7"));
  EXPECT_EQ(waiting.code(), StatusCode::kAborted);
  EXPECT_EQ(waiting.message(), "it failed on task 7");
  // One that is not known yet: whoever asks for its pieces is told, and no state of it stays.
  table.StopCollectives(StepId(2), Aborted("it failed on task 7"));
  EXPECT_EQ(table.Find(StepId(2)), nullptr);
  table.FindForPiece(StepId(2))->buffers.Take(
      {.key = "piece"}, {}, [&](StatusOr<Tensor> piece) { waiting = piece.status(); });
  EXPECT_EQ(waiting.code(), StatusCode::kAborted);
  EXPECT_EQ(table.Find(StepId(2)), nullptr);
}

TEST(StepTableTest, OnlyTheLastStepsThatEndedAreRemembered) {
  StepTable table;
  for (int i = 0; i < 100'000; ++i) table.Remove(StepId(i));
  EXPECT_TRUE(table.FindForPush(StepId(0)).ok());
  EXPECT_NE(table.Find(StepId(0)), nullptr);
}

TEST(StepTableTest, StepsThatNobodyRunsAreBounded) {
  StepTable table;
  for (size_t i = 0; i < StepTable::kMaxEarlySteps; ++i) {
    ASSERT_TRUE(table.FindForPush(StepId(static_cast<int64_t>(i))).ok());
  }
  EXPECT_EQ(table.FindForPush(StepId(-1)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(table.FindForPush(StepId(0)).ok()) << "it is there already";
  table.FindOrCreate(StepId(0));
  EXPECT_TRUE(table.FindForPush(StepId(-1)).ok()) << "one runs, which makes room";
  table.Remove(StepId(1));
  EXPECT_TRUE(table.FindForPush(StepId(-2)).ok());
}

TEST(StepTableTest, WhatOnlyRequestsMadeGoesWithTheLastOfThem) {
  StepTable table;
  StepUse first = table.FindOrCreate(StepId(1));
  StepUse second = table.FindForPiece(StepId(1));
  const auto listed = table.All();  // a look at the table is no use
  table.RemoveIfIdle(std::move(first));
  EXPECT_EQ(table.Find(StepId(1)), second.state());
  table.RemoveIfIdle(std::move(second));
  EXPECT_EQ(table.Find(StepId(1)), nullptr);
}

TEST(StepTableTest, AStepThatHasStartedStaysUntilItsCleanUp) {
  StepTable table;
  StepUse use = table.FindOrCreate(StepId(1));
  {
    MutexLock lock(use->mutex);
    use->started = true;
  }
  table.RemoveIfIdle(std::move(use));
  EXPECT_NE(table.Find(StepId(1)), nullptr);
}

}  // namespace
}  // namespace rheo::worker
