// Test helpers: graphs written one node a line, and checks that hold for every partition.
#ifndef RHEO_PARTITION_LINE_GRAPH_FOR_TEST_H_
#define RHEO_PARTITION_LINE_GRAPH_FOR_TEST_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "rheo/graph/graph.h"
#include "rheo/graph/import.h"
#include "rheo/graph/traversal.h"
#include "rheo/partition/partition.h"

namespace rheo::partition {

inline constexpr std::string_view kA = "/job:a/replica:0/task:0/device:CPU:0";
inline constexpr std::string_view kB = "/job:b/replica:0/task:0/device:CPU:0";
inline constexpr std::string_view kC = "/job:c/replica:0/task:0/device:CPU:0";
inline constexpr std::string_view kGpuB = "/job:b/replica:0/task:0/device:GPU:0";

inline std::string DeviceOfLetter(std::string_view letter) {
  if (letter == "A") return std::string(kA);
  if (letter == "B") return std::string(kB);
  if (letter == "C") return std::string(kC);
  return std::string(kGpuB);
}

inline op::AttrMap AttrsFor(const std::string& op, const std::string& frame) {
  if (op == "Const") return {{"dtype", DType::kFloat}, {"value", Tensor(DType::kFloat, Shape())}};
  if (op == "Placeholder") return {{"dtype", DType::kBool}};
  if (op == "VariableV2") return {{"dtype", DType::kFloat}, {"shape", Shape()}};
  if (op == "LoopCond" || op == "NoOp") return {};
  if (op == "Enter") return {{"T", DType::kFloat}, {"frame_name", frame}};
  if (op == "Merge") return {{"T", DType::kFloat}, {"N", int64_t{2}}};
  return {{"T", DType::kFloat}};
}

// Lines "name op device-letter input…"; the frame of an Enter follows its op: "Enter:frame".
inline graph::GraphDef ParseLines(const std::string& text) {
  graph::GraphDef def;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    graph::NodeDef node;
    std::string op;
    std::string letter;
    if (!(words >> node.name >> op >> letter)) continue;
    const size_t colon = op.find(':');
    node.op = op.substr(0, colon);
    node.attrs = AttrsFor(node.op, colon == std::string::npos ? "" : op.substr(colon + 1));
    node.device = DeviceOfLetter(letter);
    for (std::string input; words >> input;) node.inputs.push_back(input);
    def.nodes.push_back(std::move(node));
  }
  return def;
}

using Parts = std::map<std::string, std::unique_ptr<graph::Graph>>;

inline std::string TaskOf(const std::string& device) {
  return device.substr(0, device.find("/device:"));
}

// "outer/inner" of the loops around each node, by name.
inline std::map<std::string, std::string> FramePaths(const graph::Graph& graph) {
  const auto infos = graph::ComputeFrames(graph);
  EXPECT_TRUE(infos.ok()) << infos.status();
  std::map<std::string, std::string> paths;
  if (!infos.ok()) return paths;
  for (const graph::Node* node : graph.nodes()) {
    std::string path;
    for (const auto* info = &(*infos)[static_cast<size_t>(node->id())]; info->parent != nullptr;
         info = &(*infos)[static_cast<size_t>(info->parent->id())]) {
      path.insert(0, "/" + info->frame_name);
    }
    paths[node->name()] = path;
  }
  return paths;
}

class PartitionTestBase : public ::testing::Test {
 protected:
  PartitionTestBase() {
    EXPECT_TRUE(ops_.AddTable(op::PublicOpTable()).ok());
    options_.location = TaskOf;
    options_.incarnation = [](const std::string& device) {
      return Incarnation(device == kA ? 11 : 22);
    };
    options_.unique_name = [this](std::string_view prefix) {
      return fmt::format("{}_S{}", prefix, next_name_++);
    };
  }

  std::unique_ptr<graph::Graph> Build(const std::string& lines) {
    auto graph = graph::ImportNew(ParseLines(lines), {.allow_internal_names = true}, ops_);
    EXPECT_TRUE(graph.ok()) << graph.status();
    for (graph::Node* node : (*graph)->nodes()) {
      node->set_assigned_device(node->requested_device());
    }
    return *std::move(graph);
  }

  // Cuts, and checks what holds for all partitions.
  void Cut(const std::string& lines) { CutGraph(Build(lines)); }

