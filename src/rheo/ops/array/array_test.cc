
#include <cmath>

#include "rheo/ops/array/op_cases.h"
#include "rheo/ops/array/register.h"
#include "rheo/ops/array/strided_slice_spec.h"
#include "rheo/ops/array/summarize.h"
#include "rheo/ops/common/family_test.h"

namespace rheo::ops {
namespace {

class ArrayTest : public ::testing::Test {
 protected:
  StatusOr<Tensor> Run(std::string_view op, op::AttrMap attrs, std::vector<Tensor> inputs) {
    RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> out,
                          runner_.RunOp(op, std::move(attrs), std::move(inputs)));
    return out[0];
  }
  Status Fail(std::string_view op, op::AttrMap attrs, std::vector<Tensor> inputs) {
    return runner_.RunOp(op, std::move(attrs), std::move(inputs)).status();
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterArraySchemas, &RegisterArrayKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(ArrayTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, ArrayOps()); }

TEST_F(ArrayTest, EveryCaseRunsOrFailsAsItMust) {
  EXPECT_EQ(CheckOpCases(ArrayOpCases(), runner_), "");
}

TEST_F(ArrayTest, HandingOnCostsNoCopy) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(Run("Identity", {}, {x})->SharesBufferWith(x));
  EXPECT_TRUE(Run("Reshape", {}, {x, Tensor::Of<int32_t>({1}, {4})})->SharesBufferWith(x));
  EXPECT_TRUE(Run("ExpandDims", {}, {x, Tensor::Scalar<int32_t>(0)})->SharesBufferWith(x));
  EXPECT_TRUE(Run("Const", {{"value", x}, {"dtype", DType::kFloat}}, {})->SharesBufferWith(x));
  // Rows of the first axis are parts of the same buffer.
  const Tensor row = *Run("StridedSlice", {{"shrink_axis_mask", 1}},
                          {x, Tensor::Of<int32_t>({1}, {1}), Tensor::Of<int32_t>({1}, {2}),
                           Tensor::Of<int32_t>({1}, {1})});
  EXPECT_TRUE(row.SharesBufferWith(x));
  EXPECT_EQ(row, Tensor::Of<float>({2}, {3, 4}));
}

TEST_F(ArrayTest, ConstRefusesAnotherDtypeWhenTheKernelIsMade) {
  EXPECT_EQ(
      Fail("Const", {{"value", Tensor::Scalar<float>(1)}, {"dtype", DType::kInt32}}, {}).code(),
      StatusCode::kInvalidArgument);
}

TEST_F(ArrayTest, PlaceholderSaysWhatIsMissing) {
  const Status unfed =
      Fail("Placeholder", {{"dtype", DType::kFloat}, {"shape", PartialShape{kUnknownDim, 2}}}, {});
  EXPECT_EQ(unfed.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(unfed),
            "You must feed a value for placeholder tensor 'test_Placeholder' with dtype float and "
            "shape [?,2]");
  EXPECT_EQ(Message(Fail("Placeholder", {{"dtype", DType::kInt32}, {"shape", PartialShape()}}, {})),
            "You must feed a value for placeholder tensor 'test_Placeholder' with dtype int32");
}

TEST_F(ArrayTest, ErrorsNameTheIndex) {
  const Tensor params = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Message(Fail("Gather", {}, {params, Tensor::Of<int32_t>({2, 2}, {0, 1, 0, 7})})),
            "indices[1,1] = 7 is not in [0, 2)");
  EXPECT_EQ(Message(Fail("DynamicPartition", {{"num_partitions", 2}},
                         {Tensor::Of<float>({3}, {1, 2, 3}), Tensor::Of<int32_t>({3}, {0, 1, 5})})),
            "partitions[2] = 5 is not in [0, 2)");
}

TEST_F(ArrayTest, SegmentsThatNothingCanHoldAreRefused) {
  const Tensor last = Tensor::Vector<int64_t>({INT64_MAX});
  for (const char* op : {"SegmentSum", "SegmentMin"}) {
    EXPECT_EQ(Fail(op, {}, {Tensor::Vector<float>({1}), last}).code(),
              StatusCode::kInvalidArgument);
  }
}

