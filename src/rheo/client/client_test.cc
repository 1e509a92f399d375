#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "rheo/builder/operators.h"
#include "rheo/builder/ops.h"
#include "rheo/client/gradients.h"
#include "rheo/client/session.h"
#include "rheo/client/variable.h"
#include "rheo/op/op_registry.h"
#include "rheo/session/fake_master.h"

namespace rheo::client {
namespace {

namespace ops = builder::ops;
using session::FakeMaster;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

StatusOr<std::vector<Output>> PassThrough(const Scope&, const Operation&,
                                          const std::vector<Output>& grads) {
  return std::vector<Output>{grads[0]};
}

class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    EXPECT_TRUE(registry_.AddTable(op::PublicOpTable()).ok());
    scope_.emplace(NewRoot(registry_, gradients_));
  }

  const Scope& g() const { return *scope_; }
  Session Make() {
    StatusOr<Session> session = Session::Create(master_, g());
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  std::string Error() const { return std::string(Message(g().status())); }
  static std::vector<std::string> Classes(const graph::Node& node) {
    return node.attrs().GetOr<std::vector<std::string>>("_class", {});
  }

  op::OpRegistry registry_;
  autodiff::GradientRegistry gradients_;
  std::optional<Scope> scope_;
  std::shared_ptr<FakeMaster> master_ = std::make_shared<FakeMaster>();
};

TEST_F(ClientTest, CreateSendsTheGraph) {
  ops::NoOp(g().WithName("n"));
  Make();
  ASSERT_THAT(master_->created.graph.nodes, SizeIs(1));
  EXPECT_EQ(master_->created.graph.nodes[0].name, "n");
}

TEST_F(ClientTest, CreateReturnsTheScopesMistake) {
  ops::Identity(g(), Output());
  EXPECT_EQ(Session::Create(master_, g()).status(), g().status());
  EXPECT_FALSE(g().status().ok());
}

TEST_F(ClientTest, RunNamesFeedsFetchesAndTargets) {
  const Output x = ops::Placeholder(g().WithName("x"), DType::kDouble);
  const Output y = ops::Identity(g().WithName("y"), x);
  const Operation step = ops::NoOp(g().WithName("step"));
  const Session session = Make();
  const auto out = session.Run({.feeds = {{x, 2}}, .fetches = {y, x}, .targets = {step}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[1], Tensor::Scalar(2.0));
  EXPECT_THAT(master_->step.fetches, ElementsAre("y:0", "x:0"));
  EXPECT_THAT(master_->step.targets, ElementsAre("step"));
}

TEST_F(ClientTest, RunExtendsByWhatWasAddedSince) {
  const Output x = ops::Placeholder(g().WithName("x"), DType::kFloat);
  const Session session = Make();
  ASSERT_TRUE(session.Run({.fetches = {x}}).ok());
  EXPECT_THAT(master_->extended, SizeIs(0));
  const Output y = ops::Identity(g().WithName("y"), x);
  ASSERT_TRUE(session.Run({.fetches = {y}}).ok());
  ASSERT_TRUE(session.Run({.fetches = {y}}).ok());
  EXPECT_THAT(master_->extended, SizeIs(1));
  ASSERT_THAT(master_->extension.nodes, SizeIs(1));
  EXPECT_EQ(master_->extension.nodes[0].name, "y");
  EXPECT_THAT(master_->extension.nodes[0].inputs, ElementsAre("x"));
}

TEST_F(ClientTest, AFailedExtensionIsTriedAgain) {
  const Session session = Make();
  const Operation step = ops::NoOp(g());
  master_->next_error = Unavailable("later");
  EXPECT_EQ(session.Run({.targets = {step}}).status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(session.Run({.targets = {step}}).ok());
  EXPECT_THAT(master_->extended, SizeIs(2));
}

TEST_F(ClientTest, RunAfterAMistakeReturnsIt) {
  const Session session = Make();
  ops::Identity(g(), Output());
  EXPECT_EQ(session.Run({}).status(), g().status());
}

TEST_F(ClientTest, RunRefusesWhatIsEmptyOrOfAnotherGraph) {
  const Session session = Make();
  const Scope other = Scope::NewRoot(registry_);
  const Operation theirs = ops::NoOp(other.WithName("theirs"));
  EXPECT_EQ(session.Run({.fetches = {Output()}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(session.Run({.targets = {theirs}}).status())),
              HasSubstr("'theirs' is of another graph"));
}

TEST_F(ClientTest, PrepareRunsByPosition) {
  const Output x = ops::Placeholder(g().WithName("x"), DType::kFloat);
  const Output y = ops::Identity(g().WithName("y"), x);
  const Session session = Make();
  const StatusOr<Callable> callable = session.Prepare({x}, {y});
  ASSERT_TRUE(callable.ok());
  EXPECT_THAT(master_->callable.feeds, ElementsAre("x:0"));
  EXPECT_EQ(callable->Run({Tensor::Scalar(4.0f)})->at(0), Tensor::Scalar(8.0f));
}

TEST_F(ClientTest, VariableIsItsValueAndKnowsItsHandle) {
  const Variable w(g().WithName("w"), ops::Zeros(g(), {2}, DType::kDouble));
  ASSERT_TRUE(w.has_value()) << Error();
  EXPECT_EQ(w.variable_name(), "w");
  EXPECT_EQ(w.node()->name(), "w/Read/ReadVariableOp");
  EXPECT_EQ(w.dtype(), DType::kDouble);
  EXPECT_EQ(w.handle().node()->attrs().GetOr<std::string>("shared_name", ""), "w");
  EXPECT_EQ(w.initializer().name(), "w/Assign");
  EXPECT_THAT(Classes(*w.node()), ElementsAre("loc:@w"));
  EXPECT_EQ(w.shape(), (PartialShape{2}));
  const Output twice = w * 2;
  EXPECT_EQ(twice.dtype(), DType::kDouble);
  EXPECT_THAT(Classes(*twice.node()), SizeIs(0));
  EXPECT_EQ(twice.op().name(), "Mul");
  EXPECT_TRUE(g().status().ok()) << Error();
}

TEST_F(ClientTest, VariableTakesLiteralsAndASecondNameIsNumbered) {
  const Variable a(g().WithName("b"), 1.5f);
  const Variable b(g().WithName("b"), 1.5f);
  EXPECT_EQ(a.dtype(), DType::kFloat);
  EXPECT_EQ(b.variable_name(), "b_1");
  EXPECT_EQ(b.initializer().name(), "b_1/Assign");
}

TEST_F(ClientTest, ReferenceVariableIsReadThroughIdentity) {
  const Variable w(g().WithName("w"), 1.0f, {.kind = VariableKind::kReference});
  ASSERT_TRUE(w.has_value()) << Error();
  EXPECT_EQ(w.handle().node()->op(), "VariableV2");
  EXPECT_EQ(w.name(), "w/read:0");
  EXPECT_EQ(w.Assign(g(), 2).node()->op(), "Assign");
  EXPECT_EQ(w.AssignAdd(g(), 2).node()->op(), "AssignAdd");
  EXPECT_TRUE(g().status().ok()) << Error();
}

TEST_F(ClientTest, VariableGoesWhereTheScopeSays) {
  const Variable w(g().WithName("w").WithDevice("/job:ps"), 1.0f);
  EXPECT_EQ(w.handle().node()->requested_device(), "/job:ps");
  EXPECT_EQ(w.initializer().node()->requested_device(), "/job:ps");
  EXPECT_EQ(w.Read(g().WithDevice("/job:worker")).node()->requested_device(), "/job:ps");
}

TEST_F(ClientTest, InitializeVariablesRunsAllInitializers) {
  const Variable a(g().WithName("a"), 1.0f);
  const Variable b(g().WithName("b"), 1.0f, {.trainable = false});
  const Operation init = InitializeVariables(g());
  ASSERT_TRUE(init.has_value()) << Error();
  EXPECT_THAT(init.node()->control_in_edges(), SizeIs(2));
  EXPECT_THAT(Variables(g()), SizeIs(2));
  ASSERT_THAT(TrainableVariables(g()), SizeIs(1));
  EXPECT_EQ(TrainableVariables(g())[0].variable_name(), "a");
}

TEST_F(ClientTest, GradientsOfAVariableCountAllReads) {
  gradients_.Add("ReadVariableOp", PassThrough);
  gradients_.Add("Identity", PassThrough);
  const Variable w(g().WithName("w"), 1.0f);
  const std::vector<Output> grads =
      Gradients(g(), {ops::Identity(g(), w), ops::Identity(g(), w.Read(g()))}, {w});
  ASSERT_TRUE(grads[0].has_value()) << Error();
  EXPECT_EQ(grads[0].node()->op(), "AddN");
}

TEST_F(ClientTest, GradientsWithoutFunctionsIsAMistake) {
  const Scope bare = Scope::NewRoot(registry_);
  const Output x = ops::Placeholder(bare, DType::kFloat);
  EXPECT_THAT(Gradients(bare, {x}, {x}), SizeIs(1));
  EXPECT_EQ(bare.status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(ClientTest, VariablesDoNotKeepTheirGraphAlive) {
  // A leak here would be found by the address sanitizer.
  const Variable w(g().WithName("w"), 1.0f);
  EXPECT_LE(w.op().state().use_count(), 8);
}

}  // namespace
}  // namespace rheo::client
