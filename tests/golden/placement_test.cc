// Every node of three client graphs goes where TensorFlow's master puts it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden_files.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/placer/placer.h"

namespace rheo::golden {
namespace {

class GoldenPlacementTest : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenPlacementTest, EveryNodeGoesWhereTensorFlowPutsIt) {
  op::OpRegistry ops;
  ASSERT_TRUE(ops.AddTable(op::PublicOpTable()).ok());
  const auto catalog = op::KernelCatalog::Parse(op::TensorFlowKernelTable());
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const std::string prefix = std::string("placement/") + GetParam();
  const auto graph = ReadGraph(prefix + ".graph.pb", ops);
  ASSERT_NE(graph, nullptr);

  placer::Request request;
  for (const char* job : {"ps", "worker"}) {
    for (int task = 0; task < 2; ++task) {
      request.devices.push_back(
          {.name = device::TaskName(job, task) + "/device:CPU:0", .type = "CPU"});
    }
  }
  request.master_task = device::TaskName("worker", 1);
  request.catalog = [&catalog](std::string_view) { return &*catalog; };
  const auto result = placer::Place(request, *graph);
  ASSERT_TRUE(result.ok()) << result.status();

  const auto expected = nlohmann::json::parse(ReadFile(prefix + ".devices.json"));
  EXPECT_EQ(static_cast<int>(expected.size()), graph->num_nodes());
  for (const auto& [name, device] : expected.items()) {
    const graph::Node* node = graph->FindNode(name);
    ASSERT_NE(node, nullptr) << name;
    EXPECT_EQ(node->assigned_device(), device.get<std::string>()) << name << " " << node->op();
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GoldenPlacementTest,
                         ::testing::Values("plain", "ref", "resource"));

}  // namespace
}  // namespace rheo::golden
