// Gradients of lists and arrays of tensors, beside what the same computation gives without them.
#include <gtest/gtest.h>
#include <rheo/client.h>

namespace rheo {
namespace {

class ListGradientsTest : public ::testing::Test {
 protected:
  // d(sum(y²))/dx of both, which must agree.
  void ExpectSameGradient(const Output& y, const Output& without) {
    const Output plain = ops::Identity(g_, without);
    const Output grad = Gradients(g_, {ops::Square(g_, y)}, {x_})[0];
    const Output expected = Gradients(g_, {ops::Square(g_, plain)}, {x_})[0];
    StatusOr<Session> session = Session::Create(g_);
    ASSERT_TRUE(session.ok()) << session.status();
    const auto out = session->Run({.feeds = {{x_, Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}},
                                   .fetches = {y, plain, grad, expected}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0], (*out)[1]);
    EXPECT_EQ((*out)[2], (*out)[3]);
  }

  Output Row(int i) { return ops::GatherV2(g_, x_, i, 0); }

  Scope g_ = Scope::NewRoot();
  Output x_ = ops::Placeholder(g_.WithName("x"), DType::kFloat, {.shape = {3, 2}});
  const Output shape_ = ops::Const(g_, Tensor::Vector<int32_t>({2}));
};

TEST_F(ListGradientsTest, PushPopAndStack) {
  Output list = ops::EmptyTensorList(g_, shape_, -1, DType::kFloat);
  for (const int i : {0, 2, 1}) list = ops::TensorListPushBack(g_, list, Row(i));
  const auto popped = ops::TensorListPopBack(g_, list, shape_, DType::kFloat);
  const Output stacked = ops::TensorListStack(g_, popped.output_handle, shape_, DType::kFloat);
  ExpectSameGradient(ops::ConcatV2(g_, {stacked, ops::ExpandDims(g_, popped.tensor, 0)}, 0),
                     ops::GatherV2(g_, x_, Tensor::Vector<int32_t>({0, 2, 1}), 0));
}

TEST_F(ListGradientsTest, ItemsOfALoadedList) {
  Output list = ops::TensorListFromTensor(g_, x_, shape_);
  list = ops::TensorListSetItem(g_, list, 1, ops::Mul(g_, Row(0), Row(2)));
  const Output item = ops::TensorListGetItem(g_, list, 1, shape_, DType::kFloat);
  const Output picked =
      ops::TensorListGather(g_, list, Tensor::Vector<int32_t>({2, 0}), shape_, DType::kFloat);
  ExpectSameGradient(ops::ConcatV2(g_, {ops::ExpandDims(g_, item, 0), picked}, 0),
                     ops::ConcatV2(g_,
                                   {ops::ExpandDims(g_, ops::Mul(g_, Row(0), Row(2)), 0),
                                    ops::GatherV2(g_, x_, Tensor::Vector<int32_t>({2, 0}), 0)},
                                   0));
}

TEST_F(ListGradientsTest, PiecesOfAList) {
  const Output open = ops::Const(g_, Tensor::Vector<int32_t>({-1, 2}));
  const Output lengths = ops::Const(g_, Tensor::Vector<int64_t>({2, 1}));
  const Output list = ops::TensorListSplit(g_, x_, open, lengths);
  ExpectSameGradient(
      ops::TensorListConcatV2(g_, list, open, Tensor::Vector<int64_t>({}), DType::kFloat).tensor,
      x_);
}

TEST_F(ListGradientsTest, ScatteredAndGatheredArray) {
  const auto array = ops::TensorArrayV3(g_, 3, DType::kFloat);
  const Output flow = ops::TensorArrayScatterV3(g_, array.handle,
                                                Tensor::Vector<int32_t>({2, 0, 1}), x_, array.flow);
  const Output y = ops::TensorArrayGatherV3(g_, array.handle, Tensor::Vector<int32_t>({1, 2}), flow,
                                            DType::kFloat);
  ExpectSameGradient(y, ops::GatherV2(g_, x_, Tensor::Vector<int32_t>({2, 0}), 0));
}

TEST_F(ListGradientsTest, ElementsReadTwiceAddUp) {
  const auto array = ops::TensorArrayV3(g_, 1, DType::kFloat, {.clear_after_read = false});
  const Output flow = ops::TensorArrayWriteV3(g_, array.handle, 0, Row(1), array.flow);
  const Output a = ops::TensorArrayReadV3(g_, array.handle, 0, flow, DType::kFloat);
  const Output b = ops::TensorArrayReadV3(g_, array.handle, 0, flow, DType::kFloat);
  ExpectSameGradient(ops::Mul(g_, a, b), ops::Square(g_, Row(1)));
}

TEST_F(ListGradientsTest, SplitAndJoinedArray) {
  const auto array = ops::TensorArrayV3(g_, 2, DType::kFloat);
  const Output flow =
      ops::TensorArraySplitV3(g_, array.handle, x_, Tensor::Vector<int64_t>({1, 2}), array.flow);
  ExpectSameGradient(ops::TensorArrayConcatV3(g_, array.handle, flow, DType::kFloat).value, x_);
}

}  // namespace
}  // namespace rheo
