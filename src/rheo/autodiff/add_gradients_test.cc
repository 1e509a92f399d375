#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/builder/operators.h"
#include "rheo/builder/ops.h"
#include "rheo/op/op_registry.h"

namespace rheo::autodiff {
namespace {

namespace ops = builder::ops;
using builder::Operation;
using builder::Output;
using builder::Scope;
using testing::HasSubstr;

StatusOr<std::vector<Output>> MulGradient(const Scope& scope, const Operation& op,
                                          const std::vector<Output>& grads) {
  return std::vector<Output>{ops::Mul(scope, grads[0], op.input(1)),
                             ops::Mul(scope, grads[0], op.input(0))};
}

StatusOr<std::vector<Output>> PassThrough(const Scope&, const Operation& op,
                                          const std::vector<Output>& grads) {
  return std::vector<Output>(static_cast<size_t>(op.num_inputs()), grads[0]);
}

class AddGradientsTest : public testing::Test {
 protected:
  AddGradientsTest() {
    EXPECT_TRUE(registry_.AddTable(op::PublicOpTable()).ok());
    scope_.emplace(Scope::NewRoot(registry_));
    gradients_.Add("Mul", MulGradient);
    gradients_.Add("AddV2", PassThrough);
    gradients_.Add("Identity", PassThrough);
    gradients_.AddNotDifferentiable("StopGradient");
  }

  const Scope& g() const { return *scope_; }
  Output Float(const char* name) {
    return ops::Placeholder(g().WithName(name), DType::kFloat, {.shape = {}});
  }
  StatusOr<std::vector<Output>> Gradients(const std::vector<Output>& ys,
                                          const std::vector<Output>& xs,
                                          const std::vector<Output>& grad_ys = {}) {
    return AddGradients(g(), ys, xs, grad_ys, gradients_);
  }

  op::OpRegistry registry_;
  std::optional<Scope> scope_;
  GradientRegistry gradients_;
};

TEST_F(AddGradientsTest, FollowsAChainToEachInput) {
  const Output a = Float("a");
  const Output b = Float("b");
  const auto grads = Gradients({ops::Mul(g().WithName("y"), a, b)}, {a, b});
  ASSERT_TRUE(grads.ok()) << grads.status();
  const Operation to_a = (*grads)[0].op();
  EXPECT_EQ(to_a.node()->op(), "Mul");
  EXPECT_EQ(to_a.input(1), b);
  EXPECT_EQ((*grads)[1].op().input(1), a);
  EXPECT_EQ(to_a.name(), "gradients/y_grad/Mul");
}

TEST_F(AddGradientsTest, ReachesAnInputWhoseOwnOpIsNotDifferentiable) {
  gradients_.AddNotDifferentiable("Placeholder");
  const Output a = Float("a");
  const auto grads = Gradients({ops::Mul(g(), a, a)}, {a});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_TRUE((*grads)[0].has_value());
}

TEST_F(AddGradientsTest, SumsOverAllUsesOfAnInput) {
  const Output a = Float("a");
  const Output twice = a + a;
  const auto grads = Gradients({ops::Mul(g(), twice, a)}, {a});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_EQ((*grads)[0].node()->op(), "AddN");
  EXPECT_EQ((*grads)[0].op().num_inputs(), 3);
}

TEST_F(AddGradientsTest, SumsOverSeveralYsAndTakesTheirGradients) {
  const Output a = Float("a");
  const Output given = Float("given");
  const Output y1 = ops::Identity(g(), a);
  const Output y2 = ops::Identity(g(), a);
  const auto grads = Gradients({y1, y2}, {a}, {given, Output()});
  ASSERT_TRUE(grads.ok()) << grads.status();
  const Operation sum = (*grads)[0].op();
  ASSERT_EQ(sum.num_inputs(), 2);
  EXPECT_TRUE(sum.input(0) == given || sum.input(1) == given);
}

TEST_F(AddGradientsTest, GradientOfAnIntermediateNeedsNoGradientOfItsOp) {
  const Output a = Float("a");
  const Output middle = ops::Tanh(g(), a);  // Tanh has no gradient here
  const auto grads = Gradients({ops::Identity(g(), middle)}, {middle});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_TRUE((*grads)[0].has_value());
}

TEST_F(AddGradientsTest, IsEmptyWhereNothingDepends) {
  const Output a = Float("a");
  const Output b = Float("b");
  const auto grads = Gradients({ops::Identity(g(), a)}, {b, a});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_FALSE((*grads)[0].has_value());
  EXPECT_TRUE((*grads)[1].has_value());
}

TEST_F(AddGradientsTest, StopsAtWhatIsNotDifferentiable) {
  const Output a = Float("a");
  // Tanh has no gradient, but none is asked of it: nothing flows past StopGradient.
  const Output y = ops::Tanh(g(), ops::StopGradient(g(), a));
  const auto grads = Gradients({y}, {a});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_FALSE((*grads)[0].has_value());
}

TEST_F(AddGradientsTest, NamesTheOpWithoutGradient) {
  const Output a = Float("a");
  const auto grads = Gradients({ops::Tanh(g().WithName("squash"), a)}, {a});
  EXPECT_EQ(grads.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(grads.status())),
              HasSubstr("node 'squash' (Tanh) has no gradient"));
}

TEST_F(AddGradientsTest, ControlFlowIsUnimplemented) {
  const Output a = Float("a");
  const Output pred = ops::Placeholder(g(), DType::kBool, {.shape = {}});
  const auto grads = Gradients({ops::Switch(g(), a, pred).output_true}, {a});
  EXPECT_EQ(grads.status().code(), StatusCode::kUnimplemented);
}

TEST_F(AddGradientsTest, RefusesYsThatAreNotFloating) {
  const Output i = ops::Placeholder(g(), DType::kInt32);
  EXPECT_EQ(Gradients({i}, {i}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(AddGradientsTest, RefusesAGivenGradientOfAnotherType) {
  const Output a = Float("a");
  const Output wrong = ops::Placeholder(g(), DType::kDouble);
  EXPECT_EQ(Gradients({a}, {a}, {wrong}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(AddGradientsTest, RefusesAGradientFunctionOfTheWrongCount) {
  gradients_.Add("Tanh", [](const Scope&, const Operation&, const std::vector<Output>&) {
    return StatusOr<std::vector<Output>>(std::vector<Output>(2));
  });
  const Output a = Float("a");
  EXPECT_EQ(Gradients({ops::Tanh(g(), a)}, {a}).status().code(), StatusCode::kInternal);
}

TEST_F(AddGradientsTest, OfItselfIsOne) {
  const Output a = Float("a");
  const auto grads = Gradients({a}, {a});
  ASSERT_TRUE(grads.ok()) << grads.status();
  EXPECT_TRUE((*grads)[0].has_value());
}

TEST(GradientRegistryTest, FindsAndLists) {
  GradientRegistry registry;
  registry.Add("B", PassThrough);
  registry.AddNotDifferentiable("A");
  EXPECT_EQ(registry.Find("C"), nullptr);
  EXPECT_NE(registry.Find("A"), nullptr);
  EXPECT_TRUE(registry.IsNotDifferentiable("A"));
  EXPECT_FALSE(registry.IsNotDifferentiable("B"));
  EXPECT_EQ(registry.Ops(), (std::vector<std::string>{"A", "B"}));
}

}  // namespace
}  // namespace rheo::autodiff
