#include "rheo/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rheo {
namespace {

TEST(DTypeTest, NamesRoundTripForTheWholeEnum) {
  for (const DType t : kAllDTypes) {
    EXPECT_EQ(ParseDType(DTypeName(t)), t);
    EXPECT_EQ(ParseDType(DTypeName(MakeRef(t))), MakeRef(t));
    EXPECT_GT(DTypeSize(t), 0u) << DTypeName(t);
  }
}

TEST(TensorTest, EveryDTypeCanBeMadeClonedAndCompared) {
  for (const DType t : kAllDTypes) {
    StatusOr<Tensor> made = Tensor::Create(HostAllocator(), t, Shape{2, 3});
    ASSERT_TRUE(made.ok()) << made.status();
    if (IsPlainData(t)) std::fill_n(static_cast<char*>(made->mutable_data()), made->num_bytes(), 1);
    const Tensor copy = made->Clone();
    EXPECT_TRUE(copy == *made) << DTypeName(t);
    EXPECT_FALSE(copy.SharesBufferWith(*made));
    EXPECT_EQ(copy.num_elements(), 6);
    EXPECT_FALSE(copy.ToString().empty());
  }
}

TEST(TensorTest, ReferenceAndInvalidDTypesAreRefused) {
  EXPECT_EQ(Tensor::Create(HostAllocator(), DType::kInvalid, Shape{}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Tensor::Create(HostAllocator(), MakeRef(DType::kFloat), Shape{}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(TensorTest, AnImpossibleSizeIsAnErrorNotACrash) {
  EXPECT_EQ(
      Tensor::Create(HostAllocator(), DType::kDouble, Shape{int64_t{1} << 61}).status().code(),
      StatusCode::kResourceExhausted);
  EXPECT_EQ(Tensor::Create(HostAllocator(), DType::kFloat, Shape{int64_t{1} << 50}).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(TensorTest, SpanOfAnotherTypeIsAStatus) {
  const Tensor t = Tensor::Of<float>({2}, {1, 2});
  EXPECT_EQ(t.span<int32_t>().status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*t.span<float>())[1], 2.0f);
}

TEST(TensorTest, RowsShareTheBuffer) {
  const Tensor t = Tensor::Of<int32_t>({3, 2}, {0, 1, 2, 3, 4, 5});
  const Tensor rows = t.Rows(1, 3);
  EXPECT_TRUE(rows.SharesBufferWith(t));
  EXPECT_EQ(rows.flat<int32_t>()[0], 2);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
}

TEST(TensorTest, FromSpanChecksTheNumberOfValues) {
  EXPECT_FALSE(Tensor::FromSpan<float>({3}, std::vector<float>{1, 2}).ok());
}

TEST(ShapeTest, EmptyShapeMayHaveLargeDims) {
  const int64_t dims[] = {int64_t{1} << 40, int64_t{1} << 40, 0, 8};
  EXPECT_EQ(Shape::Create(dims)->num_elements(), 0);
}

TEST(ShapeTest, CreateRejectsNegativeAndOverflowingDims) {
  const int64_t negative[] = {2, -1};
  EXPECT_FALSE(Shape::Create(negative).ok());
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_FALSE(Shape::Create(huge).ok());
  const int64_t zero[] = {int64_t{1} << 40, 0, int64_t{1} << 40};
  EXPECT_TRUE(Shape::Create(zero).ok());
}

TEST(ShapeTest, MergeKeepsWhatEitherKnows) {
  EXPECT_EQ(*PartialShape({2, -1}).Merge(PartialShape({-1, 3})), PartialShape({2, 3}));
  EXPECT_FALSE(PartialShape({2}).Merge(PartialShape({3})).ok());
  EXPECT_EQ(*PartialShape().Merge(PartialShape({3})), PartialShape({3}));
}

TEST(HalfTest, EveryBitPatternSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = Half::FromBits(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(Half(value).bits, bits);
  }
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(65519.0f).bits, 0x7bff);
}

TEST(AllocatorTest, FreedBlocksAreUsedAgainAndCounted) {
  const int64_t before = HostAllocator().stats().bytes_in_use;
  {
    const Tensor t(DType::kFloat, Shape{1000});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data()) % kTensorAlignment, 0u);
    EXPECT_GE(HostAllocator().stats().bytes_in_use, before + 4000);
  }
  EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);
}

TEST(AllocatorTest, EverySizeClassHoldsItsSize) {
  for (size_t n = 1; n < (1 << 22); n = n * 5 / 4 + 1) {
    void* block = HostAllocator().Allocate(n);
    ASSERT_NE(block, nullptr);
    std::fill_n(static_cast<char*>(block), n, 'x');
    HostAllocator().Deallocate(block, n);
  }
}

}  // namespace
}  // namespace rheo
