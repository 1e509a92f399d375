#include "rheo/rpc/spin_budget.h"

#include <gtest/gtest.h>

namespace rheo::rpc {
namespace {

using std::chrono::microseconds;

int CallsUntilTheNextSpin(SpinBudget& budget) {
  int calls = 1;
  while (budget.Take().count() == 0) ++calls;
  return calls;
}

TEST(SpinBudgetTest, FollowsTheTimeThatAnswersTake) {
  SpinBudget budget;
  EXPECT_GT(budget.Take(), microseconds(0));
  budget.Hit(microseconds(40));
  EXPECT_EQ(budget.Take(), microseconds(80));
  budget.Hit(microseconds(1));
  EXPECT_EQ(budget.Take(), microseconds(20));
  budget.Hit(microseconds(10'000));
  EXPECT_EQ(budget.Take(), microseconds(200));
}

TEST(SpinBudgetTest, KeepsTheLimitsItIsGiven) {
  SpinBudget budget(/*first=*/microseconds(300), /*most=*/microseconds(400));
  EXPECT_EQ(budget.Take(), microseconds(300));
  budget.Hit(microseconds(10'000));
  EXPECT_EQ(budget.Take(), microseconds(400));
  budget.Preempted();
  while (budget.Take().count() == 0) {
  }
  EXPECT_EQ(budget.Take(), microseconds(300))
      << "the first spin after a rest is as long as the first";
}

TEST(SpinBudgetTest, APauseBetweenCallsAndASlowStartAfterItAreNoReasonToStop) {
  SpinBudget budget;
  budget.Hit(microseconds(20));
  for (int burst = 0; burst < 10; ++burst) {
    budget.Miss();  // nothing follows the last call
    EXPECT_GE(budget.Take(), microseconds(100)) << "what took 20 µs may take longer after a pause";
    budget.Miss();
    EXPECT_GE(budget.Take(), microseconds(100));
    budget.Hit(microseconds(20));
  }
  EXPECT_EQ(budget.Take(), microseconds(40));
}

TEST(SpinBudgetTest, StopsWhereAnswersDoNotComeInTimeAndTriesAgainLater) {
  SpinBudget budget;
  int spins = 0;
  while (budget.Take().count() > 0) {
    budget.Miss();
    ASSERT_LT(++spins, 10);
  }
  EXPECT_GT(CallsUntilTheNextSpin(budget), 50);
}

TEST(SpinBudgetTest, StopsAtOnceWhereTheCoreIsNeeded) {
  SpinBudget budget;
  EXPECT_GT(budget.Take().count(), 0);
  budget.Preempted();
  EXPECT_EQ(budget.Take().count(), 0);
  EXPECT_GT(CallsUntilTheNextSpin(budget), 50);
}

TEST(SpinBudgetTest, TriesEverLessOftenWhatNeverPays) {
  SpinBudget budget;
  int before = 0;
  for (int i = 0; i < 3; ++i) {
    budget.Preempted();
    const int calls = CallsUntilTheNextSpin(budget);
    EXPECT_GT(calls, 2 * before);
    before = calls;
  }
  budget.Hit(microseconds(40));
  budget.Preempted();
  EXPECT_LT(CallsUntilTheNextSpin(budget), before / 8) << "it paid again";
}

}  // namespace
}  // namespace rheo::rpc
