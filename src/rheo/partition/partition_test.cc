#include "rheo/partition/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/partition/line_graph_for_test.h"

namespace rheo::partition {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

class PartitionTest : public PartitionTestBase {};

TEST_F(PartitionTest, OneLocationIsOnePartWithoutTransfers) {
  Cut("a Const A\n"
      "b Identity A a\n"
      "c Identity A b ^a\n");
  ASSERT_EQ(parts_.size(), 1U);
  EXPECT_EQ(Part(kA).num_nodes(), 3);
  EXPECT_THAT(InputsOf(kA, "c"), ElementsAre("b", "^a"));
}

TEST_F(PartitionTest, EmptyGraphHasNoParts) {
  Cut("");
  EXPECT_TRUE(parts_.empty());
}

TEST_F(PartitionTest, DataEdgeBecomesSendAndRecv) {
  Cut("a Const A\n"
      "b Identity B a\n");
  EXPECT_THAT(InputsOf(kB, "b"), ElementsAre("_Recv:a"));
  const graph::Node* send = Transfer(kA, "_Send", "a");
  const graph::Node* recv = Transfer(kB, "_Recv", "a");
  ASSERT_NE(send, nullptr);
  ASSERT_NE(recv, nullptr);
  EXPECT_EQ(send->input(0).node->name(), "a");
  EXPECT_EQ(recv->attrs().GetOr<std::string>("_dst", ""), "b");
  EXPECT_TRUE(recv->attrs().GetOr<std::string>("tensor_name", "").ends_with("_a"));
  EXPECT_EQ(recv->output_types()[0], DType::kFloat);
  EXPECT_EQ(recv->in_edges().size(), 0U);
}

TEST_F(PartitionTest, ConsumersOfOneLocationShareARecv) {
  Cut("a Const A\n"
      "b Identity B a\n"
      "c Identity B a\n"
      "d AddV2 B a a\n"
      "e Identity C a\n");
  EXPECT_EQ(OpsOf(kA)["_Send"], 2);
  EXPECT_EQ(OpsOf(kB)["_Recv"], 1);
  EXPECT_THAT(InputsOf(kB, "d"), ElementsAre("_Recv:a", "_Recv:a"));
}

TEST_F(PartitionTest, EachOutputHasItsOwnPair) {
  Cut("p Placeholder A\n"
      "a Const A\n"
      "s Switch A a p\n"
      "b AddV2 B s:0 s:1\n");
  EXPECT_EQ(OpsOf(kB)["_Recv"], 2);
  std::set<int> outputs;
  for (const graph::Node* node : Part(kA).nodes()) {
    if (IsSend(*node)) outputs.insert(node->input(0).index);
  }
  EXPECT_EQ(outputs, (std::set<int>{0, 1}));
}

TEST_F(PartitionTest, ControlEdgeSendsADummyForAllConsumersOfTheLocation) {
  Cut("a NoOp A\n"
      "b Const B ^a\n"
      "c NoOp B ^a\n");
  EXPECT_THAT(OpsOf(kA),
              ElementsAre(std::pair("Const", 1), std::pair("NoOp", 1), std::pair("_Send", 1)));
  EXPECT_THAT(OpsOf(kB), ElementsAre(std::pair("Const", 1), std::pair("Identity", 1),
                                     std::pair("NoOp", 1), std::pair("_Recv", 1)));
  const graph::Node* send = Transfer(kA, "_Send", "a");
  ASSERT_NE(send, nullptr);
  const graph::Node* dummy = send->input(0).node;
  EXPECT_TRUE(dummy->name().starts_with("a/ctrl_S")) << dummy->name();
  EXPECT_EQ(dummy->attrs().GetOr<Tensor>("value", Tensor()).shape(), Shape({0}));
  EXPECT_THAT(InputsOf(kA, dummy->name()), ElementsAre("^a"));
  const graph::Node* b = Part(kB).FindNode("b");
  ASSERT_EQ(b->control_in_edges().size(), 1U);
  const graph::Node* identity = b->control_in_edges()[0]->src;
  EXPECT_EQ(identity->op(), "Identity");
  EXPECT_THAT(InputsOf(kB, identity->name()), ElementsAre("_Recv:a"));
}

TEST_F(PartitionTest, HostMemoryIsDecidedAtEachEnd) {
  options_.output_in_host_memory = [](const graph::Node& node, int) { return node.name() == "a"; };
  options_.input_in_host_memory = [](const graph::Node& node, int) { return node.name() == "d"; };
  Cut("a Const A\n"
      "b Identity B a\n"
      "c Const A\n"
      "d Identity B c\n");
  EXPECT_NE(Transfer(kA, "_HostSend", "a"), nullptr);
  EXPECT_NE(Transfer(kB, "_Recv", "a"), nullptr);
  EXPECT_NE(Transfer(kA, "_Send", "c"), nullptr);
  EXPECT_NE(Transfer(kB, "_HostRecv", "c"), nullptr);
}

TEST_F(PartitionTest, AcceleratorReceivesOncePerMemory) {
  options_.input_in_host_memory = [](const graph::Node& node, int) { return node.name() == "c"; };
  Cut("a Const A\n"
      "b Identity G a\n"
      "c Identity G a\n"
      "d Identity G a\n");
  EXPECT_EQ(OpsOf(kGpuB)["_Recv"], 1);
  EXPECT_EQ(OpsOf(kGpuB)["_HostRecv"], 1);
}

TEST_F(PartitionTest, MemoriesOfOneAcceleratorAreJoinedByAPair) {
  options_.location = [](const std::string& device) { return device; };
  options_.output_in_host_memory = [](const graph::Node& node, int) { return node.name() == "a"; };
  Cut("a Const G\n"
      "b Identity G a\n"
      "c Identity G b\n");
  const graph::Node* send = Transfer(kGpuB, "_HostSend", "a");
  const graph::Node* recv = Transfer(kGpuB, "_Recv", "a");
  ASSERT_NE(send, nullptr);
  ASSERT_NE(recv, nullptr);
  EXPECT_TRUE(recv->attrs().GetOr<bool>("_hostmem_sendrecv", false));
  ASSERT_EQ(recv->control_in_edges().size(), 1U);
  EXPECT_EQ(recv->control_in_edges()[0]->src, send);
  EXPECT_THAT(InputsOf(kGpuB, "c"), ElementsAre("b"));
}

TEST_F(PartitionTest, MemoriesOfACpuAreOne) {
  options_.output_in_host_memory = [](const graph::Node&, int) { return true; };
  Cut("a Const A\n"
      "b Identity A a\n");
  EXPECT_THAT(InputsOf(kA, "b"), ElementsAre("a"));
}

TEST_F(PartitionTest, FloatsTravelAsBfloat16WhenAsked) {
  options_.bfloat16_transfer = true;
  Cut("a Const A\n"
      "b Identity B a\n"
      "c Identity B a ^d\n"
      "d NoOp A\n");
  const graph::Node* send = Transfer(kA, "_Send", "a");
  ASSERT_NE(send, nullptr);
  EXPECT_EQ(send->input_types()[0], DType::kBfloat16);
  const graph::Node* narrow = send->input(0).node;
  EXPECT_EQ(narrow->op(), "Cast");
  EXPECT_TRUE(narrow->attrs().GetOr<bool>("Truncate", false));
  EXPECT_EQ(OpsOf(kB)["Cast"], 1);
  const graph::Node* widen = Part(kB).FindNode("b")->input(0).node;
  EXPECT_EQ(widen->op(), "Cast");
  EXPECT_EQ(widen->output_types()[0], DType::kFloat);
  EXPECT_EQ(Part(kB).FindNode("c")->input(0).node, widen);
  EXPECT_EQ(Transfer(kA, "_Send", "d")->input_types()[0], DType::kFloat);  // control edges do not
}

TEST_F(PartitionTest, ReferenceIsReadLateAndForEachConsumer) {
  Cut("v VariableV2 A\n"
      "x Const B\n"
      "n NoOp B\n"
      "b AddV2 B v x ^n\n"
      "c Identity B v\n");
  EXPECT_EQ(OpsOf(kB)["_Recv"], 2);
  const graph::Node* late = Part(kB).FindNode("b")->input(0).node;
  EXPECT_EQ(late->output_types()[0], DType::kFloat);
  EXPECT_THAT(InputsOf(kB, late->name()), ElementsAre("^x", "^n"));
}

TEST_F(PartitionTest, ReferenceToWriteDoesNotTravel) {
  auto graph = Build(
      "v VariableV2 A\n"
      "x Const B\n"
      "w Assign B v x\n");
  const auto parts = Partition(options_, *graph);
  EXPECT_EQ(parts.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(parts.status())), HasSubstr("node 'w'"));
}

