#include "rheo/graph/traversal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "rheo/graph/graph_test_util.h"

namespace rheo::graph {
namespace {

using ::testing::HasSubstr;

std::map<std::string, size_t> Positions(const std::vector<Node*>& order) {
  std::map<std::string, size_t> positions;
  for (size_t i = 0; i < order.size(); ++i) positions[order[i]->name()] = i;
  return positions;
}

TEST(TopologicalOrderTest, EveryNodeFollowsItsSources) {
  const auto graph = ImportOrFail(DefOf({FloatNode("c", "Add", {"b", "a"}), NoOp("d", {"^c"}),
                                         FloatNode("b", "Identity", {"a"}), Const("a")}));
  const auto order = TopologicalOrder(*graph);
  ASSERT_TRUE(order.ok());
  ASSERT_EQ(order->size(), 4u);
  auto at = Positions(*order);
  EXPECT_LT(at["a"], at["b"]);
  EXPECT_LT(at["b"], at["c"]);
  EXPECT_LT(at["c"], at["d"]);
}

TEST(TopologicalOrderTest, LoopBodyFollowsItsMerge) {
  const auto graph = ImportOrFail(DefOf(LoopNodes()));
  const auto order = TopologicalOrder(*graph);
  ASSERT_TRUE(order.ok()) << order.status();
  auto at = Positions(*order);
  EXPECT_LT(at["x/Merge"], at["x/NextIteration"]);
  EXPECT_LT(at["x/Enter"], at["x/Merge"]);
}

TEST(TopologicalOrderTest, NamesANodeOfTheCycleNotOneBehindIt) {
  Graph graph(TestOps());
  Node* behind = *graph.AddNode({.name = "behind", .op = "NoOp"});
  Node* a = *graph.AddNode({.name = "a", .op = "NoOp"});
  Node* b = *graph.AddNode({.name = "b", .op = "NoOp"});
  graph.AddControlEdge(a, b);
  graph.AddControlEdge(b, a);
  graph.AddControlEdge(b, behind);
  const Status status = TopologicalOrder(graph).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("3 nodes in a cycle"));
  EXPECT_THAT(std::string(Message(status)), ::testing::Not(HasSubstr("behind")));
}

TEST(ReachableBackwardsTest, FollowsDataControlAndBackEdges) {
  std::vector<NodeDef> nodes = LoopNodes();
  nodes.push_back(NoOp("before"));
  nodes[0].inputs = {"^before"};
  nodes.push_back(NoOp("apart"));
  const auto graph = ImportOrFail(DefOf(std::move(nodes)));
  const std::vector<bool> reached = ReachableBackwards(*graph, {graph->FindNode("less")});
  const auto is_reached = [&](std::string_view name) {
    return reached[static_cast<size_t>(graph->FindNode(name)->id())];
  };
  for (const char* name : {"less", "x/Merge", "x/NextIteration", "add", "zero", "before"}) {
    EXPECT_TRUE(is_reached(name)) << name;
  }
  EXPECT_FALSE(is_reached("apart"));
  EXPECT_FALSE(is_reached("x/Exit"));
}

FrameInfo FrameOf(const Graph& graph, const std::vector<FrameInfo>& frames, std::string_view name) {
  return frames[static_cast<size_t>(graph.FindNode(name)->id())];
}

TEST(ComputeFramesTest, EnterRunsOutsideExitInside) {
  std::vector<NodeDef> nodes = LoopNodes();
  nodes.push_back(FloatNode("after", "Identity", {"x/Exit"}));
  const auto graph = ImportOrFail(DefOf(std::move(nodes)));
  const auto frames = ComputeFrames(*graph);
  ASSERT_TRUE(frames.ok()) << frames.status();
  for (const char* name : {"zero", "x/Enter", "after"}) {
    EXPECT_EQ(FrameOf(*graph, *frames, name).frame_name, "") << name;
    EXPECT_EQ(FrameOf(*graph, *frames, name).depth, 0);
  }
  for (const char* name : {"x/Merge", "one", "cond", "x/NextIteration", "x/Exit"}) {
    const FrameInfo frame = FrameOf(*graph, *frames, name);
    EXPECT_EQ(frame.frame_name, "loop") << name;
    EXPECT_EQ(frame.parent, graph->FindNode("x/Enter"));
    EXPECT_EQ(frame.depth, 1);
  }
}

NodeDef Enter(std::string name, std::string input, std::string frame) {
  NodeDef def = FloatNode(std::move(name), "Enter", {std::move(input)});
  def.attrs.Set("frame_name", std::move(frame));
  return def;
}

TEST(ComputeFramesTest, InnerFramesKnowTheirParent) {
  const auto graph = ImportOrFail(
      DefOf({Const("a"), Enter("outer", "a", "o"), Enter("inner", "outer", "i"),
             FloatNode("body", "Identity", {"inner"}), FloatNode("out", "Exit", {"body"}),
             FloatNode("behind", "Identity", {"out"})}));
  const auto frames = ComputeFrames(*graph);
  ASSERT_TRUE(frames.ok()) << frames.status();
  const FrameInfo body = FrameOf(*graph, *frames, "body");
  EXPECT_EQ(body.depth, 2);
  EXPECT_EQ(body.parent, graph->FindNode("inner"));
  EXPECT_EQ(FrameOf(*graph, *frames, "inner").parent, graph->FindNode("outer"));
  EXPECT_EQ(FrameOf(*graph, *frames, "behind").frame_name, "o");
}

TEST(ComputeFramesTest, MixedFramesAreRefused) {
  const auto graph = ImportOrFail(
      DefOf({Const("a"), Enter("e", "a", "o"), FloatNode("mixed", "Add", {"e", "a"})}));
  const Status status = ComputeFrames(*graph).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status),
            "{{node mixed}} has inputs from different frames. The input {{node e}} is in frame "
            "'o'. The input {{node a}} is in frame ''.");
}

TEST(ComputeFramesTest, ExitOutsideALoopIsRefused) {
  const auto graph = ImportOrFail(
      DefOf({Const("a"), FloatNode("x", "Exit", {"a"}), FloatNode("b", "Identity", {"x"})}));
  EXPECT_EQ(ComputeFrames(*graph).status().code(), StatusCode::kInvalidArgument);
}

TEST(ControlFlowOpsTest, AreRecognised) {
  const auto graph = ImportOrFail(DefOf(LoopNodes()));
  const auto node = [&](std::string_view name) -> const Node& { return *graph->FindNode(name); };
  EXPECT_TRUE(IsEnter(node("x/Enter")));
  EXPECT_TRUE(IsMerge(node("x/Merge")));
  EXPECT_TRUE(IsSwitch(node("x/Switch")));
  EXPECT_TRUE(IsExit(node("x/Exit")));
  EXPECT_TRUE(IsNextIteration(node("x/NextIteration")));
  EXPECT_TRUE(IsLoopCond(node("cond")));
  EXPECT_FALSE(IsSwitch(node("add")) || IsSend(node("add")) || IsRecv(node("add")));
}

}  // namespace
}  // namespace rheo::graph
