#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rheo/kernel/variable.h"
#include "rheo/ops/common/family_test.h"
#include "rheo/ops/training/register.h"

namespace rheo::ops {
namespace {

using kernel::RefVariable;
using kernel::Value;
using kernel::Variable;
using Json = nlohmann::json;

// Rows of numbers, a vector or a scalar.
Tensor FloatsOf(const Json& j) {
  if (j.is_number()) return Tensor::Scalar<float>(j.get<float>());
  std::vector<float> values;
  if (!j.empty() && j[0].is_array()) {
    for (const Json& row : j) {
      for (const Json& x : row) values.push_back(x.get<float>());
    }
    const auto rows = static_cast<int64_t>(j.size());
    return Tensor::Vector<float>(values).Reshaped(
        {rows, static_cast<int64_t>(values.size()) / rows});
  }
  for (const Json& x : j) values.push_back(x.get<float>());
  return Tensor::Vector<float>(values);
}

Value Live(Tensor t) {
  return {.state = Value::State::kLive, .tensor = std::move(t), .ref = nullptr};
}

class TrainingTest : public ::testing::Test {
 protected:
  // Input values of the op: variables of either kind, scalars, gradient, indices.
  struct Call {
    std::vector<Value> inputs;
    std::vector<Tensor> example;
    op::AttrMap attrs;
  };

  Value MakeVariable(bool by_reference, const std::string& name, const Tensor& value) {
    if (by_reference) {
      auto variable = std::make_shared<RefVariable>(name, value.dtype());
      MutexLock lock(variable->mutex);
      variable->tensor = value;
      return {.state = Value::State::kLive, .tensor = {}, .ref = variable};
    }
    auto variable = *runner_.resources().LookupOrCreate<Variable>(
        "", name, [&]() -> StatusOr<std::shared_ptr<Variable>> {
          return std::make_shared<Variable>(name, value.dtype());
        });
    MutexLock lock(variable->mutex);
    variable->tensor = value;
    return Live(HandleOf(name));
  }
  static Tensor HandleOf(const std::string& name) {
    ResourceHandle handle;
    handle.device = "/job:localhost/replica:0/task:0/device:CPU:0";
    handle.container = "localhost";
    handle.name = name;
    handle.type_name = Variable::kTypeName;
    return Tensor::Scalar<ResourceHandle>(handle);
  }
  Tensor ValueOf(const Value& variable) {
    if (variable.ref != nullptr) {
      MutexLock lock(variable.ref->mutex);
      return variable.ref->tensor;
    }
    auto found =
        *runner_.resources().Lookup<Variable>("", variable.tensor.scalar<ResourceHandle>().name);
    MutexLock lock(found->mutex);
    return found->tensor;
  }

  Call MakeCall(const Json& golden, const op::OpSchema& schema, bool by_reference) {
    Call call;
    for (const op::ArgSpec& arg : schema.inputs) {
      Value value;
      if (golden["before"].contains(arg.name)) {
        value = MakeVariable(by_reference, arg.name, FloatsOf(golden["before"][arg.name]));
        call.example.push_back(by_reference ? Tensor::Scalar<float>(0) : value.tensor);
      } else {
        const Json& input = golden["inputs"][arg.name];
        Tensor tensor = FloatsOf(input);
        if (arg.name == "indices") {
          tensor = Tensor::Vector<int32_t>(input.get<std::vector<int32_t>>());
        } else if (arg.name == "global_step") {
          tensor = Tensor::Scalar<int64_t>(input.get<int64_t>());
        }
        call.example.push_back(tensor);
        value = Live(std::move(tensor));
      }
      call.inputs.push_back(std::move(value));
    }
    for (const char* attr : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
      if (golden["inputs"].contains(attr)) call.attrs.Set(attr, golden["inputs"][attr].get<bool>());
    }
    return call;
  }

  void ExpectNear(const Tensor& actual, const Json& expected, const std::string& what) {
    const Tensor wanted = FloatsOf(expected);
    ASSERT_EQ(actual.shape().ToString(), wanted.shape().ToString()) << what;
    for (size_t i = 0; i < wanted.flat<float>().size(); ++i) {
      const float want = wanted.flat<float>()[i];
      EXPECT_NEAR(actual.flat<float>()[i], want, 2e-6F * (1 + std::abs(want)))
          << what << " element " << i;
    }
  }

