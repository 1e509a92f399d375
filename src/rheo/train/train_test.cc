#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "rheo/builder/operators.h"
#include "rheo/builder/ops.h"
#include "rheo/client/gradients.h"
#include "rheo/client/variable.h"
#include "rheo/op/op_registry.h"
#include "rheo/train/optimizer.h"
#include "rheo/train/replica_device_setter.h"
#include "rheo/train/task.h"

namespace rheo::train {
namespace {

namespace ops = builder::ops;
using builder::Operation;
using builder::Output;
using builder::Scope;
using client::Variable;
using testing::HasSubstr;
using testing::SizeIs;

StatusOr<std::vector<Output>> PassThrough(const Scope&, const Operation&,
                                          const std::vector<Output>& grads) {
  return std::vector<Output>{grads[0]};
}

class TrainTest : public testing::Test {
 protected:
  TrainTest() {
    EXPECT_TRUE(registry_.AddTable(op::PublicOpTable()).ok());
    gradients_.Add("ReadVariableOp", PassThrough);
    gradients_.Add("Identity", PassThrough);
    scope_.emplace(client::NewRoot(registry_, gradients_));
  }
  const Scope& g() const { return *scope_; }
  const graph::Node* Find(const char* name) const { return g().graph().FindNode(name); }
  std::string Error() const { return std::string(Message(g().status())); }

  op::OpRegistry registry_;
  autodiff::GradientRegistry gradients_;
  std::optional<Scope> scope_;
};

TEST_F(TrainTest, GradientDescentUpdatesEachVariableWithAGradient) {
  const Variable w(g().WithName("w"), 1.0f);
  const Variable unused(g().WithName("unused"), 1.0f);
  const Operation step = GradientDescent{.rate = 0.5}.Minimize(g(), ops::Identity(g(), w));
  ASSERT_TRUE(step.has_value()) << Error();
  EXPECT_EQ(step.name(), "GradientDescent");
  const graph::Node* update = Find("GradientDescent/update_w/ResourceApplyGradientDescent");
  ASSERT_NE(update, nullptr);
  EXPECT_EQ(update->input(0).node, w.handle().node());
  EXPECT_EQ(update->input(1).node->attrs().GetOr<Tensor>("value", Tensor()), Tensor::Scalar(0.5f));
  EXPECT_EQ(Find("GradientDescent/update_unused/ResourceApplyGradientDescent"), nullptr);
}

TEST_F(TrainTest, ReferenceVariablesTakeTheReferenceOps) {
  const Variable w(g().WithName("w"), 1.0f, {.kind = client::VariableKind::kReference});
  ASSERT_TRUE(GradientDescent{}.Minimize(g(), ops::Identity(g(), w)).has_value()) << Error();
  EXPECT_NE(Find("GradientDescent/update_w/ApplyGradientDescent"), nullptr);
}

TEST_F(TrainTest, GlobalStepIsOneVariableAndCountsAfterTheUpdates) {
  const Variable w(g().WithName("w"), 1.0f);
  const Variable global_step = GlobalStep(g());
  EXPECT_EQ(GlobalStep(g().SubScope("s")).handle(), global_step.handle());
  const Operation step = GradientDescent{}.Minimize(g(), ops::Identity(g(), w), global_step);
  ASSERT_TRUE(step.has_value()) << Error();
  EXPECT_EQ(step.node()->op(), "AssignAddVariableOp");
  ASSERT_THAT(step.node()->control_in_edges(), SizeIs(1));
  EXPECT_EQ(step.node()->control_in_edges()[0]->src->op(), "ResourceApplyGradientDescent");
  EXPECT_THAT(client::TrainableVariables(g()), SizeIs(1));
}

TEST_F(TrainTest, MomentumAndAdamMakeSlotsNamedAsInCheckpoints) {
  const Variable w(g().WithName("w"), 1.0f);
  const Output loss = ops::Identity(g(), w);
  ASSERT_TRUE(Momentum{.momentum = 0.5}.Minimize(g(), loss).has_value()) << Error();
  const Operation adam = Adam{}.Minimize(g(), loss);
  ASSERT_TRUE(adam.has_value()) << Error();
  for (const char* name : {"w/Momentum", "w/Adam", "w/Adam_1", "beta1_power", "beta2_power"}) {
    EXPECT_NE(Find(name), nullptr) << name;
  }
  EXPECT_THAT(adam.node()->control_in_edges(), SizeIs(3));  // the update and both powers
  EXPECT_THAT(client::TrainableVariables(g()), SizeIs(1));
}

TEST_F(TrainTest, ALossOfNoVariableIsAMistake) {
  const Variable w(g().WithName("w"), 1.0f);
  EXPECT_FALSE(GradientDescent{}.Minimize(g(), ops::Placeholder(g(), DType::kFloat)).has_value());
  EXPECT_THAT(Error(), HasSubstr("no variable has a gradient"));
}

TEST_F(TrainTest, ReplicaDeviceSetterTakesTurnsOverThePs) {
  const service::ClusterSpec cluster{{"ps", {"h:1", "h:2"}}, {"worker", {"h:3", "h:4"}}};
  const Task task = Task::Create(cluster, "worker", 1).value();
  const Scope scope = g().WithDevice(ReplicaDeviceSetter(cluster, task));
  const auto device = [](const Output& output) { return output.node()->requested_device(); };
  const Variable a(scope.WithName("a"), 1.0f);
  const Variable b(scope.SubScope("s").WithName("b"), 1.0f);
  const Variable c(scope.WithName("c"), 1.0f);
  EXPECT_EQ(device(a.handle()), "/job:ps/task:0");
  EXPECT_EQ(device(b.handle()), "/job:ps/task:1");
  EXPECT_EQ(device(c.handle()), "/job:ps/task:0");
  EXPECT_EQ(device(a), "/job:ps/task:0");
  EXPECT_EQ(device(a + b), "/job:worker/replica:0/task:1");
  EXPECT_EQ(device(ops::Identity(scope.WithDevice("/device:CPU:1"), a)),
            "/job:worker/replica:0/task:1/device:CPU:1");
  EXPECT_EQ(device(ops::Identity(scope.WithDevice("/job:ps/task:1"), a)), "/job:ps/task:1");
}

TEST(TaskTest, ReadsTfConfig) {
  const StatusOr<Task> task = Task::Parse(
      R"({"cluster": {"ps": ["h:1"], "worker": ["h:2", "h:3"]}, "task": {"type": "worker", "index": 1}})");
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ(task->target(), "grpc://h:3");
  EXPECT_EQ(task->name(), "/job:worker/replica:0/task:1");
  EXPECT_FALSE(task->is_chief());
  EXPECT_EQ(task->cluster().jobs().size(), 2u);
}

TEST(TaskTest, TheChiefIsTheFirstOfItsJob) {
  const auto is_chief = [](const char* cluster, const char* job, int index) {
    return Task::Parse(R"({"cluster": )" + std::string(cluster) + R"(, "task": {"type": ")" + job +
                       R"(", "index": )" + std::to_string(index) + "}}")
        .value()
        .is_chief();
  };
  EXPECT_TRUE(is_chief(R"({"worker": ["h:1", "h:2"]})", "worker", 0));
  EXPECT_FALSE(is_chief(R"({"worker": ["h:1"], "chief": ["h:3"]})", "worker", 0));
  EXPECT_TRUE(is_chief(R"({"worker": ["h:1"], "chief": ["h:3"]})", "chief", 0));
  EXPECT_FALSE(is_chief(R"({"ps": ["h:1"], "worker": {"4": "h:3"}})", "ps", 0));
  EXPECT_TRUE(is_chief(R"({"ps": ["h:1"], "worker": {"4": "h:3"}})", "worker", 4));
}

