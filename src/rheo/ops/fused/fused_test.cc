// The fused ops give what the chains that they stand for give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/common/op_case.h"
#include "rheo/ops/fused/register.h"

namespace rheo::ops {
namespace {

using ::testing::HasSubstr;

class FusedTest : public ::testing::Test {
 protected:
  FusedTest()
      : registries_(MakeTestRegistries(&RegisterFusedSchemas, &RegisterFusedKernels)),
        runner_(registries_->ops, registries_->kernels) {}

  StatusOr<std::vector<float>> Run(std::string_view op, op::AttrMap attrs,
                                   std::vector<Tensor> inputs) {
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                          runner_.RunOp(op, std::move(attrs), std::move(inputs)));
    const auto values = out[0].flat<float>();
    return std::vector<float>(values.begin(), values.end());
  }

  std::unique_ptr<TestRegistries> registries_;
  KernelRunner runner_;
};

std::vector<std::string> Names(std::vector<std::string> names) { return names; }

const Tensor kA = Tensor::Of<float>({2, 2}, {1, 2, 3, -4});
const Tensor kB = Tensor::Of<float>({2, 2}, {1, 0, 1, 1});
// kA · kB = {3, 2, -1, -4}

TEST_F(FusedTest, MatMulAddsBiasThenAddendThenActivates) {
  const Tensor bias = Tensor::Of<float>({2}, {1, -1});
  const Tensor addend = Tensor::Of<float>({2, 2}, {0, 0, 5, 0});
  auto got = Run("_FusedMatMul", {{"fused_ops", Names({"BiasAdd", "Add", "Relu"})}},
                 {kA, kB, bias, addend});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, (std::vector<float>{4, 1, 5, 0}));
}

TEST_F(FusedTest, MatMulActivations) {
  const Tensor bias = Tensor::Of<float>({2}, {0, 0});
  const auto phi = [](float x) { return 0.5f * x * (1 + std::erf(x / std::sqrt(2.0f))); };
  const std::vector<std::pair<std::string, std::vector<float>>> expected = {
      {"Relu", {3, 2, 0, 0}},
      {"Relu6", {3, 2, 0, 0}},
      {"Elu", {3, 2, std::expm1(-1.0f), std::expm1(-4.0f)}},
      {"LeakyRelu", {3, 2, -0.5f, -2}},
      {"Tanh", {std::tanh(3.0f), std::tanh(2.0f), std::tanh(-1.0f), std::tanh(-4.0f)}},
      {"Sigmoid", {0.9525741f, 0.8807971f, 0.2689414f, 0.0179862f}},
      {"GeluExact", {phi(3), phi(2), phi(-1), phi(-4)}},
  };
  for (const auto& [name, want] : expected) {
    auto got =
        Run("_FusedMatMul", {{"fused_ops", Names({"BiasAdd", name})}, {"leakyrelu_alpha", 0.5f}},
            {kA, kB, bias});
    ASSERT_TRUE(got.ok()) << name << got.status();
    EXPECT_THAT(*got, testing::Pointwise(testing::FloatNear(1e-5f), want)) << name;
  }
}

TEST_F(FusedTest, UnknownFusionsAndWrongArgumentsAreErrors) {
  const Tensor bias = Tensor::Of<float>({3}, {0, 0, 0});
  const auto unknown = Run("_FusedMatMul", {{"fused_ops", Names({"BiasAdd", "Fold"})}},
                           {kA, kB, Tensor::Of<float>({2}, {0, 0})});
  EXPECT_EQ(unknown.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(Message(unknown.status()), HasSubstr("BiasAdd,Fold"));
  const auto wide = Run("_FusedMatMul", {{"fused_ops", Names({"BiasAdd"})}}, {kA, kB, bias});
  EXPECT_EQ(wide.status().code(), StatusCode::kInvalidArgument);
  const auto missing = Run("_FusedMatMul", {{"fused_ops", Names({"BiasAdd"})}}, {kA, kB});
  EXPECT_EQ(missing.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(FusedTest, ConvolutionAddsBiasAndActivates) {
  // A 3 × 3 image; the filter sums 2 × 2 neighbours. SAME pads below and to the right.
  const Tensor image = Tensor::Of<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor filter = Tensor::Of<float>({2, 2, 1, 1}, {1, 1, 1, 1});
  op::AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                       {"padding", "SAME"},
                       {"fused_ops", Names({"BiasAdd", "Relu"})},
                       {"num_args", 1},
                       {"num_host_args", 0},
                       {"TArgs", std::vector<DType>{DType::kFloat}}};
  auto got = Run("_FusedConv2D", attrs, {image, filter, Tensor::Of<float>({1}, {-16})});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, (std::vector<float>{0, 0, 0, 8, 12, 0, 0, 1, 0}));
}

TEST_F(FusedTest, ConvolutionNormalizes) {
  const Tensor image = Tensor::Of<float>({1, 1, 2, 1}, {1, 3});
  const Tensor filter = Tensor::Of<float>({1, 1, 1, 2}, {1, 2});
  op::AttrMap attrs = {
      {"strides", std::vector<int64_t>{1, 1, 1, 1}},  {"padding", "VALID"}, {"epsilon", 0.0f},
      {"fused_ops", Names({"FusedBatchNorm"})},       {"num_args", 4},      {"num_host_args", 0},
      {"TArgs", std::vector<DType>(4, DType::kFloat)}};
  // By channel: scale, offset, mean, variance.
  auto got = Run("_FusedConv2D", attrs,
                 {image, filter, Tensor::Of<float>({2}, {1, 10}), Tensor::Of<float>({2}, {0, 1}),
                  Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({2}, {1, 4})});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, (std::vector<float>{0, 1, 2, 21}));
}

TEST_F(FusedTest, ParallelConcatWritesRows) {
  auto start = runner_.RunOp("_ParallelConcatStart",
                             {{"shape", PartialShape{2, 2}}, {"dtype", DType::kFloat}}, {});
  ASSERT_TRUE(start.ok()) << start.status();
  for (int64_t row : {1, 0}) {
    const auto value = static_cast<float>(row);
    ASSERT_TRUE(Run("_ParallelConcatUpdate", {{"loc", row}},
                    {(*start)[0], Tensor::Of<float>({1, 2}, {value, value + 5})})
                    .ok());
  }
  EXPECT_EQ((*start)[0], Tensor::Of<float>({2, 2}, {0, 5, 1, 6}));
}

TEST_F(FusedTest, ChainOfUnaryFunctions) {
  auto got = Run("_UnaryOpsComposition", {{"op_names", Names({"Abs", "Sqrt", "Neg"})}},
                 {Tensor::Of<float>({3}, {-4, 9, 0})});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, (std::vector<float>{-2, -3, 0}));
  EXPECT_EQ(
      Run("_UnaryOpsComposition", {{"op_names", Names({"Abs", "Fly"})}}, {kA}).status().code(),
      StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rheo::ops
