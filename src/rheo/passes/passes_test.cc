#include "rheo/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/graph/graph_test_util.h"
#include "rheo/op/shape_context.h"

namespace rheo::passes {
namespace {

using graph::Const;
using graph::Def;
using graph::DefOf;
using graph::FloatNode;
using graph::Graph;
using graph::ImportOrFail;
using graph::Node;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr const char* kClient = "/job:worker/replica:0/task:0/device:CPU:0";

std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node* node : graph.nodes()) names.push_back(node->name());
  return names;
}

graph::NodeDef FloatPlaceholder(std::string name) {
  return Def(std::move(name), "Placeholder", {}, {{"dtype", DType::kFloat}});
}

PruneRequest Request(std::vector<std::string> feeds, std::vector<std::string> fetches,
                     std::vector<std::string> targets = {}) {
  return {.feeds = std::move(feeds),
          .fetches = std::move(fetches),
          .targets = std::move(targets),
          .client_device = kClient,
          .client_incarnation = Incarnation(7)};
}

// a → b → c, and d beside them.
std::unique_ptr<Graph> Chain() {
  return ImportOrFail(DefOf({FloatPlaceholder("a"), FloatNode("b", "Neg", {"a"}),
                             FloatNode("c", "Neg", {"b"}), FloatPlaceholder("d")}));
}

TEST(PruneTest, KeepsWhatTheFetchNeeds) {
  const auto graph = Chain();
  ASSERT_TRUE(Prune(Request({}, {"b:0"}), *graph).ok());
  EXPECT_THAT(Names(*graph), UnorderedElementsAre("a", "b", "_send_b_0"));
  const Node* send = graph->FindNode("_send_b_0");
  EXPECT_EQ(send->op(), "_Send");
  EXPECT_EQ(send->assigned_device(), kClient);
  EXPECT_EQ(send->input(0).node->name(), "b");
  EXPECT_EQ(*send->attrs().Get<std::string>("tensor_name"), "b:0");
  EXPECT_EQ(*send->attrs().Get<std::string>("send_device"), kClient);
  EXPECT_EQ(*send->attrs().Get<std::string>("recv_device"), kClient);
  EXPECT_EQ(*send->attrs().Get<int64_t>("send_device_incarnation"), 7);
  EXPECT_TRUE(*send->attrs().Get<bool>("client_terminated"));
}

TEST(PruneTest, FeedReplacesAnyOutput) {
  const auto graph = Chain();
  ASSERT_TRUE(Prune(Request({"b"}, {"c"}), *graph).ok());
  EXPECT_THAT(Names(*graph), UnorderedElementsAre("c", "_recv_b_0", "_send_c_0"));
  EXPECT_EQ(graph->FindNode("c")->input(0).node->name(), "_recv_b_0");
  EXPECT_EQ(*graph->FindNode("_recv_b_0")->attrs().Get<std::string>("tensor_name"), "b:0");
}

TEST(PruneTest, ControlEdgesOfAFedPlaceholderMove) {
  const auto graph = ImportOrFail(
      DefOf({FloatPlaceholder("a"), FloatNode("b", "Neg", {"a"}), graph::NoOp("n", {"^a", "^b"})}));
  ASSERT_TRUE(Prune(Request({"a"}, {}, {"n"}), *graph).ok());
  EXPECT_THAT(Names(*graph), UnorderedElementsAre("_recv_a_0", "b", "n"));
}

TEST(PruneTest, TargetMayBeWrittenAsOutputZero) {
  const auto graph = Chain();
  ASSERT_TRUE(Prune(Request({}, {}, {"d:0"}), *graph).ok());
  EXPECT_THAT(Names(*graph), UnorderedElementsAre("d"));
}

struct BadPrune {
  PruneRequest request;
  StatusCode code;
  std::string text;
};