  // Runs both steps of a golden case on variables of one kind.
  void CheckGolden(const Json& golden, const std::string& op, bool by_reference) {
    const op::OpSchema* schema = registries_->ops.Find(op);
    ASSERT_NE(schema, nullptr) << op;
    const Call call = MakeCall(golden, *schema, by_reference);
    auto kernel = runner_.Prepare(op, call.attrs, call.example);
    ASSERT_TRUE(kernel.ok()) << op << ": " << kernel.status();
    for (const Json& after : golden["after_step"]) {
      std::vector<Value> inputs = call.inputs;
      std::vector<Value> outputs(schema->outputs.size());
      const Status status = (*kernel)->RunUnchecked(inputs, outputs);
      ASSERT_TRUE(status.ok()) << op << ": " << status;
      for (size_t i = 0; i < schema->inputs.size(); ++i) {
        const std::string& name = schema->inputs[i].name;
        if (!after.contains(name)) continue;
        ExpectNear(ValueOf(call.inputs[i]), after[name], fmt::format("{} {}", op, name));
      }
    }
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterTrainingSchemas, &RegisterTrainingKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(TrainingTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, TrainingOps()); }

TEST_F(TrainingTest, UpdatesAsTensorFlowDoes) {
  const char* const root = std::getenv("RHEO_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "RHEO_SOURCE_DIR must name the source tree";
  std::ifstream file(std::string(root) + "/tests/golden/optimizers.json");
  ASSERT_TRUE(file.good());
  const Json cases = Json::parse(file);
  ASSERT_GT(cases.size(), 40u);
  for (const Json& golden : cases) {
    const auto name = golden["op"].get<std::string>();
    for (const Json& family : golden["families"]) {
      const bool by_reference = family == "ref";
      CheckGolden(golden, by_reference ? name : "Resource" + name, by_reference);
    }
  }
}

TEST_F(TrainingTest, AReaderKeepsItsSnapshot) {
  const Tensor before = Tensor::Of<float>({2}, {1, 2});
  const Value var = MakeVariable(true, "w", before);
  const Tensor rate = Tensor::Scalar<float>(0.5F);
  const Tensor grad = Tensor::Of<float>({2}, {2, 2});
  auto kernel = runner_.Prepare("ApplyGradientDescent", {}, {rate, rate, grad});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<Value> inputs = {var, Live(rate), Live(grad)};
  std::vector<Value> outputs(1);
  ASSERT_TRUE((*kernel)->RunUnchecked(inputs, outputs).ok());
  EXPECT_EQ(outputs[0].ref, var.ref);
  EXPECT_EQ(before, Tensor::Of<float>({2}, {1, 2}));
  EXPECT_EQ(ValueOf(var), Tensor::Of<float>({2}, {0, 1}));
}

TEST_F(TrainingTest, MistakesAreInvalidArguments) {
  const Tensor rate = Tensor::Scalar<float>(0.5F);
  const auto run = [&](const Tensor& value, const Tensor& alpha, const Tensor& delta) {
    auto kernel = runner_.Prepare("ApplyGradientDescent", {}, {rate, rate, rate});
    std::vector<Value> inputs = {MakeVariable(true, "w", value), Live(alpha), Live(delta)};
    std::vector<Value> outputs(1);
    return (*kernel)->RunUnchecked(inputs, outputs);
  };
  const Tensor two = Tensor::Of<float>({2}, {1, 2});
  const Tensor three = Tensor::Of<float>({3}, {1, 2, 3});
  const Status shapes = run(two, rate, three);
  EXPECT_EQ(shapes.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(shapes), "var and delta do not have the same shape[2] [3]");
  EXPECT_EQ(run(two, two, two).code(), StatusCode::kInvalidArgument);
}

TEST_F(TrainingTest, ARowOutOfRangeIsNamed) {
  const Tensor rate = Tensor::Scalar<float>(0.5F);
  const Tensor table = Tensor::Of<float>({2, 1}, {1, 2});
  const Tensor indices = Tensor::Of<int64_t>({1}, {7});
  const Tensor grad = Tensor::Of<float>({1, 1}, {1});
  auto kernel = runner_.Prepare("SparseApplyAdagrad", {}, {rate, rate, rate, grad, indices});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<Value> inputs = {MakeVariable(true, "w", table), MakeVariable(true, "a", table),
                               Live(rate), Live(grad), Live(indices)};
  std::vector<Value> outputs(1);
  const Status status = (*kernel)->RunUnchecked(inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "Index 7 at offset 0 in indices is out of range");
}

TEST_F(TrainingTest, AnUnassignedVariableIsAFailedPrecondition) {
  const Tensor rate = Tensor::Scalar<float>(0.5F);
  const auto run = runner_.RunOp("ResourceApplyGradientDescent", {{"T", DType::kFloat}},
                                 {HandleOf("nowhere"), rate, Tensor::Of<float>({2}, {1, 2})});
  EXPECT_EQ(run.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(run.status()).find("uninitialized"), std::string_view::npos);
}

}  // namespace
}  // namespace rheo::ops
