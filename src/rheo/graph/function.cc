// InstantiateFunction(): the body of a function as a graph.
#include "rheo/graph/function.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "rheo/graph/traversal.h"

namespace rheo::graph {
namespace {

// Values in place of placeholders, also inside of the attrs of functions that `value` names.
StatusOr<op::AttrValue> Bind(const op::AttrValue& value, const op::AttrMap& bindings);

StatusOr<op::AttrMap> Bind(const op::AttrMap& attrs, const op::AttrMap& bindings) {
  op::AttrMap bound;
  for (const auto& [name, value] : attrs) {
    RHEO_ASSIGN_OR_RETURN(op::AttrValue bound_value, Bind(value, bindings));
    bound.Set(name, std::move(bound_value));
  }
  return bound;
}

StatusOr<op::FuncRef> Bind(const op::FuncRef& function, const op::AttrMap& bindings) {
  op::FuncRef bound{.name = function.name, .attrs = {}};
  RHEO_ASSIGN_OR_RETURN(bound.attrs, Bind(function.attrs, bindings));
  return bound;
}

StatusOr<op::AttrValue> Bind(const op::AttrValue& value, const op::AttrMap& bindings) {
  if (const auto* placeholder = value.As<op::Placeholder>()) {
    const op::AttrValue* bound = bindings.Find(placeholder->name);
    if (bound == nullptr) return InvalidArgument("attr '{}' has no value", placeholder->name);
    return *bound;
  }
  if (const op::FuncRef* function = value.func()) {
    RHEO_ASSIGN_OR_RETURN(op::FuncRef bound, Bind(*function, bindings));
    return op::AttrValue(std::move(bound));
  }
  if (value.list() != nullptr && !value.list()->funcs.empty()) {
    std::vector<op::FuncRef> functions;
    for (const op::FuncRef& function : value.list()->funcs) {
      RHEO_ASSIGN_OR_RETURN(functions.emplace_back(), Bind(function, bindings));
    }
    return op::AttrValue(std::move(functions));
  }
  return value;
}

// "name:k" in its parts; k is -1 where `text` does not end in a number.
std::pair<std::string_view, int> SplitIndex(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, -1};
  int index = 0;
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, index);
  if (result.ec != std::errc() || result.ptr != end || index < 0) return {text, -1};
  return {text.substr(0, colon), index};
}

class BodyBuilder {
 public:
  BodyBuilder(const FunctionDef& def, op::AttrMap bindings, const FunctionLibraryRef& library,
              const op::OpRegistry& ops)
      : def_(def), bindings_(std::move(bindings)) {
    body_.graph = std::make_unique<Graph>(ops);
    body_.graph->set_library(library);
  }

  StatusOr<FunctionBody> Build() && {
    op::AddDefaultAttrs(def_.signature, bindings_);
    RHEO_ASSIGN_OR_RETURN(const op::NodeTypes types, op::ResolveTypes(def_.signature, bindings_));
    body_.arg_types = types.inputs;
    body_.return_types = types.outputs;
    RHEO_RETURN_IF_ERROR(AddArgs());
    for (const NodeDef& node : def_.nodes) RHEO_RETURN_IF_ERROR(AddNode(node));
    for (const NodeDef& node : def_.nodes) RHEO_RETURN_IF_ERROR(Connect(node));
    // Before the nodes that stand for returns, which no definition names.
    RHEO_RETURN_IF_ERROR(AddControlReturns());
    RHEO_RETURN_IF_ERROR(AddReturns());
    RHEO_RETURN_IF_ERROR(TopologicalOrder(*body_.graph).status());
    return std::move(body_);
  }

 private:
  Graph& graph() { return *body_.graph; }

  // `<arg>`, or `<arg>_<k>` for an argument of several tensors.
  static std::string FlatName(const std::string& name, const op::ArgSpec& arg, int k) {
    const bool is_single = arg.number_attr.empty() && arg.type_list_attr.empty();
    return is_single ? name : fmt::format("{}_{}", name, k);
  }

  Status AddArgs() {
    const std::vector<op::ArgSpec>& specs = def_.signature.inputs;
    RHEO_ASSIGN_OR_RETURN(arg_ranges_, op::ResolveRanges(specs, bindings_));
    for (size_t a = 0; a < specs.size(); ++a) {
      arg_index_.emplace(specs[a].name, a);
      for (int i = arg_ranges_[a].begin; i < arg_ranges_[a].end; ++i) {
        const DType type = RemoveRef(body_.arg_types[static_cast<size_t>(i)]);
        const std::string name = FlatName(specs[a].name, specs[a], i - arg_ranges_[a].begin);
        RHEO_ASSIGN_OR_RETURN(
            Node * node,
            graph().AddNode({.name = name, .op = "_Arg", .attrs = {{"T", type}, {"index", i}}}));
        body_.args.push_back(node);
      }
    }
    return OkStatus();
  }

  Status AddNode(const NodeDef& def) {
    // These stand for the signature, and are made from it.
    if (def.op == "_Arg" || def.op == "_Retval") {
      return InvalidArgument("a body has no nodes of op {}, which its signature stands for{}",
                             def.op, NodeText(def));
    }
    StatusOr<op::AttrMap> attrs = Bind(def.attrs, bindings_);
    if (!attrs.ok()) return Append(attrs.status(), NodeText(def));
    return graph()
        .AddNode({.name = def.name,
                  .op = def.op,
                  .attrs = *std::move(attrs),
                  .device = def.device,
                  .extra = def.extra})
        .status();
  }

  static std::string NodeText(const NodeDef& def) {
    return fmt::format(": {{{{node {}}}}}", def.name);
  }

