#include "rheo/op/shape_context.h"

#include <gtest/gtest.h>

namespace rheo::op {
namespace {

class ShapeContextTest : public ::testing::Test {
 protected:
  ShapeContext Context(std::vector<PartialShape> inputs,
                       std::vector<const Tensor*> constants = {}) {
    constants.resize(inputs.size());
    return ShapeContext(attrs_, std::move(inputs), std::move(constants), types_);
  }

  AttrMap attrs_;
  NodeTypes types_{.inputs = {}, .outputs = {DType::kFloat}};
};

TEST_F(ShapeContextTest, BroadcastAsNumpy) {
  const PartialShape unknown;
  EXPECT_EQ(*ShapeContext::Broadcast({2, 1}, {3}), (PartialShape{2, 3}));
  EXPECT_EQ(*ShapeContext::Broadcast({-1, 4}, {4}), (PartialShape{-1, 4}));
  EXPECT_EQ(*ShapeContext::Broadcast({-1}, {1}), (PartialShape{-1}));
  EXPECT_EQ(*ShapeContext::Broadcast({-1}, {5}), (PartialShape{5}));
  EXPECT_EQ(*ShapeContext::Broadcast({5}, {-1}), (PartialShape{5}));
  EXPECT_EQ(*ShapeContext::Broadcast({1}, {0}), (PartialShape{0}));
  EXPECT_EQ(*ShapeContext::Broadcast(Shape{}, {7}), (PartialShape{7}));
  EXPECT_EQ(*ShapeContext::Broadcast(unknown, {7}), unknown);
  EXPECT_EQ(ShapeContext::Broadcast({2, 3}, {2}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ShapeContextTest, RequireRankNamesInputAndRanks) {
  const ShapeContext c = Context({{2, 3, 4}, PartialShape()});
  EXPECT_TRUE(c.RequireRank(0, 3).ok());
  EXPECT_TRUE(c.RequireRank(1, 2).ok());
  const Status status = c.RequireRank(0, 2);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "input 0 has rank 3, must be 2");
}

TEST_F(ShapeContextTest, ShapeFromInputReadsConstants) {
  const Tensor narrow = Tensor::Of<int32_t>({2}, {3, -1});
  const Tensor wide = Tensor::Of<int64_t>({0}, {});
  const Tensor unknown_rank = Tensor::Scalar<int32_t>(-1);
  const ShapeContext c = Context({{2}, {0}, Shape{}}, {&narrow, &wide, &unknown_rank});
  EXPECT_EQ(*c.ShapeFromInput(0), (PartialShape{3, -1}));
  EXPECT_EQ(*c.ShapeFromInput(1), PartialShape::OfRank(0));
  EXPECT_EQ(*c.ShapeFromInput(2), PartialShape());
}

TEST_F(ShapeContextTest, ShapeFromInputKnowsTheRankOfAnUnknownValue) {
  const ShapeContext c = Context({{3}, {-1}, PartialShape(), {2, 2}});
  EXPECT_EQ(*c.ShapeFromInput(0), PartialShape::OfRank(3));
  EXPECT_EQ(*c.ShapeFromInput(1), PartialShape());
  EXPECT_EQ(*c.ShapeFromInput(2), PartialShape());
  EXPECT_EQ(c.ShapeFromInput(3).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ShapeContextTest, ShapeFromInputRefusesWhatIsNoShape) {
  const Tensor negative = Tensor::Of<int32_t>({1}, {-2});
  const Tensor text = Tensor::Scalar("x");
  const Tensor scalar = Tensor::Scalar<int32_t>(4);
  const ShapeContext c = Context({{1}, Shape{}, Shape{}}, {&negative, &text, &scalar});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.ShapeFromInput(i).status().code(), StatusCode::kInvalidArgument) << i;
  }
}

TEST_F(ShapeContextTest, CommonShapeFunctions) {
  ShapeContext c = Context({{2, 1}, {3}});
  EXPECT_TRUE(UnchangedShape(c).ok());
  EXPECT_EQ(c.outputs()[0], (PartialShape{2, 1}));
  EXPECT_TRUE(BroadcastBinaryShape(c).ok());
  EXPECT_EQ(c.outputs()[0], (PartialShape{2, 3}));
  EXPECT_TRUE(ScalarShape(c).ok());
  EXPECT_EQ(c.outputs()[0], PartialShape::OfRank(0));
  EXPECT_TRUE(UnknownShape(c).ok());
  EXPECT_FALSE(c.outputs()[0].has_rank());
  EXPECT_TRUE(NoOutputs(c).ok());
}

}  // namespace
}  // namespace rheo::op
