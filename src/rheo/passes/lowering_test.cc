#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/graph/graph_test_util.h"
#include "rheo/graph/traversal.h"
#include "rheo/passes/passes.h"

namespace rheo::passes {
namespace {

using graph::Const;
using graph::Def;
using graph::DefOf;
using graph::Graph;
using graph::ImportOrFail;
using graph::Node;
using ::testing::HasSubstr;

// name(x: float) → op(x): float.
graph::FunctionDef UnaryFunction(std::string name, std::string op) {
  graph::FunctionDef function;
  function.signature.name = std::move(name);
  function.signature.inputs = {{.name = "x", .type = DType::kFloat}};
  function.signature.outputs = {{.name = "y", .type = DType::kFloat}};
  function.nodes = {Def("r", std::move(op), {"x"}, {{"T", DType::kFloat}})};
  function.returns = {{"y", "r:y:0"}};
  return function;
}

// name(x: float) → x < 10.
graph::FunctionDef LessThanTen(std::string name) {
  graph::FunctionDef function;
  function.signature.name = std::move(name);
  function.signature.inputs = {{.name = "x", .type = DType::kFloat}};
  function.signature.outputs = {{.name = "z", .type = DType::kBool}};
  function.nodes = {Const("ten", Tensor::Scalar(10.0f)),
                    Def("less", "Less", {"x", "ten:output:0"}, {{"T", DType::kFloat}})};
  function.returns = {{"z", "less:z:0"}};
  return function;
}

op::FuncRef Func(std::string name) { return {.name = std::move(name)}; }

std::vector<DType> Floats(size_t n) { return std::vector<DType>(n, DType::kFloat); }

graph::GraphDef IfGraph() {
  graph::GraphDef def =
      DefOf({Def("p", "Placeholder", {}, {{"dtype", DType::kBool}}),
             Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}), graph::NoOp("before"),
             Def("cond", "If", {"p", "x", "^before"},
                 {{"Tcond", DType::kBool},
                  {"Tin", Floats(1)},
                  {"Tout", Floats(1)},
                  {"then_branch", Func("negate")},
                  {"else_branch", Func("double")},
                  {"_lower_using_switch_merge", true}}),
             Def("after", "Neg", {"cond"}, {{"T", DType::kFloat}}), graph::NoOp("end", {"^cond"})});
  def.library.functions = {UnaryFunction("negate", "Neg"), UnaryFunction("double", "Exp")};
  return def;
}

std::vector<const Node*> NodesOf(const Graph& graph, std::string_view op) {
  std::vector<const Node*> found;
  for (const Node* node : graph.nodes()) {
    if (node->op() == op) found.push_back(node);
  }
  return found;
}

TEST(LowerTest, IfBecomesSwitchesAndMerges) {
  const auto graph = ImportOrFail(IfGraph());
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  EXPECT_TRUE(NodesOf(*graph, "If").empty());
  EXPECT_EQ(NodesOf(*graph, "Switch").size(), 2u);
  EXPECT_EQ(NodesOf(*graph, "Merge").size(), 2u) << "the result, and that a branch ran";
  EXPECT_EQ(NodesOf(*graph, "Exp").size(), 1u);
  const Node* merge = graph->FindNode("after")->input(0).node;
  EXPECT_EQ(merge->op(), "Merge") << "consumers read the result itself";
  EXPECT_EQ(graph->FindNode("cond")->op(), "IdentityN") << "the name can still be fetched";
  EXPECT_TRUE(graph::TopologicalOrder(*graph).ok());
  EXPECT_TRUE(graph::ComputeFrames(*graph).ok());
}

TEST(LowerTest, ControlEdgesHoldForBothBranches) {
  const auto graph = ImportOrFail(IfGraph());
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  const std::vector<bool> before_end = graph::ReachableBackwards(*graph, {graph->FindNode("end")});
  const std::vector<const Node*> branch_nodes = {NodesOf(*graph, "Exp").at(0),
                                                 graph->FindNode("cond/then/r")};
  for (const Node* node : branch_nodes) {
    ASSERT_NE(node, nullptr);
    EXPECT_TRUE(before_end[static_cast<size_t>(node->id())]) << node->name();
    const std::vector<bool> behind = graph::ReachableBackwards(*graph, {const_cast<Node*>(node)});
    EXPECT_TRUE(behind[static_cast<size_t>(graph->FindNode("before")->id())]) << node->name();
  }
}

TEST(LowerTest, NodesWithoutTheMarkStay) {
  graph::GraphDef def = IfGraph();
  def.nodes[3].attrs.Erase("_lower_using_switch_merge");
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  EXPECT_EQ(graph->FindNode("cond")->op(), "If");
}