TEST(PruneTest, MistakesHaveTheTextsThatClientsKnow) {
  const BadPrune cases[] = {
      {Request({}, {}), StatusCode::kInvalidArgument,
       "Must specify at least one target to fetch or execute."},
      {Request({"a", "a:0"}, {"c"}), StatusCode::kInvalidArgument,
       "Endpoint \"a:0\" fed more than once."},
      {Request({"a"}, {"a:0"}), StatusCode::kInvalidArgument, "a:0 is both fed and fetched."},
      {Request({"z:0"}, {"c"}), StatusCode::kNotFound,
       "FeedInputs: unable to find feed output z:0"},
      {Request({"a:7"}, {"c"}), StatusCode::kInvalidArgument,
       "FeedInputs: a:7 should have output index < 1"},
      {Request({}, {"z:0"}), StatusCode::kNotFound, "FetchOutputs node z:0: not found"},
      {Request({}, {"^b"}), StatusCode::kInvalidArgument, "FetchOutputs ^b: is a control output"},
      {Request({"^b"}, {"c"}), StatusCode::kInvalidArgument, "FeedInputs: ^b is a control output"},
      {Request({}, {"b:3"}), StatusCode::kInvalidArgument,
       "FetchOutputs b:3: output index too large, must be < 1"},
      {Request({}, {"c"}, {"y", "z"}), StatusCode::kNotFound,
       "PruneForTargets: Some target nodes not found: y, z"},
  };
  for (const BadPrune& c : cases) {
    const auto graph = Chain();
    const Status status = Prune(c.request, *graph);
    EXPECT_EQ(status.code(), c.code) << c.text;
    EXPECT_EQ(Message(status), c.text);
  }
  const auto graph = ImportOrFail(DefOf({graph::NoOp("n")}));
  EXPECT_THAT(Message(Prune(Request({}, {"n:0"}), *graph)),
              HasSubstr("Tried to fetch data for 'n:0', which produces no output."));
}

TEST(PruneTest, FeedingAReferenceThatAConsumerNeedsIsInvalid) {
  const auto graph = ImportOrFail(
      DefOf({Def("v", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape{}}}),
             Const("c"), FloatNode("assign", "Assign", {"v", "c"})}));
  const Status status = Prune(Request({"v"}, {"assign"}), *graph);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("expected float_ref"));
}

// ---- Constant folding

// Adds and negates; knows nothing else.
StatusOr<std::vector<Tensor>> Evaluate(const Node& node, std::vector<Tensor> inputs) {
  if (node.op() == "Neg") return std::vector<Tensor>{Tensor::Scalar(-inputs[0].scalar<float>())};
  if (node.op() == "AddV2") {
    return std::vector<Tensor>{
        Tensor::Scalar(inputs[0].scalar<float>() + inputs[1].scalar<float>())};
  }
  return Unimplemented("{}", node.op());
}

// The public ops with shape functions for those that the tests fold.
const op::OpRegistry& OpsWithShapes() {
  static const op::OpRegistry* const kOps = [] {
    auto* ops = new op::OpRegistry;  // lives as long as the tests
    EXPECT_TRUE(ops->AddTable(op::PublicOpTable()).ok());
    for (const char* op : {"Neg", "AddV2", "Square"}) {
      EXPECT_TRUE(ops->SetShapeFn(op, &op::UnchangedShape).ok());
    }
    EXPECT_TRUE(ops->SetShapeFn("Const",
                                [](op::ShapeContext& c) -> Status {
                                  RHEO_ASSIGN_OR_RETURN(const Tensor value,
                                                        c.attrs().Get<Tensor>("value"));
                                  c.set_output(0, value.shape());
                                  return OkStatus();
                                })
                    .ok());
    return ops;
  }();
  return *kOps;
}

