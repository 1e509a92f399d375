#include "rheo/graph/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "rheo/device/device_name.h"
#include "rheo/graph/node_names.h"
#include "rheo/graph/traversal.h"

namespace rheo::graph {
namespace {

std::string NodeText(std::string_view name) { return fmt::format("{{{{node {}}}}}", name); }

Status CheckVersions(const Versions& versions) {
  constexpr int kMinProducer = 0;
  if (kProducerVersion < versions.min_consumer) {
    return InvalidArgument(
        "GraphDef min consumer version {} above current version {} for TensorFlow 2.21.0.  Please "
        "upgrade TensorFlow.",
        versions.min_consumer, kProducerVersion);
  }
  if (versions.producer < kMinProducer) {
    return InvalidArgument("GraphDef producer version {} below min producer {}", versions.producer,
                           kMinProducer);
  }
  const std::vector<int>& bad = versions.bad_consumers;
  if (std::find(bad.begin(), bad.end(), kProducerVersion) != bad.end()) {
    return InvalidArgument(
        "GraphDef disallows consumer version {}.  Please upgrade TensorFlow: this version is "
        "likely buggy.",
        kProducerVersion);
  }
  return OkStatus();
}

// A graph of several parts can be read by whoever can read each of them.
void MergeVersions(const Versions& added, Graph& graph) {
  Versions merged = graph.versions();
  if (graph.num_nodes() == 0 && merged == Versions{}) {
    graph.set_versions(added);
    return;
  }
  merged.producer = std::min(merged.producer, added.producer);
  merged.min_consumer = std::max(merged.min_consumer, added.min_consumer);
  for (const int bad : added.bad_consumers) {
    if (std::find(merged.bad_consumers.begin(), merged.bad_consumers.end(), bad) ==
        merged.bad_consumers.end()) {
      merged.bad_consumers.push_back(bad);
    }
  }
  graph.set_versions(std::move(merged));
}

class Importer {
 public:
  Importer(const GraphDef& def, const ImportOptions& options, Graph& graph)
      : def_(def), options_(options), graph_(graph) {}

  Status Run() {
    RHEO_RETURN_IF_ERROR(CheckVersions(def_.versions));
    MergeVersions(def_.versions, graph_);
    RHEO_ASSIGN_OR_RETURN(FunctionLibraryRef library,
                          MergeLibraries(graph_.library(), def_.library));
    if (library != graph_.library()) graph_.set_library(std::move(library));
    nodes_.reserve(def_.nodes.size());
    for (const NodeDef& node : def_.nodes) RHEO_RETURN_IF_ERROR(AddNode(node));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      RHEO_RETURN_IF_ERROR(Connect(def_.nodes[i], nodes_[i]));
    }
    return TopologicalOrder(graph_).status();
  }

 private:
  Status AddNode(const NodeDef& def) {
    if (!IsLegalNodeName(def.name, options_.allow_internal_names)) {
      return InvalidArgument("Illegal op name '{}'", def.name);
    }
    RHEO_RETURN_IF_ERROR(CheckDevice(def));
    RHEO_ASSIGN_OR_RETURN(Node * node, graph_.AddNode({.name = def.name,
                                                       .op = def.op,
                                                       .attrs = def.attrs,
                                                       .device = def.device,
                                                       .extra = def.extra}));
    nodes_.push_back(node);
    return OkStatus();
  }

  Status CheckDevice(const NodeDef& def) {
    if (def.device.empty() || def.device == last_good_device_) return OkStatus();
    if (!device::DeviceName::Parse(def.device).ok()) {
      return InvalidArgument("Malformed device specification '{}' in node: {}", def.device,
                             NodeText(def.name));
    }
    last_good_device_ = def.device;
    return OkStatus();
  }

  Status Connect(const NodeDef& def, Node* node) {
    int next_input = 0;
    bool control_seen = false;
    for (const std::string& text : def.inputs) {
      const std::optional<InputRef> ref = ParseInputRef(text);
      if (!ref) return InvalidArgument("Illegal op input name '{}': {}", text, NodeText(def.name));
      Node* source = graph_.FindNode(ref->node);
      if (source == nullptr) {
        return InvalidArgument("Node '{}': Unknown input node '{}'", def.name, text);
      }
      if (ref->index == kControlSlot) {
        control_seen = true;
        graph_.AddControlEdge(source, node);
        continue;
      }
      if (control_seen) {
        return InvalidArgument("All control inputs must follow all data inputs: {}",
                               NodeText(def.name));
      }
      RHEO_RETURN_IF_ERROR(graph_.CheckedAddEdge({source, ref->index}, node, next_input++));
    }
    if (options_.require_all_inputs && next_input < node->num_inputs()) {
      return InvalidArgument("Incomplete graph, missing {} inputs for {}",
                             node->num_inputs() - next_input, def.name);
    }
    return OkStatus();
  }

  const GraphDef& def_;
  const ImportOptions& options_;
  Graph& graph_;
  std::vector<Node*> nodes_;  // as def_.nodes
  std::string_view last_good_device_;
};

}  // namespace

Status Import(const GraphDef& def, const ImportOptions& options, Graph& graph) {
  return Importer(def, options, graph).Run();
}

StatusOr<std::unique_ptr<Graph>> ImportNew(const GraphDef& def, const ImportOptions& options,
                                           const op::OpRegistry& ops) {
  auto graph = std::make_unique<Graph>(ops);
  RHEO_RETURN_IF_ERROR(Import(def, options, *graph));
  return graph;
}

Status ValidateForExecution(const Node& node, const Versions& versions) {
  int missing = 0;
  for (int i = 0; i < node.num_inputs(); ++i) missing += node.input_edge(i) == nullptr ? 1 : 0;
  if (missing > 0) {
    return InvalidArgument("Incomplete graph, missing {} inputs for {}", missing, node.name());
  }
  const op::OpSchema& schema = node.schema();
  RHEO_RETURN_IF_ERROR(Append(op::ValidateAttrs(schema, node.attrs()),
                              fmt::format("; NodeDef: {}", NodeText(node.name()))));
  if (schema.deprecated_version > 0 && versions.producer >= schema.deprecated_version) {
    const std::string& advice = schema.deprecation_text;
    return Unimplemented(
        "Op {} is not available in GraphDef version {}. It has been removed in version {}.{}{} "
        "NodeDef: {}",
        node.op(), versions.producer, schema.deprecated_version, advice.empty() ? "" : " ", advice,
        NodeText(node.name()));
  }
  return OkStatus();
}

}  // namespace rheo::graph