TEST_F(ArrayTest, SegmentsWithoutElementsTakeNoMemory) {
  const Tensor empty(DType::kFloat, Shape{1, 0});
  const auto sums = Run("UnsortedSegmentSum", {},
                        {empty, Tensor::Vector<int32_t>({3}), Tensor::Scalar<int64_t>(1LL << 50)});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->shape(), Shape({1LL << 50, 0}));
}

TEST_F(ArrayTest, IntegersWrapAroundAndCountsAreNotCut) {
  const Tensor big = Tensor::Vector<uint16_t>({65535, 65535});
  const Tensor one_segment = Tensor::Vector<int32_t>({0, 0});
  EXPECT_EQ(*Run("SegmentProd", {}, {big, one_segment}), Tensor::Vector<uint16_t>({1}));
  const Tensor rows = Tensor::Vector(std::vector<int8_t>(256));
  const Tensor ids = Tensor::Vector(std::vector<int32_t>(256));
  EXPECT_EQ(*Run("SegmentMean", {}, {rows, ids}), Tensor::Vector<int8_t>({0}));
}

TEST_F(ArrayTest, ANanEqualsNoOther) {
  const Tensor values = Tensor::Vector<float>({NAN, 1, NAN, 1});
  const auto unique = Run("Unique", {}, {values});
  ASSERT_TRUE(unique.ok()) << unique.status();
  EXPECT_EQ(unique->shape(), Shape({3}));
  const auto kept = Run("ListDiff", {}, {values, Tensor::Vector<float>({NAN, 1})});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->shape(), Shape({2}));
}

TEST_F(ArrayTest, AssertShowsItsData) {
  const Status failed =
      Fail("Assert", {},
           {Tensor::Scalar(false), Tensor::Of<std::string>({2}, {"a b", "c"}),
            Tensor::Of<int64_t>({2, 2}, {0, 1, 2, 3}), Tensor::Scalar<float>(1.5F)});
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(failed), "assertion failed: [a b c] [[0 1][2...]...] [1.5]");
}

TEST(SummarizeTest, ShowsNestedDimensionsAndWhatIsLeftOut) {
  const Tensor cube = Tensor::Of<int64_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(SummarizeValues(cube, 3), "[[0 1][2...]]...");
  EXPECT_EQ(SummarizeValues(cube, 100), "[[0 1][2 3]][[4 5][6 7]]");
  EXPECT_EQ(SummarizeValues(cube, -1), "[[0 1][2 3]][[4 5][6 7]]");
  EXPECT_EQ(SummarizeValues(Tensor::Of<float>({4}, {1e-8F, 1.0F / 3, 1e10F, 3}), 3),
            "1e-08 0.333333343 1e+10...");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar<double>(1.0 / 3), 3), "0.33333333333333331");
  EXPECT_EQ(SummarizeValues(Tensor::Of<bool>({2}, {true, false}), 3), "1 0");
  EXPECT_EQ(SummarizeValues(Tensor(DType::kFloat, {0}), 3), "");
  EXPECT_EQ(SummarizeValues(Tensor::Scalar(std::complex<float>(1, 2)), 3), "?");
}

TEST(StridedSliceSpecTest, WhatIsNotKnownStaysUnknown) {
  const SliceBounds unknown{.length = 2};
  const auto spec = ResolveStridedSlice({3, 4, 5}, unknown, {.shrink = 2});
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->shape, (PartialShape{kUnknownDim, 5}));
  const SliceBounds whole{.length = 1, .begin = {}, .end = {}, .strides = Dims{1}};
  const auto masked = ResolveStridedSlice({kUnknownDim, 4}, whole, {.begin = 1, .end = 1});
  ASSERT_TRUE(masked.ok()) << masked.status();
  EXPECT_EQ(masked->shape, (PartialShape{kUnknownDim, 4}));
}

}  // namespace
}  // namespace rheo::ops
