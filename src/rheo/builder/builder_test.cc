#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "rheo/builder/operators.h"
#include "rheo/builder/ops.h"
#include "rheo/builder/scope.h"
#include "rheo/op/op_registry.h"
#include "rheo/op/shape_context.h"

namespace rheo::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BuilderTest : public testing::Test {
 protected:
  BuilderTest() {
    EXPECT_TRUE(registry_.AddTable(op::PublicOpTable()).ok());
    EXPECT_TRUE(registry_.SetShapeFn("Placeholder", ShapeOfAttr).ok());
    EXPECT_TRUE(registry_.SetShapeFn("AddV2", op::BroadcastBinaryShape).ok());
    scope_.emplace(Scope::NewRoot(registry_));
  }
  static Status ShapeOfAttr(op::ShapeContext& c) {
    c.set_output(0, c.attrs().GetOr<PartialShape>("shape", PartialShape()));
    return OkStatus();
  }

  const Scope& g() const { return *scope_; }
  Output Float(const char* name, PartialShape shape = {}) {
    return ops::Placeholder(g().WithName(name), DType::kFloat, {.shape = shape});
  }
  std::string Error() const { return std::string(Message(g().status())); }
  static DType TypeAttr(const Output& output, const char* name = "T") {
    return output.node()->attrs().GetOr<DType>(name, DType::kInvalid);
  }
  static Tensor ValueOf(const Output& constant) {
    EXPECT_EQ(constant.node()->op(), "Const");
    return constant.node()->attrs().GetOr<Tensor>("value", Tensor());
  }

  op::OpRegistry registry_;
  std::optional<Scope> scope_;
};

TEST_F(BuilderTest, NamesAreUniqueWithinThePrefix) {
  EXPECT_EQ(Float("x").op().name(), "x");
  EXPECT_EQ(Float("x").op().name(), "x_1");
  EXPECT_EQ(Float("x").op().name(), "x_2");
  const Scope layer = g().SubScope("layer");
  EXPECT_EQ(ops::NoOp(layer).name(), "layer/NoOp");
  EXPECT_EQ(ops::NoOp(g().SubScope("layer")).name(), "layer_1/NoOp");
  EXPECT_EQ(ops::NoOp(layer.SubScope("in").WithName("n")).name(), "layer/in/n");
  EXPECT_EQ(ops::NoOp(g().WithPrefix("layer")).name(), "layer/NoOp_1");
}

TEST_F(BuilderTest, RespectsNamesOfNodesAddedToTheGraph) {
  ASSERT_TRUE(g().graph().AddNode({.name = "x", .op = "NoOp"}).ok());
  EXPECT_EQ(Float("x").op().name(), "x_1");
}

TEST_F(BuilderTest, InfersTypesNumbersAndTypeLists) {
  const Output x = Float("x");
  const Output i = ops::Placeholder(g(), DType::kInt64);
  EXPECT_EQ(TypeAttr(ops::MatMul(g(), x, x)), DType::kFloat);
  const Output sum = ops::AddN(g(), {x, x, x});
  EXPECT_EQ(sum.node()->attrs().GetOr<int64_t>("N", 0), 3);
  const std::vector<Output> same = ops::IdentityN(g(), {x, i});
  ASSERT_EQ(same.size(), 2u);
  EXPECT_EQ(same[1].dtype(), DType::kInt64);
  EXPECT_TRUE(g().status().ok()) << Error();
}

TEST_F(BuilderTest, AddOpDealsFlatInputsOut) {
  const Output x = Float("x");
  const Output axis = ScalarConst(g(), int32_t{0});
  const Operation concat = AddOp(g(), "ConcatV2", {x, x, axis});
  ASSERT_TRUE(concat.has_value()) << Error();
  EXPECT_EQ(concat.node()->attrs().GetOr<int64_t>("N", 0), 2);
  EXPECT_EQ(TypeAttr(concat, "Tidx"), DType::kInt32);
  EXPECT_FALSE(AddOp(g(), "MatMul", {x}).has_value());
  EXPECT_THAT(Error(), AllOf(HasSubstr("'MatMul'"), HasSubstr("1 inputs"), HasSubstr("takes 2")));
}

TEST_F(BuilderTest, GivesSeveralOutputsAsAStructAndListsAsAVector) {
  const auto topk = ops::TopKV2(g(), Float("x"), 3);
  EXPECT_EQ(topk.indices, topk.operation.output(1));
  EXPECT_EQ(topk.indices.dtype(), DType::kInt32);
  EXPECT_EQ(ops::Split(g(), 0, Float("x"), 4).size(), 4u);
  EXPECT_TRUE(g().status().ok()) << Error();
}

