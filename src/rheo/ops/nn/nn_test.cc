// Every case of the family runs, gives what its shape function says, and fails where it must.
#include <gtest/gtest.h>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/nn/op_cases.h"
#include "rheo/ops/nn/register.h"

namespace rheo::ops {
namespace {

TEST(NnOpsTest, EveryCaseRunsOrFailsAsItMust) {
  const auto registries = MakeTestRegistries(&RegisterNnSchemas, &RegisterNnKernels);
  ASSERT_NE(registries, nullptr);
  ThreadPool pool({.name = "ops", .num_threads = 2});
  KernelRunner runner(registries->ops, registries->kernels, &pool);
  EXPECT_EQ(CheckOpCases(NnOpCases(), runner), "");
}

}  // namespace
}  // namespace rheo::ops
