#include <gtest/gtest.h>

#include "rheo/ops/common/family_test.h"
#include "rheo/ops/data_flow/register.h"

namespace rheo::ops {
namespace {

using kernel::Value;
using Tensors = std::vector<Tensor>;

class DataFlowTest : public ::testing::Test {
 protected:
  // Runs a prepared kernel whose inputs may be references.
  static StatusOr<std::vector<Value>> Run(PreparedKernel& kernel, std::vector<Value> inputs) {
    std::vector<Value> outputs(kernel.types().outputs.size());
    RHEO_RETURN_IF_ERROR(kernel.RunUnchecked(inputs, outputs));
    return outputs;
  }
  static Value OfTensor(Tensor tensor) {
    return {.state = Value::State::kLive, .tensor = std::move(tensor), .ref = nullptr};
  }
  StatusOr<Tensors> RunOp(std::string_view op, Tensors inputs, op::AttrMap attrs = {}) {
    return runner_.RunOp(op, std::move(attrs), std::move(inputs));
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterDataFlowSchemas, &RegisterDataFlowKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(DataFlowTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, DataFlowOps()); }

const op::AttrMap kPaddingAttrs = {{"component_types", std::vector<DType>{DType::kInt32}},
                                   {"shapes", std::vector<PartialShape>{{kUnknownDim}}},
                                   {"shared_name", "padding"}};

TEST_F(DataFlowTest, PaddingQueueFillsBatchesWithZeros) {
  const Tensors handle = *RunOp("PaddingFIFOQueueV2", {}, kPaddingAttrs);
  ASSERT_TRUE(RunOp("QueueEnqueueV2", {handle[0], Tensor::Vector<int32_t>({1, 2})}).ok());
  ASSERT_TRUE(RunOp("QueueEnqueueV2", {handle[0], Tensor::Vector<int32_t>({3})}).ok());
  const op::AttrMap types = {{"component_types", std::vector<DType>{DType::kInt32}}};
  const auto batch = RunOp("QueueDequeueManyV2", {handle[0], Tensor::Scalar<int32_t>(2)}, types);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0], Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 0}));
}

TEST_F(DataFlowTest, SignaturesMustFit) {
  const Tensors handle = *RunOp("PaddingFIFOQueueV2", {}, kPaddingAttrs);
  EXPECT_EQ(Message(RunOp("QueueEnqueueV2", {handle[0], Tensor::Scalar<float>(1)}).status()),
            "Signature mismatch, have: resource, float-> expected: resource, int32->");
  const op::AttrMap floats = {{"component_types", std::vector<DType>{DType::kFloat}}};
  EXPECT_EQ(Message(RunOp("QueueDequeueV2", {handle[0]}, floats).status()),
            "Signature mismatch, have: resource->float expected: resource->int32");
  op::AttrMap timeout = floats;
  timeout.Set("timeout_ms", 5);
  EXPECT_TRUE(Message(RunOp("QueueDequeueV2", {handle[0]}, timeout).status())
                  .starts_with("Timeout not supported yet."));
}

TEST_F(DataFlowTest, QueuesBehindReferencesWorkAlike) {
  const std::vector<DType> types = {DType::kInt32};
  const auto make = runner_.Prepare("FIFOQueue", {{"component_types", types}}, {});
  ASSERT_TRUE(make.ok()) << make.status();
  const Value handle = (*Run(**make, {}))[0];
  const auto example = Tensors{Tensor::Scalar("")};
  const auto put = runner_.Prepare("QueueEnqueueMany", {{"Tcomponents", types}},
                                   {example[0], Tensor::Scalar<int32_t>(0)});
  ASSERT_TRUE(put.ok()) << put.status();
  ASSERT_TRUE(Run(**put, {handle, OfTensor(Tensor::Vector<int32_t>({1, 2}))}).ok());
  const auto size = runner_.Prepare("QueueSize", {}, example);
  EXPECT_EQ((*Run(**size, {handle}))[0].tensor, Tensor::Scalar<int32_t>(2));
  const auto take = runner_.Prepare("QueueDequeue", {{"component_types", types}}, example);
  EXPECT_EQ((*Run(**take, {handle}))[0].tensor, Tensor::Scalar<int32_t>(1));
  const auto close = runner_.Prepare("QueueClose", {}, example);
  ASSERT_TRUE(Run(**close, {handle}).ok());
  const auto is_closed = runner_.Prepare("QueueIsClosed", {}, example);
  EXPECT_EQ((*Run(**is_closed, {handle}))[0].tensor, Tensor::Scalar(true));
}

TEST_F(DataFlowTest, AnUnnamedQueueEndsWithItsNode) {
  {
    auto make = runner_.Prepare("FIFOQueueV2",
                                {{"component_types", std::vector<DType>{DType::kInt32}}}, {});
    ASSERT_TRUE((*make)->Run({}).ok());
    ASSERT_TRUE((*make)->Run({}).ok());
    EXPECT_EQ(runner_.resources().size(), 1u);
  }
  EXPECT_EQ(runner_.resources().size(), 0u);
}