TEST(TaskTest, NothingIsATaskThatRunsAlone) {
  for (const char* text : {"", "{}", R"({"task": {"type": "worker", "index": 0}})"}) {
    const StatusOr<Task> task = Task::Parse(text);
    ASSERT_TRUE(task.ok()) << task.status();
    EXPECT_EQ(task->target(), "");
    EXPECT_TRUE(task->is_chief());
  }
}

TEST(TaskTest, AnEvaluatorIsLeftOut) {
  constexpr const char* kText = R"({"cluster": {"worker": ["h:1"], "evaluator": ["h:2"]},
                                    "task": {"type": "%s"}})";
  const auto text = [](const char* type) {
    std::string result = kText;
    return result.replace(result.find("%s"), 2, type);
  };
  const service::ClusterSpec without{{"worker", {"h:1"}}};
  EXPECT_EQ(Task::Parse(text("worker")).value().cluster(), without);
  const Task evaluator = Task::Parse(text("evaluator")).value();
  EXPECT_TRUE(evaluator.cluster().empty());
  EXPECT_EQ(evaluator.job(), kEvaluatorJob);
  EXPECT_FALSE(evaluator.is_chief());
  const TfConfigOptions keep{.keep_evaluator = true};
  EXPECT_EQ(Task::Parse(text("worker"), keep).value().cluster().jobs().size(), 2U);
  EXPECT_EQ(Task::Parse(text("evaluator"), keep).value().target(), "grpc://h:2");
}

TEST(TaskTest, AddressesUnderOtherKeysAreNoCluster) {
  EXPECT_THAT(std::string(Message(
                  Task::Parse(R"({"ps_hosts": ["h:1"], "task": {"type": "ps"}})").status())),
              HasSubstr("its keys are: ps_hosts, task"));
}

TEST(TaskTest, NamesWhatIsWrong) {
  for (const char* text :
       {"{", "[]", R"({"cluster": {"ps": 1}})", R"({"cluster": {"ps": ["h:1"]}})",
        R"({"cluster": {"ps": [1]}, "task": {"type": "ps"}})",
        R"({"cluster": {"ps": ["h:1"]}, "task": {"type": "worker", "index": 0}})",
        R"({"cluster": {"ps": ["h:1"]}, "task": {"type": "ps", "index": 1}})",
        R"({"cluster": {"ps": {"x": "h:1"}}, "task": {"type": "ps", "index": 0}})",
        R"({"cluster": {"ps": ["h:1"]}, "task": {"type": "ps", "index": {}}})"}) {
    EXPECT_EQ(Task::Parse(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace rheo::train
