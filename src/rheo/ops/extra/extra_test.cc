#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/extra/op_cases.h"
#include "rheo/ops/extra/register.h"

namespace rheo::ops {
namespace {

class ExtraOpsTest : public ::testing::Test {
 protected:
  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterExtraSchemas, &RegisterExtraKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(ExtraOpsTest, EveryCaseRunsOrFailsAsItMust) {
  EXPECT_EQ(CheckOpCases(ExtraOpCases(), runner_), "");
}

TEST_F(ExtraOpsTest, AMisspeltAttrOfACaseIsRefused) {
  OpCase wrong = ExtraOpCases().front();
  wrong.attrs = {{{"dleta", 2.0f}}};
  EXPECT_THAT(CheckOpCases({wrong}, runner_),
              ::testing::HasSubstr("has no attr 'dleta'; its attrs are"));
}

TEST_F(ExtraOpsTest, HuberLossIsSquaredWithinDeltaAndLinearBeyond) {
  const Tensor predictions = Tensor::Vector<float>({1, 2, 0, -6});
  const Tensor labels = Tensor::Vector<float>({1, 1, 2, 0});
  const auto loss = runner_.RunOp("HuberLoss", {{"delta", 2.0f}}, {predictions, labels});
  ASSERT_TRUE(loss.ok()) << loss.status();
  EXPECT_EQ(loss->front(), Tensor::Vector<float>({0, 0.5f, 2, 10}));
}

}  // namespace
}  // namespace rheo::ops
