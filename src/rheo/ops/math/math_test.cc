// Every case of the family runs, gives what its shape function says, and fails where it must.
#include <gtest/gtest.h>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/math/op_cases.h"
#include "rheo/ops/math/register.h"

namespace rheo::ops {
namespace {

TEST(MathOpsTest, EveryCaseRunsOrFailsAsItMust) {
  const auto registries = MakeTestRegistries(&RegisterMathSchemas, &RegisterMathKernels);
  ASSERT_NE(registries, nullptr);
  ThreadPool pool({.name = "ops", .num_threads = 2});
  KernelRunner runner(registries->ops, registries->kernels, &pool);
  EXPECT_EQ(CheckOpCases(MathOpCases(), runner), "");
}

TEST(MathOpsTest, VariantsAreBroadcast) {
  const auto registries = MakeTestRegistries(&RegisterMathSchemas, &RegisterMathKernels);
  ASSERT_NE(registries, nullptr);
  ThreadPool pool({.name = "ops", .num_threads = 2});
  KernelRunner runner(registries->ops, registries->kernels, &pool);
  auto list = std::make_shared<TensorList>();
  list->element_dtype = DType::kInt64;
  const std::vector<Tensor> inputs = {Tensor::Scalar(Variant(std::move(list))),
                                      Tensor::Vector<int32_t>({2, 3})};
  const auto kernel = runner.Prepare("BroadcastTo", {{"T", DType::kVariant}}, inputs);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const auto outputs = (*kernel)->Run(inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ((*outputs)[0].shape(), Shape({2, 3}));
  for (const Variant& element : (*outputs)[0].flat<Variant>()) {
    ASSERT_NE(element.As<TensorList>(), nullptr);
    EXPECT_EQ(element.As<TensorList>()->element_dtype, DType::kInt64);
  }
}

}  // namespace
}  // namespace rheo::ops
