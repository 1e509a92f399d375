// Every case of the family runs, gives what its shape function says, and fails where it must.
#include <gtest/gtest.h>

#include "rheo/ops/common/kernel_test_util.h"
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

}  // namespace
}  // namespace rheo::ops