TEST_F(BuilderTest, SetsOptionalAttrs) {
  const Output x = Float("x");
  const Output y = ops::MatMul(g(), x, x, {.transpose_b = true});
  EXPECT_TRUE(y.node()->attrs().GetOr<bool>("transpose_b", false));
  EXPECT_FALSE(y.node()->attrs().GetOr<bool>("transpose_a", true));
}

TEST_F(BuilderTest, LiteralsTakeTheDtypeOfTheOtherOperand) {
  const Output x = ops::Placeholder(g(), DType::kDouble);
  const Output y = ops::Mul(g().WithName("y"), 2, x);
  ASSERT_TRUE(y.has_value()) << Error();
  EXPECT_EQ(y.dtype(), DType::kDouble);
  EXPECT_EQ(ValueOf(y.op().input(0)), Tensor::Scalar(2.0));
  EXPECT_EQ(y.op().input(0).op().name(), "y/x");
}

TEST_F(BuilderTest, LiteralsTakeTheDefaultOfTheirAttr) {
  const Output y = ops::Reshape(g(), Float("x"), {-1, 64});
  ASSERT_TRUE(y.has_value()) << Error();
  EXPECT_EQ(ValueOf(y.op().input(1)), Tensor::Of<int32_t>({2}, {-1, 64}));
  const Output sum = ops::Sum(g(), Float("x"), 0);
  EXPECT_EQ(TypeAttr(sum, "Tidx"), DType::kInt32);
}

TEST_F(BuilderTest, LiteralsThatDoNotFitAreRefused) {
  EXPECT_FALSE(ops::Mul(g(), ops::Placeholder(g(), DType::kInt32), 2.5).has_value());
  EXPECT_THAT(Error(), HasSubstr("the literal 2.5 is not a value of int32"));
}

TEST_F(BuilderTest, TensorsKeepTheirDtype) {
  EXPECT_FALSE(ops::Mul(g(), Float("x"), Tensor::Scalar(2.0)).has_value());
  EXPECT_EQ(g().status().code(), StatusCode::kInvalidArgument);
}

TEST_F(BuilderTest, OperatorsBuildWhereTheLeftOperandIs) {
  const Scope layer = g().SubScope("layer").WithDevice("/job:ps/task:1");
  const Output x = ops::Placeholder(layer.WithName("x"), DType::kFloat);
  const Output y = -(2 * x + 1 - x) / Float("z");
  ASSERT_TRUE(y.has_value()) << Error();
  EXPECT_EQ(y.op().name(), "layer/RealDiv");
  EXPECT_EQ(y.op().node()->requested_device(), x.node()->requested_device());
  EXPECT_EQ(y.op().input(0).node()->op(), "Neg");
  EXPECT_EQ(y.op().input(0).op().input(0).node()->op(), "Sub");
}

TEST_F(BuilderTest, DevicesMergePartByPart) {
  const Scope inner = g().WithDevice("/job:ps/task:1").WithDevice("/task:2/device:CPU:0");
  EXPECT_EQ(ops::NoOp(inner).node()->requested_device(), "/job:ps/task:2/device:CPU:0");
  g().WithDevice("nonsense:::");
  EXPECT_FALSE(g().status().ok());
}

TEST_F(BuilderTest, DeviceFunctionsAreAskedFromTheInside) {
  const Scope inner =
      g().WithDevice("/job:a")
          .WithDevice(
              [](auto op, auto name, auto device) { return std::string(device) + "/task:1"; })
          .WithDevice([](auto op, auto name, auto device) {
            return op == "NoOp" ? std::string(device) + "/replica:0" : std::string(device);
          });
  EXPECT_EQ(ops::NoOp(inner).node()->requested_device(), "/job:a/replica:0/task:1");
  EXPECT_EQ(ops::Placeholder(inner, DType::kFloat).node()->requested_device(), "/job:a/task:1");
}

TEST_F(BuilderTest, ColocationTakesDeviceAndClass) {
  const Operation other = ops::NoOp(g().WithName("other").WithDevice("/job:ps"));
  const Operation node = ops::NoOp(g().WithDevice("/job:worker").ColocateWith(other));
  EXPECT_EQ(node.node()->requested_device(), "/job:ps");
  EXPECT_EQ(node.node()->attrs().GetOr<std::vector<std::string>>("_class", {}),
            std::vector<std::string>{"loc:@other"});
}

