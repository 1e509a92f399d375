// Programs on a simulated GPU, through a session: values are copied there and back.
#include <gtest/gtest.h>

#include "rheo/client.h"

namespace rheo::devices::sim {
namespace {

class SimSessionTest : public ::testing::Test {
 protected:
  StatusOr<std::vector<Tensor>> Run(const RunArgs& args) {
    if (!session_.has_value()) {
      SessionOptions options;
      options.config.device_count = {{"GPU", 1}};
      options.config.allow_soft_placement = false;
      StatusOr<Session> created = Session::Create(root_, std::move(options));
      if (!created.ok()) return created.status();
      session_ = *std::move(created);
    }
    return session_->Run(args);
  }

  const Scope root_ = Scope::NewRoot();
  const Scope gpu_ = root_.WithDevice("/device:GPU:0");
  const Output x_ = ops::Placeholder(root_, DType::kFloat);
  std::optional<Session> session_;
};

TEST_F(SimSessionTest, ComputesOnTheDeviceAndCopiesBack) {
  const Output squared = ops::MatMul(gpu_, x_, x_);
  const Output y = ops::AddV2(gpu_, ops::Mul(gpu_, squared, 0.5f), ops::Identity(gpu_, x_));
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  const auto values = Run({.feeds = {{x_, x}}, .fetches = {y, ops::Neg(root_, y)}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0], Tensor::Of<float>({2, 2}, {4.5f, 7, 10.5f, 15}));
  EXPECT_EQ((*values)[1], Tensor::Of<float>({2, 2}, {-4.5f, -7, -10.5f, -15}));
}

TEST_F(SimSessionTest, EmptyTensorsToo) {
  const Output y = ops::AddV2(gpu_, x_, x_);
  const Tensor empty(DType::kFloat, Shape{0, 3});
  const auto values = Run({.feeds = {{x_, empty}}, .fetches = {y}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->front().shape(), (Shape{0, 3}));
}

TEST_F(SimSessionTest, IntegersOfShapesStayInHostMemory) {
  const Output shape = ops::Shape(gpu_, ops::Mul(gpu_, x_, x_));
  const Output reshaped = ops::Reshape(gpu_, ops::Mul(gpu_, x_, x_), ops::Const(gpu_, {4}));
  const auto values = Run({.feeds = {{x_, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})}},
                           .fetches = {ops::AddV2(gpu_, shape, shape), reshaped}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0], Tensor::Vector<int32_t>({4, 4}));
  EXPECT_EQ((*values)[1], Tensor::Vector<float>({1, 4, 9, 16}));
}

TEST_F(SimSessionTest, VariablesLiveOnTheDevice) {
  const Variable v(gpu_.WithName("v"), ops::Const(gpu_, {1.0f, 2.0f}));
  const Operation add = v.AssignAdd(gpu_, x_);
  const Operation descend = builder::AddOp(
      gpu_, "ResourceApplyGradientDescent",
      {v.handle(), Output(ops::Const(gpu_, 0.5f)), Output(ops::Const(gpu_, {2.0f, 4.0f}))});
  ASSERT_TRUE(Run({.targets = {InitializeVariables(root_)}}).ok());
  ASSERT_TRUE(Run({.feeds = {{x_, Tensor::Vector<float>({10, 20})}}, .targets = {add}}).ok());
  const auto before = Run({.fetches = {v}});
  ASSERT_TRUE(Run({.targets = {descend}}).ok());
  const auto after = Run({.fetches = {v}});
  ASSERT_TRUE(before.ok() && after.ok()) << before.status() << after.status();
  EXPECT_EQ(before->front(), Tensor::Vector<float>({11, 22}));
  EXPECT_EQ(after->front(), Tensor::Vector<float>({10, 20}));
}

TEST_F(SimSessionTest, ATraceHasWhatTheDeviceDidAfterTheLastNode) {
  const Tensor zeros(DType::kFloat, Shape{400, 400});
  const Variable v(gpu_.WithName("v"), ops::Const(gpu_, zeros));
  // The nodes are over as soon as their work is handed over; nobody waits for its results.
  Output product = x_;
  for (int i = 0; i < 50; ++i) product = ops::MatMul(gpu_, x_, product);
  const Operation add = v.AssignAdd(gpu_.WithName("add"), product);
  ASSERT_TRUE(Run({.targets = {InitializeVariables(root_)}}).ok());
  service::RunMetadata metadata;
  const auto ran = Run({.feeds = {{x_, zeros}},
                        .targets = {add},
                        .options = {.trace = service::TraceLevel::kFull},
                        .metadata = &metadata});
  ASSERT_TRUE(ran.ok()) << ran.status();
  std::vector<std::string> names;
  for (const auto& device : metadata.step_stats.devices) {
    if (!device.device.ends_with("/device:GPU:0/stream:all")) continue;
    for (const auto& node : device.nodes) names.push_back(node.node_name);
  }
  ASSERT_EQ(names.size(), 51U);
  EXPECT_EQ(names.back(), "add:AssignAddVariableOp");
}

TEST_F(SimSessionTest, WrongShapesAreAnErrorOfTheNode) {
  const Output y = ops::MatMul(gpu_.WithName("product"), x_, x_);
  const auto values = Run({.feeds = {{x_, Tensor(DType::kFloat, Shape{2, 3})}}, .fetches = {y}});
  EXPECT_EQ(values.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(Message(values.status()).find("product"), std::string::npos) << values.status();
}

TEST_F(SimSessionTest, WhatHasNoKernelThereIsRefusedWithoutSoftPlacement) {
  const auto values = Run({.feeds = {{x_, Tensor::Scalar<float>(1)}},
                           .fetches = {ops::Erfinv(gpu_.WithName("inverse"), x_)}});
  EXPECT_EQ(values.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(Message(values.status()).find("inverse"), std::string::npos) << values.status();
}

}  // namespace
}  // namespace rheo::devices::sim
