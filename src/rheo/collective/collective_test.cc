// Whole collectives between tasks that reach each other directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "rheo/collective/layout.h"
#include "rheo/collective/merge.h"
#include "rheo/collective/world_for_test.h"
#include "rheo/tensor/float_types.h"

namespace rheo::collective {
namespace {

using kernel::CollectiveKind;
using kernel::CollectivePlan;
using kernel::FinalOp;
using kernel::MergeOp;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using RunRef = std::shared_ptr<TestWorld::Run>;

// Member r gives r + 1, r + 2, …
Tensor InputOf(size_t rank, int64_t size) {
  Tensor t(DType::kFloat, Shape{size});
  std::iota(t.mutable_flat<float>().begin(), t.mutable_flat<float>().end(),
            static_cast<float>(rank) + 1);
  return t;
}

std::vector<RunRef> ReduceAll(TestWorld& world, int64_t size, const CollectivePlan& plan = {},
                              int32_t instance = 1) {
  std::vector<RunRef> runs;
  for (size_t i = 0; i < world.members.size(); ++i) {
    runs.push_back(world.Start(i, plan, InputOf(i, size), {}, instance));
  }
  return runs;
}

void ExpectSum(const std::vector<RunRef>& runs, int64_t size) {
  const auto n = static_cast<float>(runs.size());
  for (const RunRef& run : runs) {
    ASSERT_TRUE(run->is_over);
    ASSERT_TRUE(run->result.ok()) << run->result.status();
    const std::span<const float> sum = run->result->flat<float>();
    ASSERT_EQ(static_cast<int64_t>(sum.size()), size);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(sum[static_cast<size_t>(i)], n * static_cast<float>(i) + n * (n + 1) / 2) << i;
    }
  }
}

void ExpectAllFailed(const std::vector<RunRef>& runs, StatusCode code, const std::string& text) {
  bool is_one_the_cause = false;
  for (const RunRef& run : runs) {
    ASSERT_TRUE(run->is_over);
    EXPECT_FALSE(run->result.ok());
    if (run->result.status().code() != code || IsDerived(run->result.status())) continue;
    EXPECT_THAT(run->result.status().message(), HasSubstr(text));
    is_one_the_cause = true;
  }
  EXPECT_TRUE(is_one_the_cause);
}

// Each of two members fails with an error that says what both do.
void ExpectTold(const std::vector<RunRef>& runs, const std::string& one, const std::string& other) {
  ExpectAllFailed(runs, StatusCode::kInvalidArgument, "must do the same");
  for (const RunRef& run : runs) {
    EXPECT_THAT(run->result.status().message(), HasSubstr("does " + one));
    EXPECT_THAT(run->result.status().message(), HasSubstr("does " + other));
  }
}

TEST(RingTest, EveryMemberGetsTheSumWhateverTheSizesAre) {
  for (const std::vector<int>& tasks :
       std::vector<std::vector<int>>{{1}, {1, 1}, {1, 1, 1}, {2, 1}, {3, 2, 2}, {4}}) {
    for (const int64_t size : {0, 1, 15, 16, 17, 32, 1000}) {
      TestWorld world(tasks);
      ExpectSum(ReduceAll(world, size), size);
    }
  }
}

TEST(RingTest, SeveralRingsGiveTheSameSum) {
  for (const std::vector<int>& offsets :
       std::vector<std::vector<int>>{{0}, {0, 0}, {0, -1}, {1, 0, -2}}) {
    TestWorld world({2, 2, 1});
    ExpectSum(ReduceAll(world, 333, {.ring_offsets = offsets}), 333);
  }
}

TEST(RingTest, KeysArePassPieceAndSender) {
  TestWorld world({1, 1});
  ExpectSum(ReduceAll(world, 100), 100);
  // What task 1 asks task 0 for, and the other way round.
  EXPECT_THAT(world.tasks[0]->keys, UnorderedElementsAre("7:1:0:0:0:0:0", "7:1:0:0:1:1:0"));
  EXPECT_THAT(world.tasks[1]->keys, UnorderedElementsAre("7:1:0:0:0:1:1", "7:1:0:0:1:0:1"));
}

TEST(RingTest, ALaterStepAsksTheLeaderNothing) {
  TestWorld world({1, 1});
  ExpectSum(ReduceAll(world, 8), 8);
  const int asked = world.tasks[0]->groups_asked;
  world.NextStep();
  ExpectSum(ReduceAll(world, 8), 8);
  EXPECT_EQ(world.tasks[0]->groups_asked, asked);
}

TEST(RingTest, MergesAndDivides) {
  const auto run_all = [](CollectivePlan plan, std::vector<Tensor> inputs) {
    TestWorld world({1, 1});
    const RunRef a = world.Start(0, plan, inputs[0]);
    const RunRef b = world.Start(1, plan, inputs[1]);
    EXPECT_EQ(*a->result, *b->result);
    return *a->result;
  };
  const Tensor x = Tensor::Vector<int32_t>({1, 5, -7});
  const Tensor y = Tensor::Vector<int32_t>({2, 3, -4});
  EXPECT_EQ(run_all({.merge = MergeOp::kMul}, {x, y}), Tensor::Vector<int32_t>({2, 15, 28}));
  EXPECT_EQ(run_all({.merge = MergeOp::kMax}, {x, y}), Tensor::Vector<int32_t>({2, 5, -4}));
  EXPECT_EQ(run_all({.merge = MergeOp::kMin}, {x, y}), Tensor::Vector<int32_t>({1, 3, -7}));
  EXPECT_EQ(run_all({.final = FinalOp::kDiv}, {x, y}), Tensor::Vector<int32_t>({1, 4, -5}));
  const Tensor h = Tensor::Vector<Half>({Half(1.5f), Half(-2)});
  EXPECT_EQ(run_all({.final = FinalOp::kDiv}, {h, h}), h);
}

TEST(RingTest, TypesWithoutArithmeticAreRefused) {
  TestWorld world({1});
  EXPECT_EQ(world.Start(0, {}, Tensor::Vector<uint8_t>({1}))->result.status().code(),
            StatusCode::kUnimplemented);
}

TEST(LayoutTest, PiecesBeginAtMultiplesOf64Bytes) {
  const std::vector<Piece> pieces = CutIntoPieces(5000, 4, 2);
  EXPECT_EQ(pieces[0].size * 4, 10048);
  EXPECT_EQ(pieces[1].size * 4, 9952);
  EXPECT_EQ(CutIntoPieces(6, 4, 2)[0].size, 6);
  EXPECT_EQ(CutIntoPieces(6, 4, 2)[1].size, 0);
  // A piece that fits exactly is one unit larger, as TensorFlow's.
  EXPECT_EQ(CutIntoPieces(128, 4, 2)[0].size * 4, 320);
}

std::vector<RunRef> GatherAll(TestWorld& world, int64_t rows) {
  const auto n = static_cast<int64_t>(world.members.size());
  std::vector<RunRef> runs;
  for (size_t i = 0; i < world.members.size(); ++i) {
    runs.push_back(
        world.Start(i, {.kind = CollectiveKind::kGather}, InputOf(i, rows), Shape{n * rows}));
  }
  return runs;
}

TEST(GatherTest, EveryMemberGetsAllValuesInTheOrderOfRanks) {
  for (const std::vector<int>& tasks :
       std::vector<std::vector<int>>{{1}, {1, 1}, {1, 1, 1}, {2, 1}, {3, 2, 2}, {4}}) {
    for (const int64_t rows : {0, 1, 17, 1000}) {
      TestWorld world(tasks);
      std::vector<float> expected;
      for (size_t rank = 0; rank < world.members.size(); ++rank) {
        const Tensor input = InputOf(rank, rows);
        expected.insert(expected.end(), input.flat<float>().begin(), input.flat<float>().end());
      }
      for (const RunRef& run : GatherAll(world, rows)) {
        ASSERT_TRUE(run->is_over);
        ASSERT_TRUE(run->result.ok()) << run->result.status();
        EXPECT_EQ(*run->result, Tensor::Vector<float>(expected));
      }
    }
  }
}

TEST(GatherTest, KeysAreTheGiverAndTheSender) {
  TestWorld world({1, 1, 1});
  GatherAll(world, 2);
  // What task 1 asks task 0 for, and so on.
  EXPECT_THAT(world.tasks[0]->keys, UnorderedElementsAre("7:1:0:0:0:0:0", "7:1:0:0:0:2:0"));
  EXPECT_THAT(world.tasks[1]->keys, UnorderedElementsAre("7:1:0:0:0:1:1", "7:1:0:0:0:0:1"));
  EXPECT_THAT(world.tasks[2]->keys, UnorderedElementsAre("7:1:0:0:0:2:2", "7:1:0:0:0:1:2"));
}

TEST(GatherTest, ShapesThatDifferFailAllMembersAndALaterStepWorks) {
  TestWorld world({1, 1});
  const CollectivePlan gather{.kind = CollectiveKind::kGather};
  const RunRef a = world.Start(0, gather, InputOf(0, 2), Shape{4});
  const RunRef b = world.Start(1, gather, InputOf(1, 3), Shape{6});
  EXPECT_EQ(b->result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(IsDerived(b->result.status()));
  ASSERT_TRUE(a->is_over);
  EXPECT_TRUE(IsDerived(a->result.status()));
  world.NextStep();
  for (const RunRef& run : GatherAll(world, 3)) EXPECT_TRUE(run->result.ok());
}

TEST(GatherTest, LaterStepsMayHaveOtherShapesButNotEachMemberItsOwn) {
  TestWorld world({1, 1});
  for (const int64_t rows : {2, 3, 2}) {
    for (const RunRef& run : GatherAll(world, rows)) EXPECT_TRUE(run->result.ok());
    world.NextStep();
  }
  const CollectivePlan gather{.kind = CollectiveKind::kGather};
  const RunRef a = world.Start(0, gather, InputOf(0, 2), Shape{4});
  const RunRef b = world.Start(1, gather, InputOf(1, 3), Shape{6});
  ExpectTold({a, b}, "Gather of float[4]", "Gather of float[6]");
}

class MismatchTest : public ::testing::Test {
 protected:
  static CollectivePlan Reduce(MergeOp merge = MergeOp::kAdd, FinalOp final = FinalOp::kId) {
    return {.merge = merge, .final = final};
  }
  // The group and the instance are as the leader has told before.
  void AgreeOnce() {
    ExpectSum(ReduceAll(world_, 4), 4);
    world_.NextStep();
  }
  std::vector<RunRef> Start(const CollectivePlan& plan0, const Tensor& x0,
                            const CollectivePlan& plan1, const Tensor& x1) {
    return {world_.Start(0, plan0, x0), world_.Start(1, plan1, x1)};
  }
  void ExpectALaterStepWorks() {
    world_.NextStep();
    ExpectSum(ReduceAll(world_, 4), 4);
  }

  TestWorld world_{{1, 1}};
  const Tensor floats_ = Tensor::Vector<float>({1, 2, 3, 4});
  const Tensor ints_ = Tensor::Vector<int32_t>({1, 2, 3, 4});
};

// Neither is merged as the other.
TEST_F(MismatchTest, AnotherDtypeFailsAllMembers) {
  for (const bool other_is_first : {true, false}) {
    const auto runs =
        other_is_first ? Start({}, ints_, {}, floats_) : Start({}, floats_, {}, ints_);
    ExpectAllFailed(runs, StatusCode::kInternal, "expected type 0 and data_type");
    ExpectALaterStepWorks();
    world_.NextStep();
  }
}

TEST_F(MismatchTest, AnotherDtypeInALaterStepFailsAllMembers) {
  for (const bool leader_changes : {true, false}) {
    AgreeOnce();
    const auto runs =
        leader_changes ? Start({}, ints_, {}, floats_) : Start({}, floats_, {}, ints_);
    ExpectAllFailed(runs, StatusCode::kInternal, "expected type 0 and data_type float");
    ExpectALaterStepWorks();
  }
}

TEST_F(MismatchTest, AReductionAndABroadcastFailBoth) {
  const CollectivePlan send{.kind = CollectiveKind::kBroadcast, .is_source = true};
  ExpectAllFailed(Start({}, floats_, send, floats_), StatusCode::kInternal, "expected type 0");
  world_.NextStep();
  ExpectAllFailed(Start(send, floats_, {}, floats_), StatusCode::kInternal, "expected type 1");
  ExpectALaterStepWorks();
  world_.NextStep();
  ExpectAllFailed(Start({}, floats_, send, floats_), StatusCode::kInternal, "expected type 0");
}

TEST_F(MismatchTest, AnotherOperationFailsAllMembersByName) {
  for (const bool is_first_step : {true, false}) {
    if (!is_first_step) AgreeOnce();
    ExpectTold(Start(Reduce(MergeOp::kAdd), floats_, Reduce(MergeOp::kMul), floats_),
               "Reduce(Add,Id) of float[4]", "Reduce(Mul,Id) of float[4]");
    ExpectALaterStepWorks();
    world_.NextStep();
    ExpectTold(Start(Reduce(MergeOp::kAdd, FinalOp::kDiv), floats_, Reduce(), floats_),
               "Reduce(Add,Div) of float[4]", "Reduce(Add,Id) of float[4]");
    ExpectALaterStepWorks();
    world_.NextStep();
  }
}

TEST_F(MismatchTest, AnotherSizeInALaterStepFailsAllMembersAlsoWhenItIsNone) {
  for (const int64_t size : {0, 1, 5, 1000}) {
    for (const size_t who : {0, 1}) {
      AgreeOnce();
      const Tensor other = InputOf(0, size);
      const auto runs = who == 0 ? Start({}, other, {}, floats_) : Start({}, floats_, {}, other);
      ExpectTold(runs, "Reduce(Add,Id) of float[4]",
                 fmt::format("Reduce(Add,Id) of float[{}]", size));
      ExpectALaterStepWorks();
    }
  }
}

TEST(EmptyTest, AMemberWithoutElementsFailsWithAllOthers) {
  for (size_t who = 0; who < 4; ++who) {
    for (const bool is_first_step : {true, false}) {
      TestWorld world({1, 1, 2});
      if (!is_first_step) {
        ExpectSum(ReduceAll(world, 4), 4);
        world.NextStep();
      }
      std::vector<RunRef> runs;
      for (size_t i = 0; i < 4; ++i) {
        runs.push_back(world.Start(i, {}, InputOf(i, i == who ? 0 : 4)));
      }
      ExpectAllFailed(runs, StatusCode::kInvalidArgument, "[0]");
    }
  }
}

TEST(EmptyTest, OneMemberWithElementsFailsWithAllOthers) {
  TestWorld world({1, 1, 1, 1});
  ExpectSum(ReduceAll(world, 4), 4);
  world.NextStep();
  std::vector<RunRef> runs;
  for (size_t i = 0; i < 4; ++i) runs.push_back(world.Start(i, {}, InputOf(i, i == 1 ? 4 : 0)));
  ExpectAllFailed(runs, StatusCode::kInvalidArgument, "[0]");
}

// TensorFlow's members without elements exchange nothing, and those with elements do not say what
// they want but for its size.
TEST(EmptyTest, BesideTensorFlowsMembersItIsDoneAtOnceAndToldWhoeverAsksForElements) {
  TestWorld world({1, 1});
  world.tasks[0]->others_are_rheo = false;
  ExpectSum(ReduceAll(world, 0), 0);
  EXPECT_TRUE(world.tasks[0]->keys.empty());
  world.NextStep();
  ExpectSum(ReduceAll(world, 4), 4);
  world.NextStep();
  const RunRef a = world.Start(0, {}, InputOf(0, 0));
  EXPECT_TRUE(a->result.ok());
  const RunRef b = world.Start(1, {}, InputOf(1, 4));
  ASSERT_TRUE(b->is_over);
  EXPECT_EQ(b->result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(b->result.status().message(), HasSubstr("does Reduce(Add,Id) of float[0]"));
}

TEST(TreeTest, EveryMemberGetsTheValueWhoeverSends) {
  for (const std::vector<int>& tasks :
       std::vector<std::vector<int>>{{1}, {1, 1}, {1, 1, 1, 1, 1, 1, 1}, {2, 1}, {3, 2, 4}, {5}}) {
    const size_t n = TestWorld(tasks).members.size();
    for (size_t source = 0; source < n; ++source) {
      TestWorld world(tasks);
      std::vector<RunRef> runs;
      const CollectivePlan receive{.kind = CollectiveKind::kBroadcast};
      const CollectivePlan send{.kind = CollectiveKind::kBroadcast, .is_source = true};
      for (size_t i = 0; i < n; ++i) {
        runs.push_back(i == source ? world.Start(i, send, InputOf(5, 3))
                                   : world.Start(i, receive, Tensor(), Shape{3}));
      }
      for (const RunRef& run : runs) {
        ASSERT_TRUE(run->result.ok()) << run->result.status();
        EXPECT_EQ(*run->result, InputOf(5, 3));
      }
    }
  }
}

TEST(TreeTest, AnotherSizeThanExpectedIsAnError) {
  TestWorld world({1, 1});
  const RunRef a =
      world.Start(0, {.kind = CollectiveKind::kBroadcast, .is_source = true}, InputOf(0, 4));
  const RunRef b = world.Start(1, {.kind = CollectiveKind::kBroadcast}, Tensor(), Shape{3});
  EXPECT_EQ(b->result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(b->result.status().message(), HasSubstr("Shape mismatch"));
}

TEST(FailureTest, ACancelledMemberFailsAllOthersByNameAndALaterStepWorks) {
  TestWorld world({1, 1, 1});
  const RunRef a = world.Start(0, {}, InputOf(0, 100));
  const RunRef b = world.Start(1, {}, InputOf(1, 100));
  EXPECT_FALSE(a->is_over);
  const RunRef c = world.Start(2, {}, InputOf(2, 100), {}, /*instance=*/2);  // waits for nobody
  EXPECT_FALSE(c->is_over);
  c->stop.request_stop();
  EXPECT_EQ(c->result.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(c->result.status()));
  for (const RunRef& run : {a, b}) {
    ASSERT_TRUE(run->is_over);
    EXPECT_EQ(run->result.status().code(), StatusCode::kAborted);
    EXPECT_TRUE(IsDerived(run->result.status()));
    EXPECT_THAT(run->result.status().message(), HasSubstr("from /job:w/replica:0/task:"));
  }
  world.NextStep();
  ExpectSum(ReduceAll(world, 100), 100);
}

TEST(FailureTest, AnotherErrorOfTheStepEndsTheRun) {
  TestWorld world({1, 1});
  const RunRef a = world.Start(0, {}, InputOf(0, 100));
  world.tasks[0]->buffers->Abort(InvalidArgument("another operation failed"));
  ASSERT_TRUE(a->is_over);
  EXPECT_TRUE(IsDerived(a->result.status()));
  EXPECT_THAT(a->result.status().message(), HasSubstr("another operation failed"));
}

TEST(FailureTest, ACancelledWaitForTheGroupEndsAndTheNextOneSucceeds) {
  TestWorld world({1, 1});
  const RunRef b = world.Start(1, {}, InputOf(1, 10));
  EXPECT_FALSE(b->is_over);
  b->stop.request_stop();
  ASSERT_TRUE(b->is_over);
  EXPECT_EQ(b->result.status().code(), StatusCode::kCancelled);
  world.NextStep();
  ExpectSum(ReduceAll(world, 10), 10);
}

TEST(FailureTest, ARestartedMemberIsLearntOfAfterOneFailure) {
  TestWorld world({1, 1, 1});
  ExpectSum(ReduceAll(world, 10), 10);
  world.tasks[2]->devices[0]->info_.incarnation = NewIncarnation();
  world.tasks[2]->runner.resolver().Forget(7);  // a new process knows nothing
  world.NextStep();
  for (const RunRef& run : ReduceAll(world, 10)) EXPECT_FALSE(run->result.ok());
  world.NextStep();
  ExpectSum(ReduceAll(world, 10), 10);
}

TEST(FailureTest, ATimeoutEndsTheRun) {
  TestWorld world({1, 1});
  const RunRef a = world.Start(0, {.timeout = std::chrono::milliseconds(1)}, InputOf(0, 10));
  while (!a->is_over) std::this_thread::yield();
  EXPECT_EQ(a->result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(a->result.status()),
              HasSubstr("waited for all 2 members of group 7 to join"));
}

}  // namespace
}  // namespace rheo::collective
