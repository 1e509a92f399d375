// Export(): from Graph to GraphDef.
#include <fmt/format.h>

#include <algorithm>

#include "rheo/graph/import.h"

namespace rheo::graph {
namespace {

std::vector<std::string> InputNames(const Node& node) {
  std::vector<std::string> names;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Endpoint source = node.input(i);
    if (source.node == nullptr) continue;
    names.push_back(source.index == 0 ? source.node->name()
                                      : fmt::format("{}:{}", source.node->name(), source.index));
  }
  const auto first_control = static_cast<std::ptrdiff_t>(names.size());
  for (const Edge* edge : node.control_in_edges()) names.push_back('^' + edge->src->name());
  std::sort(names.begin() + first_control, names.end());
  return names;
}

NodeDef ExportNode(const Node& node, const ExportOptions& options) {
  NodeDef def{.name = node.name(),
              .op = node.op(),
              .inputs = InputNames(node),
              .device = options.assigned_devices ? node.assigned_device() : node.requested_device(),
              .attrs = node.attrs(),
              .extra = node.extra()};
  if (options.strip_default_attrs) op::StripDefaultAttrs(node.schema(), def.attrs);
  return def;
}

// Marks functions and everything they mention.
class FunctionMarker {
 public:
  explicit FunctionMarker(const FunctionIndex& library) : library_(library) {}

  void MarkNode(std::string_view op, const op::AttrMap& attrs) {
    Mark(op);
    MarkAttrs(attrs);
    while (!pending_.empty()) {
      const FunctionDef* function = pending_.back();
      pending_.pop_back();
      MarkAttrs(function->attrs);
      for (const NodeDef& node : function->nodes) {
        Mark(node.op);
        MarkAttrs(node.attrs);
      }
      Mark(library_.FindGradient(function->signature.name));
    }
  }

  FunctionLibrary Result() const {
    FunctionLibrary result;
    result.extra = library_.library().extra;
    for (const FunctionDef& function : library_.library().functions) {
      if (marked_.contains(function.signature.name)) result.functions.push_back(function);
    }
    for (const GradientDef& gradient : library_.library().gradients) {
      if (marked_.contains(gradient.function)) result.gradients.push_back(gradient);
    }
    return result;
  }

 private:
  void Mark(std::string_view name) {
    const FunctionDef* function = library_.Find(name);
    if (function != nullptr && marked_.insert(std::string(name)).second) {
      pending_.push_back(function);
    }
  }

  void MarkFunction(const op::FuncRef& function) {
    Mark(function.name);
    MarkAttrs(function.attrs);
  }

  void MarkAttrs(const op::AttrMap& attrs) {
    for (const auto& [name, value] : attrs) {
      if (const op::FuncRef* function = value.func()) MarkFunction(*function);
      if (const op::AttrList* list = value.list()) {
        for (const op::FuncRef& function : list->funcs) MarkFunction(function);
      }
    }
  }

  const FunctionIndex& library_;
  StringSet marked_;
  std::vector<const FunctionDef*> pending_;
};

}  // namespace

GraphDef Export(const Graph& graph, const ExportOptions& options) {
  GraphDef def;
  def.versions = graph.versions();
  def.nodes.reserve(static_cast<size_t>(graph.num_nodes()));
  FunctionMarker marker(*graph.library());
  for (const Node* node : graph.nodes()) {
    def.nodes.push_back(ExportNode(*node, options));
    if (options.reachable_functions_only) marker.MarkNode(node->op(), node->attrs());
  }
  def.library = options.reachable_functions_only ? marker.Result() : graph.library()->library();
  return def;
}

}  // namespace rheo::graph