TEST_F(PartitionTest, UnplacedNodeIsAnError) {
  auto graph = Build("v VariableV2 A\n");
  graph->FindNode("v")->set_assigned_device("");
  EXPECT_EQ(Partition(options_, *graph).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(PartitionTest, MissingInputIsAnError) {
  auto graph = Build(
      "a Const A\n"
      "b Identity A a\n");
  graph->RemoveEdge(graph->FindNode("b")->input_edge(0));
  const Status status = Partition(options_, *graph).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("missing input 0 of b"));
}

op::AttrMap FeedAttrs(std::string_view name, int64_t incarnation) {
  return {{"tensor_name", std::string(name)},
          {"send_device", std::string(kA)},
          {"send_device_incarnation", incarnation},
          {"recv_device", std::string(kA)},
          {"client_terminated", true}};
}

TEST_F(PartitionTest, FeedsAndFetchesStayAndGetTheirIncarnation) {
  auto graph = Build("a Identity A x\nx Const A\n");
  op::AttrMap feed = FeedAttrs("x:0", 0);
  feed.Set("tensor_type", DType::kFloat);
  graph::Node* recv = *graph->AddNode(
      {.name = "_recv_x_0", .op = "_Recv", .attrs = feed, .device = std::string(kA)});
  recv->set_assigned_device(kA);
  graph->ReplaceInput(graph->FindNode("a"), 0, {recv, 0});
  op::AttrMap fetch = FeedAttrs("a:0", 77);
  fetch.Set("T", DType::kFloat);
  graph::Node* send = *graph->AddNode(
      {.name = "_send_a_0", .op = "_Send", .attrs = fetch, .device = std::string(kA)});
  send->set_assigned_device(kA);
  graph->AddEdge({graph->FindNode("a"), 0}, send, 0);
  CutGraph(std::move(graph));
  const op::AttrMap& filled = Part(kA).FindNode("_recv_x_0")->attrs();
  EXPECT_EQ(filled.GetOr<int64_t>("send_device_incarnation", 0), 11);
  EXPECT_EQ(filled.GetOr<std::string>("tensor_name", ""), "x:0");
  EXPECT_EQ(Part(kA).FindNode("_send_a_0")->attrs().GetOr<int64_t>("send_device_incarnation", 0),
            77);
}

TEST_F(PartitionTest, IncarnationsAreFilledInFunctionBodies) {
  auto graph = Build("a Const A\n");
  graph::FunctionLibrary library;
  graph::FunctionDef function;
  function.signature.name = "f";
  function.nodes.push_back({.name = "r", .op = "_Recv", .attrs = FeedAttrs("t", 0)});
  library.functions.push_back(function);
  graph->set_library(std::make_shared<const graph::FunctionIndex>(library));
  CutGraph(std::move(graph));
  const graph::FunctionDef* filled = Part(kA).library()->Find("f");
  ASSERT_NE(filled, nullptr);
  EXPECT_EQ(filled->nodes[0].attrs.GetOr<int64_t>("send_device_incarnation", 0), 11);
}

TEST_F(PartitionTest, VersionsAreKept) {
  auto graph = Build("a Const A\nb Identity B a\n");
  const graph::Versions versions{.producer = 1234};
  graph->set_versions(versions);
  CutGraph(std::move(graph));
  EXPECT_EQ(Part(kB).versions(), versions);
}

TEST_F(PartitionTest, ConditionalCrossesWithoutControlLoops) {
  Cut("p Placeholder A\n"
      "x Const A\n"
      "s Switch B x p\n"
      "t Identity B s:1\n"
      "f Identity A s:0\n"
      "m Merge A f t\n");
  EXPECT_EQ(OpsOf(kB).count("Enter"), 0U);
  EXPECT_EQ(Part(kA).FindNode("s")->op(), "Switch");  // moved to its data
  EXPECT_THAT(InputsOf(kA, "m"), ElementsAre("f", "_Recv:t"));
}

}  // namespace
}  // namespace rheo::partition