std::unique_ptr<Graph> FoldableGraph(std::vector<graph::NodeDef> nodes) {
  auto graph = graph::ImportNew(DefOf(std::move(nodes)), {}, OpsWithShapes());
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

TEST(FoldConstantsTest, FoldsChainsAndDropsWhatNobodyReads) {
  const auto graph =
      FoldableGraph({Const("a"), FloatNode("b", "Neg", {"a"}), FloatNode("c", "AddV2", {"a", "b"}),
                     FloatPlaceholder("p"), FloatNode("d", "AddV2", {"c", "p"})});
  ASSERT_TRUE(FoldConstants(Evaluate, 1000, *graph).ok());
  const Node* folded = graph->FindNode("d")->input(0).node;
  EXPECT_EQ(folded->op(), "Const");
  EXPECT_EQ(*folded->attrs().Get<Tensor>("value"), Tensor::Scalar(0.0f));
  EXPECT_EQ(graph->num_nodes(), 3);
}

TEST(FoldConstantsTest, LeavesLargeStatefulAndFailingNodes) {
  const auto graph =
      FoldableGraph({Const("a"), FloatNode("b", "Neg", {"a"}), FloatNode("b2", "Neg", {"b"}),
                     FloatNode("s", "Square", {"a"}), FloatNode("s2", "Neg", {"s"})});
  ASSERT_TRUE(FoldConstants(Evaluate, 3, *graph).ok());
  EXPECT_NE(graph->FindNode("b"), nullptr) << "four bytes are more than three";
  ASSERT_TRUE(FoldConstants(Evaluate, 4, *graph).ok());
  EXPECT_EQ(graph->FindNode("b"), nullptr);
  EXPECT_NE(graph->FindNode("b2"), nullptr) << "a target stays";
  EXPECT_NE(graph->FindNode("s"), nullptr) << "the evaluator does not know it";
}

TEST(FoldConstantsTest, ConstantThatWaitsIsNoConstant) {
  graph::NodeDef waiting = Const("a");
  waiting.inputs = {"^n"};
  const auto graph = FoldableGraph(
      {graph::NoOp("n"), waiting, FloatNode("b", "Neg", {"a"}), FloatNode("c", "Neg", {"b"})});
  ASSERT_TRUE(FoldConstants(Evaluate, 1000, *graph).ok());
  EXPECT_NE(graph->FindNode("b"), nullptr);
}

// ---- Common subexpressions

TEST(CommonSubexpressionsTest, MergesEqualNodesTransitively) {
  const auto graph =
      ImportOrFail(DefOf({FloatPlaceholder("p"), FloatNode("a", "Neg", {"p"}),
                          FloatNode("b", "Neg", {"p"}), FloatNode("a2", "Exp", {"a"}),
                          FloatNode("b2", "Exp", {"b"}), FloatNode("sum", "AddV2", {"a2", "b2"})}));
  ASSERT_TRUE(EliminateCommonSubexpressions(*graph).ok());
  EXPECT_THAT(Names(*graph), UnorderedElementsAre("p", "a", "a2", "sum"));
  EXPECT_EQ(graph->FindNode("sum")->input(0), graph->FindNode("sum")->input(1));
}

TEST(CommonSubexpressionsTest, KeepsWhatDiffers) {
  const graph::NodeDef random =
      Def("r1", "RandomUniform", {"s"},
          {{"T", DType::kInt32}, {"dtype", DType::kFloat}, {"seed", 1}, {"seed2", 2}});
  graph::NodeDef random2 = random;
  random2.name = "r2";
  graph::NodeDef elsewhere = FloatNode("b", "Neg", {"p"});
  elsewhere.device = "/device:CPU:1";
  const auto graph = ImportOrFail(
      DefOf({FloatPlaceholder("p"), FloatPlaceholder("q"), FloatNode("a", "Neg", {"p"}), elsewhere,
             FloatNode("c", "Neg", {"p", "^q"}), FloatNode("d", "Neg", {"q"}),
             Const("s", Tensor::Vector<int32_t>({2})), random, random2}));
  const int before = graph->num_nodes();
  ASSERT_TRUE(EliminateCommonSubexpressions(*graph).ok());
  EXPECT_EQ(graph->num_nodes(), before);
}

TEST(CommonSubexpressionsTest, ConstantsAreComparedByValue) {
  const auto graph = ImportOrFail(
      DefOf({Const("a"), Const("b"), Const("c", Tensor::Scalar(2.0f)),
             Const("d", Tensor::Scalar<int32_t>(1)), FloatNode("sum", "AddV2", {"a", "b"})}));
  ASSERT_TRUE(EliminateCommonSubexpressions(*graph).ok());
  EXPECT_THAT(Names(*graph), UnorderedElementsAre("a", "c", "d", "sum"));
}

}  // namespace
}  // namespace rheo::passes
