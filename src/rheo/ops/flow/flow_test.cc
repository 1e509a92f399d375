#include <gtest/gtest.h>

#include "rheo/kernel/function_caller.h"
#include "rheo/ops/common/family_test.h"
#include "rheo/ops/flow/register.h"
#include "rheo/rendezvous/local_rendezvous.h"

namespace rheo::ops {
namespace {

using kernel::RefVariable;
using kernel::Value;

class FlowTest : public ::testing::Test {
 protected:
  // A kernel made for inputs like `example`.
  std::unique_ptr<PreparedKernel> Prepare(std::string_view op, op::AttrMap attrs,
                                          const std::vector<Tensor>& example = {}) {
    StatusOr<std::unique_ptr<PreparedKernel>> made = runner_.Prepare(op, std::move(attrs), example);
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  // Runs without any check; an empty tensor is a dead input.
  static StatusOr<std::vector<Value>> Run(PreparedKernel& kernel, std::vector<Tensor> inputs) {
    std::vector<Value> values;
    for (Tensor& t : inputs) {
      const Value::State state = t.has_value() ? Value::State::kLive : Value::State::kDead;
      values.push_back({.state = state, .tensor = std::move(t), .ref = nullptr});
    }
    std::vector<Value> outputs(kernel.types().outputs.size());
    RHEO_RETURN_IF_ERROR(kernel.RunUnchecked(values, outputs));
    return outputs;
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterFlowSchemas, &RegisterFlowKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(FlowTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, FlowOps()); }

TEST_F(FlowTest, SwitchSetsTheTakenOutputOnlyAndSharesTheBuffer) {
  const Tensor data = Tensor::Of<float>({2}, {1, 2});
  auto kernel = Prepare("Switch", {}, {data, Tensor::Scalar(true)});
  for (const bool pred : {false, true}) {
    auto out = Run(*kernel, {data, Tensor::Scalar(pred)});
    ASSERT_TRUE(out.ok()) << out.status();
    const size_t taken = pred ? 1 : 0;
    EXPECT_EQ((*out)[taken].state, Value::State::kLive);
    EXPECT_TRUE((*out)[taken].tensor.SharesBufferWith(data));
    EXPECT_EQ((*out)[1 - taken].state, Value::State::kAbsent);
  }
  EXPECT_EQ(Run(*kernel, {data, Tensor::Of<bool>({2}, {true, false})}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(FlowTest, SwitchNTakesTheLastOutputForAnIndexOutOfRange) {
  const Tensor data = Tensor::Scalar<int32_t>(7);
  auto kernel = Prepare("_SwitchN", {{"num_outs", 3}}, {data, Tensor::Scalar<int32_t>(0)});
  for (const auto& [index, taken] :
       {std::pair{0, 0}, std::pair{1, 1}, std::pair{5, 2}, std::pair{-1, 2}}) {
    auto out = Run(*kernel, {data, Tensor::Scalar<int32_t>(index)});
    ASSERT_TRUE(out.ok()) << out.status();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ((*out)[static_cast<size_t>(i)].state == Value::State::kLive, i == taken);
    }
  }
}

TEST_F(FlowTest, MergeGivesTheLiveInputAndItsIndex) {
  const Tensor live = Tensor::Scalar<float>(3);
  auto kernel = Prepare("Merge", {}, {live, live, live});
  auto out = Run(*kernel, {Tensor(), live, Tensor()});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE((*out)[0].tensor.SharesBufferWith(live));
  EXPECT_EQ((*out)[1].tensor, Tensor::Scalar<int32_t>(1));
}

TEST_F(FlowTest, ReferenceFormsHandOnTheVariable) {
  auto variable = std::make_shared<RefVariable>("v", DType::kFloat);
  const Tensor example = Tensor::Scalar<float>(0);
  for (const char* op : {"RefEnter", "RefExit", "RefNextIteration", "RefIdentity"}) {
    op::AttrMap attrs;
    if (std::string_view(op) == "RefEnter") attrs.Set("frame_name", "f");
    auto kernel = Prepare(op, attrs, {example});
    std::vector<Value> inputs = {{.state = Value::State::kLive, .tensor = {}, .ref = variable}};
    std::vector<Value> outputs(1);
    ASSERT_TRUE(kernel->RunUnchecked(inputs, outputs).ok());
    EXPECT_EQ(outputs[0].ref, variable) << op;
  }
  auto kernel = Prepare("RefSwitch", {}, {example, Tensor::Scalar(true)});
  std::vector<Value> inputs = {
      {.state = Value::State::kLive, .tensor = {}, .ref = variable},
      {.state = Value::State::kLive, .tensor = Tensor::Scalar(true), .ref = nullptr}};
  std::vector<Value> outputs(2);
  ASSERT_TRUE(kernel->RunUnchecked(inputs, outputs).ok());
  EXPECT_EQ(outputs[1].ref, variable);
  EXPECT_EQ(outputs[0].state, Value::State::kAbsent);
}

TEST_F(FlowTest, AbortFailsTheStepOnly) {
  auto kernel = Prepare("Abort", {{"error_msg", "stop here"}});
  const Status status = Run(*kernel, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_NE(Message(status).find("stop here"), std::string_view::npos);
  EXPECT_TRUE(Run(*Prepare("Abort", {{"exit_without_error", true}}), {}).ok());
}

class TransferTest : public FlowTest {
 protected:
  op::AttrMap KeyAttrs() const {
    return {{"tensor_name", "edge_1_x"},
            {"send_device", "/job:a/replica:0/task:0/device:CPU:0"},
            {"send_device_incarnation", int64_t{-2}},
            {"recv_device", "/job:b/replica:0/task:0/device:CPU:0"}};
  }
  std::unique_ptr<PreparedKernel> Send() {
    auto kernel = Prepare("_Send", KeyAttrs(), {Tensor::Scalar<float>(0)});
    kernel->step().rendezvous = &rendezvous_;
    return kernel;
  }
  std::unique_ptr<PreparedKernel> Recv() {
    op::AttrMap attrs = KeyAttrs();
    attrs.Set("tensor_type", DType::kFloat);
    auto kernel = Prepare("_HostRecv", attrs);
    kernel->step().rendezvous = &rendezvous_;
    return kernel;
  }

  rendezvous::LocalRendezvous rendezvous_;
};

TEST_F(TransferTest, AValueArrivesWithItsBuffer) {
  const Tensor value = Tensor::Scalar<float>(4);
  ASSERT_TRUE(Run(*Send(), {value}).ok());
  auto out = Run(*Recv(), {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE((*out)[0].tensor.SharesBufferWith(value));
}

TEST_F(TransferTest, TheKeyIsMadeOfTheAttrs) {
  ASSERT_TRUE(Run(*Send(), {Tensor::Scalar<float>(4)}).ok());
  const rendezvous::RendezvousKey key(
      rendezvous::Channel{.src_device = "/job:a/replica:0/task:0/device:CPU:0",
                          .src_incarnation = Incarnation(~uint64_t{1}),
                          .dst_device = "/job:b/replica:0/task:0/device:CPU:0",
                          .edge = "edge_1_x"});
  EXPECT_TRUE(rendezvous_.TryTake(key).ok());
}

TEST_F(TransferTest, DeadnessTravels) {
  auto recv = Recv();
  const rendezvous::RendezvousKey key(
      rendezvous::Channel{.src_device = "/job:a/replica:0/task:0/device:CPU:0",
                          .src_incarnation = Incarnation(~uint64_t{1}),
                          .dst_device = "/job:b/replica:0/task:0/device:CPU:0",
                          .edge = "edge_1_x"});
  ASSERT_TRUE(rendezvous_.Send(key, {.tensor = {}, .is_dead = true}).ok());
  auto out = Run(*recv, {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].state, Value::State::kDead);
}

TEST_F(TransferTest, AnAbortReachesTheReceiver) {
  rendezvous_.Abort(Aborted("gone"));
  EXPECT_EQ(Run(*Recv(), {}).status().code(), StatusCode::kAborted);
}

TEST_F(FlowTest, ArgumentsAndResultsGoThroughTheCallFrame) {
  kernel::CallFrame frame{.arguments = {Tensor::Scalar<float>(1), Tensor::Scalar<int32_t>(2)},
                          .results = std::vector<Tensor>(1)};
  auto arg = Prepare("_Arg", {{"T", DType::kInt32}, {"index", 1}});
  EXPECT_EQ(Run(*arg, {}).status().code(), StatusCode::kInternal);
  arg->step().call = &frame;
  auto out = Run(*arg, {});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].tensor, Tensor::Scalar<int32_t>(2));

  auto retval = Prepare("_Retval", {{"index", 0}}, {Tensor::Scalar<float>(0)});
  retval->step().call = &frame;
  ASSERT_TRUE(Run(*retval, {Tensor::Scalar<float>(9)}).ok());
  EXPECT_EQ(frame.results[0], Tensor::Scalar<float>(9));

  auto wrong = Prepare("_Arg", {{"T", DType::kFloat}, {"index", 1}});
  wrong->step().call = &frame;
  EXPECT_EQ(Run(*wrong, {}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rheo::ops