TEST(LowerTest, CaseHasOneSwitchOutputPerBranch) {
  graph::GraphDef def =
      DefOf({Def("i", "Placeholder", {}, {{"dtype", DType::kInt32}}),
             Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}),
             Def("c", "Case", {"i", "x"},
                 {{"Tin", Floats(1)},
                  {"Tout", Floats(1)},
                  {"branches", std::vector<op::FuncRef>{Func("f0"), Func("f1"), Func("f2")}},
                  {"_lower_using_switch_merge", true}})});
  def.library.functions = {UnaryFunction("f0", "Neg"), UnaryFunction("f1", "Exp"),
                           UnaryFunction("f2", "Log")};
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  ASSERT_EQ(NodesOf(*graph, "_SwitchN").size(), 2u);
  EXPECT_EQ(NodesOf(*graph, "_SwitchN")[0]->num_outputs(), 3);
  EXPECT_EQ(graph->FindNode("c")->input(0).node->num_inputs(), 3) << "the merge of three results";
}

graph::GraphDef WhileGraph() {
  graph::GraphDef def = DefOf({Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}),
                               Def("loop", "While", {"x"},
                                   {{"T", Floats(1)},
                                    {"cond", Func("less")},
                                    {"body", Func("step")},
                                    {"parallel_iterations", 7},
                                    {"_lower_using_switch_merge", true}}),
                               Def("y", "Neg", {"loop"}, {{"T", DType::kFloat}})});
  def.library.functions = {LessThanTen("less"), UnaryFunction("step", "Exp")};
  return def;
}

TEST(LowerTest, WhileBecomesALoopInOneFrame) {
  const auto graph = ImportOrFail(WhileGraph());
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  ASSERT_EQ(NodesOf(*graph, "Enter").size(), 1u);
  const Node* enter = NodesOf(*graph, "Enter")[0];
  EXPECT_EQ(*enter->attrs().Get<std::string>("frame_name"), "loop");
  EXPECT_EQ(*enter->attrs().Get<int64_t>("parallel_iterations"), 7);
  EXPECT_EQ(graph->FindNode("y")->input(0).node->op(), "Exit");
  const auto frames = graph::ComputeFrames(*graph);
  ASSERT_TRUE(frames.ok()) << frames.status();
  for (const char* op : {"Exp", "Less", "Const", "LoopCond", "NextIteration"}) {
    ASSERT_EQ(NodesOf(*graph, op).size(), 1u) << op;
    EXPECT_EQ((*frames)[static_cast<size_t>(NodesOf(*graph, op)[0]->id())].frame_name, "loop")
        << op << " must run in each iteration";
  }
  EXPECT_TRUE(graph::TopologicalOrder(*graph).ok());
}

TEST(LowerTest, FunctionalNodesInsideBodiesAreLoweredToo) {
  graph::GraphDef def = WhileGraph();
  graph::FunctionDef outer = UnaryFunction("outer", "Neg");
  outer.nodes = {Def("inner", "While", {"x"},
                     {{"T", Floats(1)},
                      {"cond", Func("less")},
                      {"body", Func("step")},
                      {"_lower_using_switch_merge", true}})};
  outer.returns = {{"y", "inner:output:0"}};
  def.library.functions.push_back(outer);
  def.nodes[1].attrs.Set("body", Func("outer"));
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  EXPECT_TRUE(NodesOf(*graph, "While").empty());
  ASSERT_EQ(NodesOf(*graph, "Enter").size(), 2u);
  const auto frames = graph::ComputeFrames(*graph);
  ASSERT_TRUE(frames.ok()) << frames.status();
  EXPECT_EQ((*frames)[static_cast<size_t>(NodesOf(*graph, "Exp")[0]->id())].depth, 2);
}

TEST(LowerTest, CallsAreInlinedWhenTheyAskForIt) {
  graph::GraphDef def = DefOf({Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}),
                               Def("call", "PartitionedCall", {"x"},
                                   {{"Tin", Floats(1)}, {"Tout", Floats(1)}, {"f", Func("f")}}),
                               Def("y", "Neg", {"call"}, {{"T", DType::kFloat}})});
  def.library.functions = {UnaryFunction("f", "Exp")};
  const auto kept = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(false, *kept).ok());
  EXPECT_NE(kept->FindNode("call"), nullptr);
  const auto inlined = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(true, *inlined).ok());
  EXPECT_EQ(inlined->FindNode("y")->input(0).node->op(), "Exp");
}

TEST(LowerTest, InlinedCallCanStillBeFetched) {
  graph::GraphDef def = DefOf({Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}),
                               Def("call", "PartitionedCall", {"x"},
                                   {{"Tin", Floats(1)}, {"Tout", Floats(1)}, {"f", Func("f")}}),
                               graph::NoOp("after", {"^call"})});
  def.library.functions = {UnaryFunction("f", "Exp")};
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(true, *graph).ok());
  const Node* call = graph->FindNode("call");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->op(), "IdentityN");
  EXPECT_EQ(call->input(0).node->name(), "call/r");
  const auto before = graph::ReachableBackwards(*graph, {graph->FindNode("after")});
  EXPECT_TRUE(before[static_cast<size_t>(graph->FindNode("call/r")->id())]);
}

