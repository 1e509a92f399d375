#include "rheo/worker/cost_graph.h"

#include <optional>
#include <string>
#include <string_view>

#include "rheo/base/string_map.h"
#include "rheo/graph/graph.h"
#include "rheo/graph/node_names.h"

namespace rheo::worker {
namespace {

constexpr int kSourceId = 0;
constexpr int kSinkId = 1;
constexpr int kFirstId = 2;
constexpr int64_t kNanosPerMicro = 1000;

using MeasuredNodes = StringViewMap<const trace::NodeStats*>;

// In a loop the last run of a node counts.
MeasuredNodes ByName(const trace::StepStats& stats, std::string_view device) {
  MeasuredNodes nodes;
  for (const trace::DeviceStats& d : stats.devices) {
    if (d.device != device) continue;
    for (const trace::NodeStats& node : d.nodes) nodes[node.node_name] = &node;
  }
  return nodes;
}

void AddInput(std::string_view input, const StringViewMap<int>& ids, trace::CostNode& node) {
  const std::optional<graph::InputRef> ref = graph::ParseInputRef(input);
  if (!ref) return;
  const auto source = ids.find(ref->node);
  if (source == ids.end()) return;
  if (ref->index == graph::kControlSlot) {
    node.control_inputs.push_back(source->second);
  } else {
    node.inputs.emplace_back(source->second, ref->index);
  }
}

bool IsSend(const graph::NodeDef& node) { return node.op == "_Send" || node.op == "_HostSend"; }
bool IsRecv(const graph::NodeDef& node) { return node.op == "_Recv" || node.op == "_HostRecv"; }

trace::CostNode CostOf(const graph::NodeDef& def, int id, const StringViewMap<int>& ids,
                       const MeasuredNodes& measured) {
  trace::CostNode node{.name = def.name, .device = def.device, .id = id, .is_final = IsSend(def)};
  for (const std::string& input : def.inputs) AddInput(input, ids, node);
  if (def.inputs.empty()) node.control_inputs.push_back(kSourceId);
  if (const auto stats = measured.find(def.name); stats != measured.end()) {
    node.outputs = stats->second->outputs;
    node.compute_micros = stats->second->end_rel_nanos / kNanosPerMicro;
  } else if (IsRecv(def)) {
    node.outputs.emplace_back();
  }
  return node;
}

}  // namespace

trace::CostGraph CostsOf(const graph::GraphDef& part, const trace::StepStats& stats) {
  trace::CostGraph costs;
  costs.push_back({.name = "_SOURCE", .id = kSourceId});
  costs.push_back({.name = "_SINK", .id = kSinkId, .control_inputs = {kSourceId}});
  if (part.nodes.empty()) return costs;
  StringViewMap<int> ids;
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    ids.emplace(part.nodes[i].name, kFirstId + static_cast<int>(i));
  }
  const MeasuredNodes measured = ByName(stats, part.nodes.front().device);
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    costs.push_back(CostOf(part.nodes[i], kFirstId + static_cast<int>(i), ids, measured));
    if (costs.back().is_final) costs[kSinkId].control_inputs.push_back(costs.back().id);
  }
  return costs;
}

}  // namespace rheo::worker
