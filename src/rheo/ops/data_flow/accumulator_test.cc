#include "rheo/ops/data_flow/accumulator.h"

#include <gtest/gtest.h>

#include "rheo/ops/common/kernel_test_util.h"

namespace rheo::ops {
namespace {

class AccumulatorTest : public ::testing::Test {
 protected:
  AccumulatorTest() { step_.device = device_.get(); }

  std::shared_ptr<Accumulator> Make(AccumulatorSpec spec) {
    spec.dtype = DType::kFloat;
    return std::make_shared<Accumulator>("a", std::move(spec));
  }
  Status Apply(Accumulator& accumulator, int64_t step, std::vector<Tensor> gradient) {
    return accumulator.Apply(context_, step, gradient);
  }
  Status ApplySparse(Accumulator& accumulator, const std::vector<int64_t>& indices,
                     const std::vector<float>& values) {
    const auto rows = static_cast<int64_t>(indices.size());
    return Apply(accumulator, 0,
                 {Tensor::Vector(indices), Tensor::Vector(values).Reshaped({rows, 1}),
                  Tensor::Vector<int64_t>({4, 1})});
  }
  // The result of a take that need not wait.
  std::vector<Tensor> Take(Accumulator& accumulator, int64_t required) {
    std::vector<Tensor> result;
    accumulator.Take({}, required, [&](StatusOr<Accumulator::Taken> taken) {
      ASSERT_TRUE(taken.ok()) << taken.status();
      result = *taken->sum->Result(context_, accumulator.spec(), taken->count);
    });
    EXPECT_FALSE(result.empty());
    return result;
  }

  const std::unique_ptr<device::Device> device_ = MakeTestDevice();
  kernel::StepContext step_;
  kernel::KernelContext context_{{.step = &step_}};
};

Tensor Pair(float a, float b) { return Tensor::Of<float>({2}, {a, b}); }

TEST_F(AccumulatorTest, GivesTheMeanOfAllAndStartsANewStep) {
  const auto accumulator = Make({});
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(1, 2)}).ok());
  ASSERT_TRUE(Apply(*accumulator, 5, {Pair(3, 2)}).ok());
  EXPECT_EQ(accumulator->num_accumulated(), 2);
  EXPECT_EQ(Take(*accumulator, 1)[0], Pair(2, 2));
  // The step is 1 now: gradients of step 0 are late.
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(9, 9)}).ok());
  EXPECT_EQ(accumulator->num_accumulated(), 0);
  accumulator->SetGlobalStep(0);
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(9, 9)}).ok());
  EXPECT_EQ(accumulator->num_accumulated(), 1);
}

TEST_F(AccumulatorTest, SumsWhereAsked) {
  const auto accumulator = Make({.reduction = Reduction::kSum});
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(1, 2)}).ok());
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(3, 2)}).ok());
  EXPECT_EQ(Take(*accumulator, 2)[0], Pair(4, 4));
}

TEST_F(AccumulatorTest, RefusesAnotherShapeThanTheFirst) {
  const auto accumulator = Make({});
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(1, 2)}).ok());
  EXPECT_EQ(Message(Apply(*accumulator, 0, {Tensor::Scalar<float>(1)})),
            "Shape mismatch: expected [2], got []");
  EXPECT_EQ(accumulator->num_accumulated(), 1);
}

TEST_F(AccumulatorTest, AStoppedTakeTakesNothing) {
  const auto accumulator = Make({});
  StopSource stop;
  Status status;
  accumulator->Take({.step = StepId(1), .node = "take", .stop = stop.get_token()}, 2,
                    [&](const StatusOr<Accumulator::Taken>& taken) { status = taken.status(); });
  ASSERT_TRUE(Apply(*accumulator, 0, {Pair(1, 2)}).ok());
  EXPECT_EQ(accumulator->Blocked()[0].waits_for, "2 gradients of accumulator 'a'");
  stop.request_stop();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(Message(status), "TakeGrad operation was cancelled");
  EXPECT_EQ(Take(*accumulator, 1)[0], Pair(1, 2));
}

TEST_F(AccumulatorTest, SparseRowsAreDividedByHowManyGradientsHadThem) {
  const auto accumulator = Make({.shape = {4, 1}, .is_sparse = true});
  ASSERT_TRUE(ApplySparse(*accumulator, {0, 2}, {1, 2}).ok());
  ASSERT_TRUE(ApplySparse(*accumulator, {1, 2}, {5, 4}).ok());
  const std::vector<Tensor> taken = Take(*accumulator, 2);
  EXPECT_EQ(taken[0], Tensor::Vector<int64_t>({0, 1, 2}));
  EXPECT_EQ(taken[1], Tensor::Of<float>({3, 1}, {1, 5, 3}));
  EXPECT_EQ(taken[2], Tensor::Vector<int64_t>({4, 1}));
}

TEST_F(AccumulatorTest, SparseGradientsAreChecked) {
  AccumulatorSpec spec{.shape = {3, 2}, .is_sparse = true};
  const auto check = [&](std::vector<int64_t> indices, Shape values, std::vector<int64_t> shape) {
    return std::string(Message(CheckSparseGradient(
        spec,
        {Tensor::Vector(indices), Tensor(DType::kFloat, std::move(values)), Tensor::Vector(shape)},
        true)));
  };
  EXPECT_EQ(check({0}, {1, 2}, {3, 2}), "");
  EXPECT_EQ(check({0}, {1, 2}, {4, 2}), "Shape mismatch: expected shape dim 0 to be 3, got 4");
  EXPECT_EQ(check({0}, {1, 3}, {3, 2}), "Shape mismatch: expected values dim 1 to be 2, got 3");
  EXPECT_EQ(check({7}, {1, 2}, {3, 2}),
            "Shape mismatch: index of slice 0 exceeded limits of shape; index is 7 exceeded 3");
  spec.shape = PartialShape::OfRank(0);
  EXPECT_EQ(check({7}, {1, 3}, {}), "");
}

}  // namespace
}  // namespace rheo::ops