TEST(LowerTest, CallsThatCannotBeInlinedStay) {
  graph::GraphDef def = DefOf({Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}})});
  for (const char* name : {"kept", "endless", "missing"}) {
    def.nodes.push_back(Def(name, "PartitionedCall", {"x"},
                            {{"Tin", Floats(1)}, {"Tout", Floats(1)}, {"f", Func(name)}}));
  }
  graph::FunctionDef kept = UnaryFunction("kept", "Exp");
  kept.attrs.Set("_noinline", true);
  graph::FunctionDef endless = UnaryFunction("endless", "Exp");
  endless.nodes = {Def("r", "PartitionedCall", {"x"},
                       {{"Tin", Floats(1)}, {"Tout", Floats(1)}, {"f", Func("endless")}})};
  endless.returns = {{"y", "r:output:0"}};
  def.library.functions = {kept, endless};
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(true, *graph).ok());
  EXPECT_EQ(graph->FindNode("kept")->op(), "PartitionedCall");
  EXPECT_EQ(graph->FindNode("missing")->op(), "PartitionedCall");
  EXPECT_EQ(graph->FindNode("endless/r")->op(), "PartitionedCall") << "one round, then a call";
}

// name(x: float) → callee(callee(x)), for callees of one float.
graph::FunctionDef TwiceFunction(std::string name, const std::string& callee) {
  graph::FunctionDef function = UnaryFunction(std::move(name), "Neg");
  const op::AttrMap attrs = {{"Tin", Floats(1)},
                             {"Tout", Floats(1)},
                             {"f", Func(callee)},
                             {"_lower_as_multi_device_function", true}};
  function.nodes = {Def("inner", "PartitionedCall", {"x"}, attrs),
                    Def("r", "PartitionedCall", {"inner:output:0"}, attrs)};
  function.returns = {{"y", "r:output:0"}};
  return function;
}

graph::GraphDef CallOf(const std::string& function) {
  return DefOf({Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}),
                Def("call", "PartitionedCall", {"x"},
                    {{"Tin", Floats(1)},
                     {"Tout", Floats(1)},
                     {"f", Func(function)},
                     {"_lower_as_multi_device_function", true}})});
}

TEST(LowerTest, AFunctionThatCallsItselfIsInlinedOnce) {
  graph::GraphDef def = CallOf("f");
  def.library.functions = {TwiceFunction("f", "g"), TwiceFunction("g", "f")};
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  EXPECT_EQ(NodesOf(*graph, "PartitionedCall").size(), 4u) << "f calls g twice, which calls f";
}

TEST(LowerTest, DeepCallsStayCalls) {
  graph::GraphDef def = CallOf("f0");
  for (int i = 0; i < 1000; ++i) {
    graph::FunctionDef function =
        TwiceFunction("f" + std::to_string(i), "f" + std::to_string(i + 1));
    function.nodes.erase(function.nodes.begin());
    function.nodes[0].inputs = {"x"};
    def.library.functions.push_back(std::move(function));
  }
  def.library.functions.push_back(UnaryFunction("f1000", "Exp"));
  const auto graph = ImportOrFail(def);
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  EXPECT_EQ(NodesOf(*graph, "PartitionedCall").size(), 1u);
}

TEST(LowerTest, MoreNodesThanThereIsMemoryForIsAnError) {
  graph::GraphDef def = CallOf("f0");
  for (int i = 0; i < 40; ++i) {
    def.library.functions.push_back(
        TwiceFunction("f" + std::to_string(i), "f" + std::to_string(i + 1)));
  }
  def.library.functions.push_back(UnaryFunction("f40", "Exp"));
  const Status status = LowerFunctionalOps(false, *ImportOrFail(def));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("{{node call/"));
}

TEST(LowerTest, ParallelConcatBecomesUpdatesOfOneTensor) {
  const auto graph = ImportOrFail(
      DefOf({Def("x", "Placeholder", {}, {{"dtype", DType::kFloat}}), graph::NoOp("before"),
             Def("c", "ParallelConcat", {"x", "x", "^before"},
                 {{"T", DType::kFloat}, {"N", 2}, {"shape", PartialShape{2, 3}}}),
             Def("y", "Neg", {"c"}, {{"T", DType::kFloat}})}));
  ASSERT_TRUE(NeedsLowering(false, *graph));
  ASSERT_TRUE(LowerFunctionalOps(false, *graph).ok());
  const auto updates = NodesOf(*graph, "_ParallelConcatUpdate");
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_EQ(*updates[1]->attrs().Get<int64_t>("loc"), 1);
  const auto before_y = graph::ReachableBackwards(*graph, {graph->FindNode("y")});
  for (const Node* update : updates) EXPECT_TRUE(before_y[static_cast<size_t>(update->id())]);
  EXPECT_TRUE(before_y[static_cast<size_t>(graph->FindNode("before")->id())]);
  EXPECT_NE(graph->FindNode("c"), nullptr) << "the name can still be fetched";
}

TEST(LowerTest, MissingFunctionIsNamedWithItsNode) {
  graph::GraphDef def = IfGraph();
  def.library.functions.pop_back();
  const auto graph = ImportOrFail(def);
  const Status status = LowerFunctionalOps(false, *graph);
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(Message(status), HasSubstr("double"));
  EXPECT_THAT(Message(status), HasSubstr("{{node cond}}"));
}

}  // namespace
}  // namespace rheo::passes
