// Loops whose nodes lie on several devices. What a value's Send and Recv must agree on, the frame,
// is checked for every cut by the base class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/partition/line_graph_for_test.h"

namespace rheo::partition {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// while (cond(v)) v = body(v), with the body on `body_device` and all else on A.
std::string Loop(std::string_view body_device) {
  return fmt::format(
      "v0 Const A\n"
      "enter Enter:loop A v0\n"
      "merge Merge A enter next\n"
      "less Less A merge limit\n"
      "limit Enter:loop A v0\n"
      "cond LoopCond A less\n"
      "switch Switch A merge cond\n"
      "into Identity A switch:1\n"
      "body Identity {0} into\n"
      "back Identity A body\n"
      "next NextIteration A back\n"
      "exit Exit A switch\n"
      "out Identity {0} exit\n",
      body_device);
}

class LoopsTest : public PartitionTestBase {
 protected:
  // The Merges of control loops in a part, by frame path.
  std::map<std::string, int> ControlLoops(std::string_view device) {
    std::map<std::string, int> loops;
    const auto paths = FramePaths(Part(device));
    for (const graph::Node* node : Part(device).nodes()) {
      if (IsMerge(*node) && node->name().starts_with("_cloop")) ++loops[paths.at(node->name())];
    }
    return loops;
  }