  void CutGraph(std::unique_ptr<graph::Graph> graph) {
    std::set<std::string> names;
    for (const graph::Node* node : graph->nodes()) names.insert(node->name());
    auto parts = Partition(options_, *graph);
    ASSERT_TRUE(parts.ok()) << parts.status();
    parts_ = *std::move(parts);
    CheckNames(names);
    CheckPairs();
    CheckExport();
  }

  // Every node of the graph is in one part, and no name is used twice.
  void CheckNames(std::set<std::string> expected) {
    std::set<std::string> seen;
    for (const auto& [location, part] : parts_) {
      for (const graph::Node* node : part->nodes()) {
        EXPECT_TRUE(seen.insert(node->name()).second) << node->name() << " is there twice";
        EXPECT_EQ(options_.location(node->assigned_device()), location) << node->name();
        expected.erase(node->name());
      }
    }
    EXPECT_TRUE(expected.empty()) << *expected.begin() << " is lost";
  }

  // Every Recv that no client feeds has one Send in the same frame, and the other way round.
  void CheckPairs() {
    std::map<std::string, std::vector<std::string>> frames_by_key[2];
    for (const auto& [location, part] : parts_) {
      const auto paths = FramePaths(*part);
      for (const graph::Node* node : part->nodes()) {
        const bool recv = IsRecv(*node);
        if (!recv && !IsSend(*node)) continue;
        const op::AttrMap& attrs = node->attrs();
        if (attrs.GetOr<bool>("client_terminated", false)) continue;
        const std::string src = attrs.GetOr<std::string>("send_device", "");
        const std::string dst = attrs.GetOr<std::string>("recv_device", "");
        EXPECT_EQ(node->assigned_device(), recv ? dst : src) << node->name();
        EXPECT_EQ(attrs.GetOr<int64_t>("send_device_incarnation", 0),
                  static_cast<int64_t>(options_.incarnation(src).value));
        frames_by_key[recv][src + dst + attrs.GetOr<std::string>("tensor_name", "")].push_back(
            paths.at(node->name()));
      }
    }
    EXPECT_EQ(frames_by_key[0], frames_by_key[1]);
    for (const auto& [key, paths] : frames_by_key[0]) EXPECT_EQ(paths.size(), 1U) << key;
  }

  // Every part can be sent and read again: all inputs are there, and sources come first.
  void CheckExport() {
    for (const auto& [location, part] : parts_) {
      const auto again =
          graph::ImportNew(graph::Export(*part, {.assigned_devices = true}),
                           {.allow_internal_names = true, .require_all_inputs = true}, ops_);
      EXPECT_TRUE(again.ok()) << location << ": " << again.status();
      std::set<int> seen;
      for (const graph::Node* node : part->nodes()) {
        for (const graph::Edge* edge : node->in_edges()) {
          EXPECT_TRUE(IsNextIteration(*edge->src) || seen.contains(edge->src->id()))
              << edge->src->name() << " comes after " << node->name();
        }
        seen.insert(node->id());
      }
    }
  }

  const graph::Graph& Part(std::string_view device) {
    return *parts_.at(options_.location(std::string(device)));
  }

  // "name" or "op:name-of-its-source" of the data inputs and "^…" of the control inputs of a node.
  std::vector<std::string> InputsOf(std::string_view device, std::string_view name) {
    const graph::Node* node = Part(device).FindNode(name);
    std::vector<std::string> inputs;
    if (node == nullptr) return {"no such node"};
    for (const graph::Edge* edge : node->in_edges()) {
      const std::string src = edge->src->attrs().GetOr<std::string>("_src", "");
      const std::string text = src.empty() ? edge->src->name() : edge->src->op() + ":" + src;
      inputs.push_back(edge->is_control() ? "^" + text : text);
    }
    return inputs;
  }

  // How many nodes of each op a part has.
  std::map<std::string, int> OpsOf(std::string_view device) {
    std::map<std::string, int> counts;
    for (const graph::Node* node : Part(device).nodes()) ++counts[node->op()];
    return counts;
  }

  // The only node with that op and `_src`; nullptr when there is none or there are several.
  const graph::Node* Transfer(std::string_view device, std::string_view op, std::string_view src) {
    const graph::Node* found = nullptr;
    for (const graph::Node* node : Part(device).nodes()) {
      if (node->op() != op || node->attrs().GetOr<std::string>("_src", "") != src) continue;
      if (found != nullptr) return nullptr;
      found = node;
    }
    return found;
  }

  op::OpRegistry ops_;
  Options options_;
  Parts parts_;
  int next_name_ = 0;
};

}  // namespace rheo::partition

#endif  // RHEO_PARTITION_LINE_GRAPH_FOR_TEST_H_
