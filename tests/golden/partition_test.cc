// A loop and a conditional over two tasks are cut as TensorFlow's master cuts them, up to the names
// of added nodes and the numbers of edges.
#include "rheo/partition/partition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "golden_files.h"
#include "rheo/device/device_name.h"
#include "rheo/graph/traversal.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/op/op_schema.h"
#include "rheo/passes/passes.h"
#include "rheo/placer/placer.h"

namespace rheo::golden {
namespace {

using graph::Graph;
using graph::Node;

// True when position `index` belongs to an argument that the node's CPU kernel keeps in host
// memory.
bool InHostMemory(const op::KernelCatalog& catalog, const Node& node,
                  const std::vector<op::ArgSpec>& args, int index) {
  const op::KernelRow* row = catalog.Find(node.op(), "CPU", node.attrs());
  const auto ranges = op::ResolveRanges(args, node.attrs());
  if (row == nullptr || !ranges.ok()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (index < (*ranges)[i].begin || index >= (*ranges)[i].end) continue;
    for (const std::string& name : row->host_memory_args) {
      if (name == args[i].name) return true;
    }
  }
  return false;
}

// Nodes of a part by what they are and what they read, independent of the names of added nodes:
// labels start from op, device and (of the client's nodes) name, and take in those of the inputs
// until they reach around every loop.
std::multiset<std::string> Labels(const Graph& part, const std::set<std::string>& client_names) {
  std::map<const Node*, std::string> labels;
  for (const Node* node : part.nodes()) {
    const op::AttrMap& attrs = node->attrs();
    labels[node] = fmt::format("{}({}) on {}, {} to {}, frame {}", node->op(),
                               client_names.contains(node->name()) ? node->name() : "",
                               node->requested_device(), attrs.GetOr<std::string>("_src", ""),
                               attrs.GetOr<std::string>("recv_device", ""),
                               attrs.GetOr<std::string>("frame_name", ""));
  }
  std::hash<std::string> hash;
  for (int round = 0; round < 8; ++round) {
    std::map<const Node*, std::string> next;
    for (const Node* node : part.nodes()) {
      std::vector<std::string> inputs;
      for (const graph::Edge* edge : node->in_edges()) {
        inputs.push_back(
            fmt::format("{}:{}→{}", hash(labels[edge->src]), edge->src_index, edge->dst_index));
      }
      std::sort(inputs.begin(), inputs.end());
      const std::string own = labels[node].substr(0, labels[node].find(" <- "));
      next[node] = fmt::format("{} <- {}", own, fmt::join(inputs, " "));
    }
    labels = std::move(next);
  }
  std::multiset<std::string> result;
  for (const auto& [node, label] : labels) result.insert(label);
  return result;
}

struct Case {
  std::string name;
  std::vector<std::string> feeds;
};

class GoldenPartitionTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ops_.AddTable(op::PublicOpTable()).ok());
    auto catalog = op::KernelCatalog::Parse(op::TensorFlowKernelTable());
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  // As a master at /job:worker/task:0 prepares a step: place all, prune, cut by task.
  void Cut() {
    graph_ = ReadGraph("partition/" + GetParam().name + ".client.pbtxt", ops_);
    ASSERT_NE(graph_, nullptr);
    placer::Request request;
    request.master_task = device::TaskName("worker", 0);
    request.catalog = [this](std::string_view) { return &catalog_; };
    for (const std::string& task : {device::TaskName("ps", 0), request.master_task}) {
      request.devices.push_back({.name = task + "/device:CPU:0", .type = "CPU"});
    }
    const auto placed = placer::Place(request, *graph_);
    ASSERT_TRUE(placed.ok()) << placed.status();
    const Status pruned = passes::Prune({.feeds = GetParam().feeds,
                                         .fetches = {"out:0"},
                                         .targets = {},
                                         .client_device = request.master_task + "/device:CPU:0",
                                         .client_incarnation = Incarnation(1)},
                                        *graph_);
    ASSERT_TRUE(pruned.ok()) << pruned;
    for (const Node* node : graph_->nodes()) client_names_.insert(node->name());
    auto parts = partition::Partition(MakeOptions(), *graph_);
    ASSERT_TRUE(parts.ok()) << parts.status();
    parts_ = *std::move(parts);
  }

  partition::Options MakeOptions() {
    partition::Options options;
    options.location = [](const std::string& device) {
      return device.substr(0, device.find("/device:"));
    };
    options.incarnation = [](const std::string&) { return Incarnation(1); };
    options.unique_name = [this](std::string_view prefix) {
      return fmt::format("{}_S{}", prefix, next_name_++);
    };
    options.output_in_host_memory = [this](const Node& node, int index) {
      return InHostMemory(catalog_, node, node.schema().outputs, index);
    };
    options.input_in_host_memory = [this](const Node& node, int index) {
      return InHostMemory(catalog_, node, node.schema().inputs, index);
    };
    return options;
  }

  void Compare(const std::string& job) {
    const auto expected =
        ReadGraph(fmt::format("partition/{}.{}.pbtxt", GetParam().name, job), ops_);
    ASSERT_NE(expected, nullptr);
    const auto found = parts_.find(device::TaskName(job, 0));
    ASSERT_NE(found, parts_.end());
    EXPECT_THAT(Labels(*found->second, client_names_),
                ::testing::ContainerEq(Labels(*expected, client_names_)));
  }

  op::OpRegistry ops_;
  op::KernelCatalog catalog_;
  std::unique_ptr<Graph> graph_;
  std::set<std::string> client_names_;
  std::map<std::string, std::unique_ptr<Graph>> parts_;
  int next_name_ = 0;
};

TEST_P(GoldenPartitionTest, PartsAreThoseOfTensorFlow) {
  Cut();
  if (HasFatalFailure()) return;
  EXPECT_EQ(parts_.size(), 2U);
  Compare("worker");
  Compare("ps");
}

INSTANTIATE_TEST_SUITE_P(Graphs, GoldenPartitionTest,
                         ::testing::Values(Case{"while", {"n:0"}}, Case{"cond", {"p:0", "x:0"}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rheo::golden
