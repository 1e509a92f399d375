#include "rheo/worker/transfer_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/worker/cost_graph.h"

namespace rheo::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Pair;
using ::testing::StartsWith;

const rendezvous::Channel kChannel = {.src_device = "/job:a/task:0/device:CPU:0",
                                      .dst_device = "/job:b/task:0/device:CPU:0",
                                      .edge = "edge_3_x"};

TEST(TransferLogTest, GivesReceivesOfAStepOnce) {
  TransferLog log;
  log.Add(StepId(7), kChannel, trace::NowNanos(), 12);
  log.Add(StepId(7), kChannel, trace::NowNanos(), 1 << 20);
  log.Add(StepId(8), kChannel, trace::NowNanos(), 1);
  const trace::StepStats stats = log.Take(StepId(7));
  ASSERT_EQ(stats.devices.size(), 1u);
  EXPECT_EQ(stats.devices[0].device, kChannel.dst_device);
  ASSERT_EQ(stats.devices[0].nodes.size(), 2u);
  const trace::NodeStats& node = stats.devices[0].nodes[0];
  EXPECT_EQ(node.node_name, "RecvTensor");
  EXPECT_THAT(node.label, StartsWith("[12B] ["));
  EXPECT_THAT(node.label, EndsWith("Mb/s] edge_3_x from /job:a/task:0/device:CPU:0 to "
                                   "/job:b/task:0/device:CPU:0"));
  EXPECT_THAT(stats.devices[0].nodes[1].label, StartsWith("[1.0MB] ["));
  EXPECT_GT(node.end_rel_nanos, 0);
  EXPECT_TRUE(log.Take(StepId(7)).devices.empty());
  EXPECT_EQ(log.Take(StepId(8)).devices.size(), 1u);
}

TEST(TransferLogTest, CountsItsUsersAndKeepsTheNewestSteps) {
  TransferLog log;
  log.Disable();
  log.Enable();
  log.Enable();
  log.Disable();
  EXPECT_TRUE(log.is_enabled());
  log.Disable();
  EXPECT_FALSE(log.is_enabled());
  for (int i = 0; i < 1000; ++i) log.Add(StepId(i), kChannel, 0, 1);
  EXPECT_TRUE(log.Take(StepId(0)).devices.empty());
  EXPECT_FALSE(log.Take(StepId(999)).devices.empty());
}

TEST(CostGraphTest, HasNodesWithTheirTimes) {
  graph::GraphDef part;
  part.nodes = {{.name = "a", .op = "_Recv", .device = "d"},
                {.name = "b", .op = "Add", .inputs = {"a", "a:1", "^a"}, .device = "d"},
                {.name = "c", .op = "_Send", .inputs = {"b"}, .device = "d"}};
  trace::StepStats stats;
  stats.devices.push_back({.device = "d", .nodes = {{.node_name = "b", .end_rel_nanos = 5000}}});
  stats.devices[0].nodes[0].outputs.push_back({.dtype = 1, .dims = {2}, .num_bytes = 8});
  const trace::CostGraph costs = CostsOf(part, stats);
  ASSERT_EQ(costs.size(), 5u);
  EXPECT_EQ(costs[1].name, "_SINK");
  EXPECT_THAT(costs[1].control_inputs, ElementsAre(0, 4));
  EXPECT_THAT(costs[2].control_inputs, ElementsAre(0));
  EXPECT_THAT(costs[3].inputs, ElementsAre(Pair(2, 0), Pair(2, 1)));
  EXPECT_THAT(costs[3].control_inputs, ElementsAre(2));
  EXPECT_EQ(costs[3].compute_micros, 5);
  EXPECT_EQ(costs[3].outputs.at(0).num_bytes, 8);
  EXPECT_TRUE(costs[4].is_final);
}

}  // namespace
}  // namespace rheo::worker