  const graph::Node* ControlMerge(std::string_view device) {
    for (const graph::Node* node : Part(device).nodes()) {
      if (IsMerge(*node) && node->name().starts_with("_cloop")) return node;
    }
    return nullptr;
  }
};

TEST_F(LoopsTest, LoopOnOneDeviceStaysAsItIs) {
  Cut(Loop("A"));
  EXPECT_EQ(Part(kA).num_nodes(), 13);
}

TEST_F(LoopsTest, EachReceivingDeviceHasAControlLoop) {
  Cut(Loop("B"));
  EXPECT_EQ(ControlLoops(kA), (std::map<std::string, int>{{"/loop", 1}}));
  EXPECT_EQ(ControlLoops(kB), (std::map<std::string, int>{{"/loop", 1}}));
}

TEST_F(LoopsTest, ControlLoopIsDrivenByTheLoopsCondition) {
  Cut(Loop("B"));
  const graph::Node* merge = ControlMerge(kB);
  ASSERT_NE(merge, nullptr);
  const graph::Node* enter = merge->input(0).node;
  const graph::Node* next = merge->input(1).node;
  EXPECT_EQ(enter->op(), "Enter");
  EXPECT_EQ(enter->attrs().GetOr<std::string>("frame_name", ""), "loop");
  EXPECT_EQ(enter->attrs().GetOr<int64_t>("parallel_iterations", 0), 10);
  EXPECT_EQ(enter->input(0).node->op(), "Const");
  ASSERT_EQ(next->op(), "NextIteration");
  const graph::Node* gate = next->input(0).node;
  ASSERT_EQ(gate->op(), "Switch");
  EXPECT_EQ(next->input(0).index, 1);
  EXPECT_EQ(gate->input(0).node, merge);
  EXPECT_EQ(gate->input(1).node->attrs().GetOr<std::string>("_src", ""), "cond");
  EXPECT_TRUE(gate->control_in_edges().empty());  // moved to the Recv
}

TEST_F(LoopsTest, RecvsInsideTheLoopRunOncePerIteration) {
  Cut(Loop("B"));
  const std::string driver = "^" + ControlMerge(kB)->name();
  for (const char* src : {"into", "cond"}) {
    const graph::Node* recv = Transfer(kB, "_Recv", src);
    ASSERT_NE(recv, nullptr) << src;
    EXPECT_THAT(InputsOf(kB, recv->name()), ElementsAre(driver)) << src;
  }
  const graph::Node* outside = Transfer(kB, "_Recv", "exit");
  ASSERT_NE(outside, nullptr);
  EXPECT_TRUE(outside->in_edges().empty());
  EXPECT_THAT(InputsOf(kB, "body"), ElementsAre("_Recv:into"));
}

TEST_F(LoopsTest, ParallelIterationsAreThoseOfTheLoop) {
  auto graph = Build(Loop("B"));
  for (const char* name : {"enter", "limit"}) {
    graph->FindNode(name)->mutable_attrs().Set("parallel_iterations", int64_t{3});
  }
  CutGraph(std::move(graph));
  EXPECT_EQ(ControlMerge(kB)->input(0).node->attrs().GetOr<int64_t>("parallel_iterations", 0), 3);
}

TEST_F(LoopsTest, ControlNodesMoveToTheirValues) {
  // Merge on B: Enter and NextIteration go there, Switch and Exit follow it.
  Cut("v0 Const A\n"
      "enter Enter:loop A v0\n"
      "merge Merge B enter next\n"
      "less Less B merge merge\n"
      "cond LoopCond B less\n"
      "switch Switch A merge cond\n"
      "next NextIteration A switch:1\n"
      "exit Exit A switch\n"
      "out Identity A exit\n");
  for (const char* name : {"enter", "switch", "next", "exit"}) {
    EXPECT_NE(Part(kB).FindNode(name), nullptr) << name;
  }
  EXPECT_EQ(ControlMerge(kB), nullptr);
  EXPECT_EQ(OpsOf(kB)["_Recv"], 1);
}

TEST_F(LoopsTest, ControlEdgeInsideALoopIsDrivenToo) {
  Cut("v0 Const A\n"
      "enter Enter:loop A v0\n"
      "merge Merge A enter next\n"
      "less Less A merge merge\n"
      "cond LoopCond A less\n"
      "switch Switch A merge cond\n"
      "into Identity A switch:1\n"
      "far NoOp B ^into\n"
      "next NextIteration A into\n"
      "exit Exit A switch\n");
  EXPECT_EQ(ControlLoops(kB), (std::map<std::string, int>{{"/loop", 1}}));
  EXPECT_TRUE(ControlLoops(kA).empty());
}

// The inner loop runs once for each iteration of the outer one.
std::string Nested(std::string_view inner, std::string_view inner_body) {
  return fmt::format(
      "v0 Const A\n"
      "o_enter Enter:outer A v0\n"
      "o_merge Merge A o_enter o_next\n"
      "o_less Less A o_merge o_merge\n"
      "o_cond LoopCond A o_less\n"
      "o_switch Switch A o_merge o_cond\n"
      "o_into Identity A o_switch:1\n"
      "i_enter Enter:inner {0} o_into\n"
      "i_merge Merge {0} i_enter i_next\n"
      "i_less Less {0} i_merge i_merge\n"
      "i_cond LoopCond {0} i_less\n"
      "i_switch Switch {0} i_merge i_cond\n"
      "i_into Identity {0} i_switch:1\n"
      "i_body Identity {1} i_into\n"
      "i_next NextIteration {0} i_body\n"
      "i_exit Exit {0} i_switch\n"
      "o_back Identity A i_exit\n"
      "o_next NextIteration A o_back\n"
      "o_exit Exit A o_switch\n",
      inner, inner_body);
}

TEST_F(LoopsTest, InnerControlLoopIsEnteredByTheOuterOne) {
  Cut(Nested("A", "B"));
  EXPECT_EQ(ControlLoops(kB), (std::map<std::string, int>{{"/outer", 1}, {"/outer/inner", 1}}));
}

TEST_F(LoopsTest, WholeInnerLoopOnAnotherDeviceNeedsOnlyTheOuterControlLoop) {
  Cut(Nested("B", "B"));
  EXPECT_EQ(ControlLoops(kB), (std::map<std::string, int>{{"/outer", 1}}));
  EXPECT_EQ(ControlLoops(kA), (std::map<std::string, int>{{"/outer", 1}}));
}

TEST_F(LoopsTest, NestedLoopsOverThreeDevices) {
  Cut(Nested("B", "C"));
  EXPECT_EQ(ControlLoops(kC), (std::map<std::string, int>{{"/outer", 1}, {"/outer/inner", 1}}));
  EXPECT_EQ(ControlLoops(kB), (std::map<std::string, int>{{"/outer", 1}, {"/outer/inner", 1}}));
  EXPECT_EQ(ControlLoops(kA), (std::map<std::string, int>{{"/outer", 1}}));
}

TEST_F(LoopsTest, LoopWithoutConditionIsAnErrorThatNamesIt) {
  auto graph = Build(
      "v0 Const A\n"
      "enter Enter:endless A v0\n"
      "merge Merge A enter next\n"
      "body Identity B merge\n"
      "next NextIteration A body\n");
  const Status status = Partition(options_, *graph).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("endless"));
}

// The master cuts by task and each worker again by device; the master's control loops must do for
// both.
TEST_F(LoopsTest, SecondCutByDeviceReusesTheControlLoopsOfTheFirst) {
  std::string lines = Loop("G");
  lines += "near Identity B body\nagain Identity G near\n";
  Cut(lines);
  Parts by_task = std::move(parts_);
  options_.location = [](const std::string& device) { return device; };
  for (auto& [task, part] : by_task) {
    auto cut = Partition(options_, *part);
    ASSERT_TRUE(cut.ok()) << task << ": " << cut.status();
    for (auto& [device, piece] : *cut) parts_[device] = std::move(piece);
  }
  CheckPairs();
  CheckExport();
  EXPECT_EQ(ControlLoops(kB), (std::map<std::string, int>{{"/loop", 1}}));
  EXPECT_EQ(ControlLoops(kGpuB), (std::map<std::string, int>{{"/loop", 1}}));
}

}  // namespace
}  // namespace rheo::partition