  // The endpoints that a reference of the body stands for: all tensors of an argument or output, or
  // the k-th of them.
  std::optional<std::vector<Endpoint>> Resolve(std::string_view text) {
    if (auto whole = ResolveWhole(text)) return whole;
    const auto [name, k] = SplitIndex(text);
    if (k < 0) return std::nullopt;
    auto whole = ResolveWhole(name);
    if (!whole || static_cast<size_t>(k) >= whole->size()) return std::nullopt;
    return std::vector<Endpoint>{(*whole)[static_cast<size_t>(k)]};
  }

  // "arg" or "node:out".
  std::optional<std::vector<Endpoint>> ResolveWhole(std::string_view text) {
    const size_t colon = text.find(':');
    std::vector<Endpoint> endpoints;
    if (colon == std::string_view::npos) {
      const auto it = arg_index_.find(text);
      if (it == arg_index_.end()) return std::nullopt;
      const op::ArgRange range = arg_ranges_[it->second];
      for (int i = range.begin; i < range.end; ++i) {
        endpoints.push_back({body_.args[static_cast<size_t>(i)], 0});
      }
      return endpoints;
    }
    Node* node = graph().FindNode(text.substr(0, colon));
    const std::optional<op::ArgRange> range =
        node == nullptr ? std::nullopt : OutputRange(*node, text.substr(colon + 1));
    if (!range) return std::nullopt;
    for (int i = range->begin; i < range->end; ++i) endpoints.push_back({node, i});
    return endpoints;
  }

  static std::optional<op::ArgRange> OutputRange(const Node& node, std::string_view output) {
    const std::vector<op::ArgSpec>& outputs = node.schema().outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name != output) continue;
      if (outputs.size() == 1) return op::ArgRange{.begin = 0, .end = node.num_outputs()};
      const auto ranges = op::ResolveRanges(outputs, node.attrs());
      return ranges.ok() ? std::optional((*ranges)[i]) : std::nullopt;
    }
    return std::nullopt;
  }

  Status Connect(const NodeDef& def) {
    Node* node = graph().FindNode(def.name);
    int next_input = 0;
    for (const std::string& text : def.inputs) {
      if (text.starts_with('^')) {
        Node* source = graph().FindNode(std::string_view(text).substr(1));
        if (source == nullptr) {
          return InvalidArgument("input {} is not found{}", text, NodeText(def));
        }
        graph().AddControlEdge(source, node);
        continue;
      }
      const std::optional<std::vector<Endpoint>> sources = Resolve(text);
      if (!sources) return InvalidArgument("input {} is not found{}", text, NodeText(def));
      for (const Endpoint& source : *sources) {
        RHEO_RETURN_IF_ERROR(graph().CheckedAddEdge(source, node, next_input++));
      }
    }
    if (next_input == node->num_inputs()) return OkStatus();
    return InvalidArgument("Incomplete graph, missing {} inputs for {}",
                           node->num_inputs() - next_input, def.name);
  }

  Status AddReturns() {
    StringViewMap<std::string_view> sources;
    for (const auto& [name, source] : def_.returns) sources.emplace(name, source);
    int index = 0;
    for (const op::ArgSpec& arg : def_.signature.outputs) {
      const auto it = sources.find(arg.name);
      if (it == sources.end()) return InvalidArgument("Return {} missing.", arg.name);
      const std::optional<std::vector<Endpoint>> endpoints = Resolve(it->second);
      if (!endpoints) return InvalidArgument("Return {} -> {} is not found.", arg.name, it->second);
      for (const Endpoint& endpoint : *endpoints) {
        RHEO_RETURN_IF_ERROR(AddReturn(arg, endpoint, index++));
      }
    }
    if (static_cast<size_t>(index) == body_.return_types.size()) return OkStatus();
    return InvalidArgument("the body returns {} tensors, the signature {}", index,
                           body_.return_types.size());
  }

  Status AddReturn(const op::ArgSpec& arg, const Endpoint& source, int index) {
    if (static_cast<size_t>(index) >= body_.return_types.size()) {
      return InvalidArgument("the body returns more tensors than the signature has: {}", arg.name);
    }
    const DType type = RemoveRef(body_.return_types[static_cast<size_t>(index)]);
    RHEO_ASSIGN_OR_RETURN(Node * node,
                          graph().AddNode({.name = graph().UniqueName(arg.name + "_RetVal"),
                                           .op = "_Retval",
                                           .attrs = {{"T", type}, {"index", index}}}));
    body_.returns.push_back(node);
    return graph().CheckedAddEdge(source, node, 0);
  }

  Status AddControlReturns() {
    for (const auto& [name, target] : def_.control_returns) {
      Node* node = graph().FindNode(target);
      if (node == nullptr) {
        return InvalidArgument("Control return {} -> {} is not found.", name, target);
      }
      body_.control_returns.push_back(node);
    }
    return OkStatus();
  }

  const FunctionDef& def_;
  op::AttrMap bindings_;
  FunctionBody body_;
  std::vector<op::ArgRange> arg_ranges_;
  StringViewMap<size_t> arg_index_;
};

}  // namespace

StatusOr<FunctionBody> InstantiateFunction(const op::FuncRef& function,
                                           const FunctionLibraryRef& library,
                                           const op::OpRegistry& ops) {
  const FunctionDef* def = library->Find(function.name);
  if (def == nullptr) return NotFound("Function {} is not defined.", function.name);
  StatusOr<FunctionBody> body = BodyBuilder(*def, function.attrs, library, ops).Build();
  if (body.ok()) return body;
  const std::string prefix = fmt::format("function {}: ", function.name);
  // To the caller all of these are a malformed body.
  return Prefix(InvalidArgument("{}", Message(body.status())), prefix);
}

}  // namespace rheo::graph
