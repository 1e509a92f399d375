#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/ops/collective/register.h"
#include "rheo/ops/common/family_test.h"

namespace rheo::ops {
namespace {

class CollectiveOpsTest : public ::testing::Test {
 protected:
  Status Error(std::string_view op, op::AttrMap attrs, const std::vector<Tensor>& inputs) {
    return runner_.RunOp(op, std::move(attrs), inputs).status();
  }
  static op::AttrMap Keys(int64_t group_size) {
    return {{"group_size", group_size}, {"group_key", int64_t{1}}, {"instance_key", int64_t{2}}};
  }
  static op::AttrMap ReduceAttrs(int64_t group_size) {
    op::AttrMap attrs = Keys(group_size);
    attrs.Set("merge_op", "Add");
    attrs.Set("final_op", "Id");
    attrs.Set("subdiv_offsets", std::vector<int64_t>{0});
    return attrs;
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterCollectiveSchemas, &RegisterCollectiveKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(CollectiveOpsTest, AGroupHasMembers) {
  EXPECT_EQ(Error("CollectiveReduce", ReduceAttrs(0), {Tensor::Scalar(1.0f)}).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(CollectiveOpsTest, KeysThatAreAttributesFitInt32) {
  for (const char* name : {"group_size", "group_key", "instance_key"}) {
    op::AttrMap attrs = ReduceAttrs(2);
    attrs.Set(name, int64_t{1} << 32);
    const Status error = Error("CollectiveReduce", attrs, {Tensor::Scalar(1.0f)});
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(Message(error).find(std::string("Attr ") + name), std::string_view::npos) << error;
  }
}

TEST_F(CollectiveOpsTest, AStepWithoutCollectivesSaysSo) {
  EXPECT_EQ(Error("CollectiveReduce", ReduceAttrs(2), {Tensor::Scalar(1.0f)}).code(),
            StatusCode::kInternal);
}

TEST_F(CollectiveOpsTest, KeysThatAreInputsAreScalars) {
  const Tensor key = Tensor::Scalar(int32_t{1});
  EXPECT_EQ(Error("CollectiveReduceV2", {{"merge_op", "Add"}, {"final_op", "Id"}},
                  {Tensor::Scalar(1.0f), Tensor::Vector<int32_t>({2}), key, key})
                .code(),
            StatusCode::kInvalidArgument);
}

TEST_F(CollectiveOpsTest, WhatIsGatheredHasRows) {
  const Tensor key = Tensor::Scalar(int32_t{1});
  EXPECT_EQ(Error("CollectiveGatherV2", {}, {Tensor::Scalar(1.0f), key, key, key}).code(),
            StatusCode::kInvalidArgument);
  const Tensor none = Tensor::Scalar(int32_t{0});
  const Status empty =
      Error("CollectiveGatherV2", {}, {Tensor::Vector<float>({1}), none, key, key});
  EXPECT_EQ(empty.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(empty.message(), ::testing::HasSubstr("group_size must be positive"));
}

TEST_F(CollectiveOpsTest, WhatIsSentHasTheDeclaredShape) {
  op::AttrMap attrs = Keys(2);
  attrs.Set("shape", PartialShape{3});
  EXPECT_EQ(Error("CollectiveBcastSend", attrs, {Tensor::Vector<float>({1, 2})}).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rheo::ops