TEST_F(BuilderTest, ControlInputsAccumulateAndCanBeDropped) {
  const Operation a = ops::NoOp(g());
  const Operation b = ops::NoOp(g());
  const Scope after = g().WithControlInputs({a}).WithControlInputs({b});
  EXPECT_EQ(ops::NoOp(after).node()->control_in_edges().size(), 2u);
  EXPECT_EQ(ops::NoOp(after.WithNoControlInputs()).node()->control_in_edges().size(), 0u);
}

TEST_F(BuilderTest, KnowsShapesWhileBuilding) {
  const Output sum = Float("a", {2, 1}) + Float("b", {-1, 3});
  EXPECT_EQ(sum.shape(), (PartialShape{2, 3}));
}

TEST_F(BuilderTest, KeepsTheFirstMistakeWithNodeAndArguments) {
  const Scope layer = g().SubScope("layer");
  const Output bad = ops::AddV2(layer.WithName("sum"), Float("a", {2}), Float("b", {3}));
  EXPECT_FALSE(bad.has_value());
  const std::string first = Error();
  EXPECT_THAT(first, AllOf(HasSubstr("'layer/sum'"), HasSubstr("AddV2(x: float[2], y: float[3])")));
  EXPECT_FALSE(ops::MatMul(g(), bad, bad).has_value());
  EXPECT_FALSE(ops::Identity(g(), bad + 1).has_value());
  EXPECT_EQ(Error(), first);
  EXPECT_EQ(g().graph().FindNode("layer/sum"), nullptr);
}

TEST_F(BuilderTest, RefusesEmptyInputsUnknownOpsAndBadNames) {
  EXPECT_FALSE(ops::Identity(g(), Output()).has_value());
  EXPECT_THAT(Error(), HasSubstr("input 'input' is empty"));
  const Scope other = Scope::NewRoot(registry_);
  EXPECT_FALSE(AddOp(other, "NoSuchOp").has_value());
  EXPECT_EQ(other.status().code(), StatusCode::kNotFound);
  const Scope third = Scope::NewRoot(registry_);
  EXPECT_FALSE(ops::NoOp(third.WithName("a b")).has_value());
  EXPECT_EQ(third.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(BuilderTest, RefusesOutputsOfAnotherGraph) {
  const Scope other = Scope::NewRoot(registry_);
  EXPECT_FALSE(ops::Identity(other, Float("x")).has_value());
  EXPECT_THAT(std::string(Message(other.status())), HasSubstr("of another graph"));
}

TEST_F(BuilderTest, ZerosAndOnesAreConstantsWhenSmall) {
  EXPECT_EQ(ValueOf(ops::Ones(g(), {2}, DType::kInt64)), Tensor::Of<int64_t>({2}, {1, 1}));
  EXPECT_EQ(ValueOf(ops::Zeros(g(), {}, DType::kHalf)).dtype(), DType::kHalf);
  EXPECT_EQ(ops::Zeros(g(), {100, 100}, DType::kFloat).node()->op(), "Fill");
  EXPECT_EQ(ValueOf(ops::Const(g(), {1, 2}, DType::kFloat)), Tensor::Of<float>({2}, {1, 2}));
  EXPECT_TRUE(g().status().ok()) << Error();
}

TEST_F(BuilderTest, OutputsKeepTheGraphAlive) {
  const Output x = Float("x");
  scope_.reset();
  EXPECT_EQ(x.name(), "x:0");
}

TEST_F(BuilderTest, ExtensionsBelongToTheGraph) {
  struct Count {
    int value = 0;
  };
  g().Extension<Count>().value = 5;
  EXPECT_EQ(g().SubScope("s").Extension<Count>().value, 5);
  EXPECT_EQ(Scope::NewRoot(registry_).Extension<Count>().value, 0);
}

TEST(ConvertLiteralTest, ChecksRangesExactly) {
  EXPECT_TRUE(ConvertLiteral(Tensor::Scalar(255), DType::kUint8).ok());
  EXPECT_FALSE(ConvertLiteral(Tensor::Scalar(256), DType::kUint8).ok());
  EXPECT_FALSE(ConvertLiteral(Tensor::Scalar(-1), DType::kUint64).ok());
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(*ConvertLiteral(Tensor::Scalar(large), DType::kInt64), Tensor::Scalar(large));
  EXPECT_FALSE(ConvertLiteral(Tensor::Scalar(9.3e18), DType::kInt64).ok());
  EXPECT_FALSE(ConvertLiteral(Tensor::Scalar(1), DType::kString).ok());
}

}  // namespace
}  // namespace rheo::builder