TEST_F(DataFlowTest, StagingAreasGiveTheOldestFirst) {
  const op::AttrMap where = {{"shared_name", "area"}};
  op::AttrMap ints = where;
  ints.Set("dtypes", std::vector<DType>{DType::kInt32});
  for (const int32_t i : {1, 2, 3}) ASSERT_TRUE(RunOp("Stage", {Tensor::Scalar(i)}, where).ok());
  EXPECT_EQ((*RunOp("StagePeek", {Tensor::Scalar<int32_t>(1)}, ints))[0],
            Tensor::Scalar<int32_t>(2));
  EXPECT_EQ((*RunOp("Unstage", {}, ints))[0], Tensor::Scalar<int32_t>(1));
  EXPECT_EQ((*RunOp("StageSize", {}, ints))[0], Tensor::Scalar<int32_t>(2));
  op::AttrMap two = where;
  two.Set("dtypes", std::vector<DType>{DType::kInt32, DType::kInt32});
  EXPECT_EQ(Message(RunOp("Unstage", {}, two).status()), "Mismatch stage/unstage: 1 vs. 2");
  ASSERT_TRUE(RunOp("StageClear", {}, ints).ok());
  EXPECT_EQ((*RunOp("StageSize", {}, ints))[0], Tensor::Scalar<int32_t>(0));
}

TEST_F(DataFlowTest, StagingMapsGiveTuplesByKey) {
  const auto ints = [](std::string_view attr, size_t n) {
    op::AttrMap attrs = {{"shared_name", "map"}};
    attrs.Set(attr, std::vector<DType>(n, DType::kInt32));
    return attrs;
  };
  const auto put = [&](int64_t key, std::vector<int32_t> positions) {
    Tensors inputs = {Tensor::Scalar(key), Tensor::Vector(positions)};
    for (const int32_t p : positions) inputs.push_back(Tensor::Scalar<int32_t>(p + 10));
    return RunOp("MapStage", std::move(inputs), ints("dtypes", 2)).status();
  };
  const Tensor first = Tensor::Vector<int32_t>({0});
  ASSERT_TRUE(put(7, {0}).ok());
  EXPECT_EQ((*RunOp("MapIncompleteSize", {}, ints("dtypes", 2)))[0], Tensor::Scalar<int32_t>(1));
  EXPECT_EQ(put(7, {0}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Message(put(7, {1, 0})).starts_with("Indices are not strictly ordered"));
  ASSERT_TRUE(put(7, {1}).ok());
  EXPECT_EQ((*RunOp("MapSize", {}, ints("dtypes", 2)))[0], Tensor::Scalar<int32_t>(1));
  const Tensor key = Tensor::Scalar<int64_t>(7);
  EXPECT_EQ((*RunOp("MapPeek", {key, first}, ints("dtypes", 1)))[0], Tensor::Scalar<int32_t>(10));
  EXPECT_EQ((*RunOp("MapUnstage", {key, first}, ints("dtypes", 1)))[0],
            Tensor::Scalar<int32_t>(10));
  EXPECT_TRUE(Message(RunOp("MapUnstage", {key, first}, ints("dtypes", 1)).status())
                  .starts_with("Tensor at index '0' for key '7' has already been removed."));
  const auto any = RunOp("MapUnstageNoKey", {Tensor::Vector<int32_t>({1})}, ints("dtypes", 1));
  ASSERT_TRUE(any.ok()) << any.status();
  EXPECT_EQ((*any)[0], key);
  EXPECT_EQ((*any)[1], Tensor::Scalar<int32_t>(11));
  EXPECT_EQ((*RunOp("MapSize", {}, ints("dtypes", 2)))[0], Tensor::Scalar<int32_t>(0));
}

TEST_F(DataFlowTest, AStagingAreaHasALimit) {
  const op::AttrMap limited = {{"shared_name", "small"}, {"memory_limit", 10}};
  EXPECT_EQ(RunOp("Stage", {Tensor(DType::kFloat, {100})}, limited).status().code(),
            StatusCode::kResourceExhausted);
}

TEST_F(DataFlowTest, StacksGiveTheLastFirst) {
  // One step: the stack lives in the step's resources.
  kernel::ResourceManager step("step");
  const auto run = [&](std::string_view op, Tensors inputs, op::AttrMap attrs = {}) {
    auto kernel = *runner_.Prepare(op, std::move(attrs), inputs);
    kernel->step().step_resources = &step;
    return kernel->Run(std::move(inputs));
  };
  const Tensor handle =
      (*run("StackV2", {Tensor::Scalar<int32_t>(2)}, {{"elem_type", DType::kFloat}}))[0];
  ASSERT_TRUE(run("StackPushV2", {handle, Tensor::Scalar<float>(1)}).ok());
  EXPECT_EQ((*run("StackPushV2", {handle, Tensor::Scalar<float>(2)}))[0], Tensor::Scalar<float>(2));
  const Status full = run("StackPushV2", {handle, Tensor::Scalar<float>(3)}).status();
  EXPECT_EQ(full.code(), StatusCode::kInvalidArgument);
  const op::AttrMap floats = {{"elem_type", DType::kFloat}};
  EXPECT_EQ((*run("StackPopV2", {handle}, floats))[0], Tensor::Scalar<float>(2));
  EXPECT_EQ((*run("StackPopV2", {handle}, floats))[0], Tensor::Scalar<float>(1));
  EXPECT_EQ(run("StackPopV2", {handle}, floats).status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(run("StackCloseV2", {handle}).ok());
  EXPECT_EQ(run("StackPopV2", {handle}, floats).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rheo::ops
