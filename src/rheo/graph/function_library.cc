#include "rheo/graph/function_library.h"

#include <algorithm>
#include <tuple>

namespace rheo::graph {
namespace {

bool SameArgs(const std::vector<op::ArgSpec>& a, const std::vector<op::ArgSpec>& b) {
  const auto key = [](const op::ArgSpec& arg) {
    return std::tie(arg.name, arg.type, arg.type_attr, arg.number_attr, arg.type_list_attr,
                    arg.is_ref);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const op::ArgSpec& x, const op::ArgSpec& y) { return key(x) == key(y); });
}

bool SameAttrs(const std::vector<op::AttrSpec>& a, const std::vector<op::AttrSpec>& b) {
  const auto key = [](const op::AttrSpec& attr) {
    return std::tie(attr.name, attr.kind, attr.is_list, attr.default_value, attr.minimum,
                    attr.allowed_types, attr.allowed_strings);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const op::AttrSpec& x, const op::AttrSpec& y) { return key(x) == key(y); });
}

bool SameSignature(const op::OpSchema& a, const op::OpSchema& b) {
  return a.name == b.name && SameArgs(a.inputs, b.inputs) && SameArgs(a.outputs, b.outputs) &&
         SameAttrs(a.attrs, b.attrs) && a.control_outputs == b.control_outputs &&
         a.is_stateful == b.is_stateful;
}

bool SameNode(const NodeDef& a, const NodeDef& b) {
  return a.name == b.name && a.op == b.op && a.inputs == b.inputs && a.device == b.device &&
         a.attrs == b.attrs;
}

// The order of a body's nodes means nothing.
bool SameNodes(const std::vector<NodeDef>& a, const std::vector<NodeDef>& b) {
  if (a.size() != b.size()) return false;
  if (std::equal(a.begin(), a.end(), b.begin(), SameNode)) return true;
  StringViewMap<const NodeDef*> by_name;
  for (const NodeDef& node : b) by_name.emplace(node.name, &node);
  return std::all_of(a.begin(), a.end(), [&](const NodeDef& node) {
    const auto it = by_name.find(node.name);
    return it != by_name.end() && SameNode(node, *it->second);
  });
}

using NamePairs = std::vector<std::pair<std::string, std::string>>;

bool SamePairs(NamePairs a, NamePairs b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// Apart from `extra`, which holds nothing that changes what the function computes.
bool SameFunction(const FunctionDef& a, const FunctionDef& b) {
  return SameSignature(a.signature, b.signature) && SameNodes(a.nodes, b.nodes) &&
         SamePairs(a.returns, b.returns) && SamePairs(a.control_returns, b.control_returns) &&
         a.attrs == b.attrs;
}

Status MergeFunctions(const FunctionIndex& base, const FunctionLibrary& added,
                      FunctionLibrary& merged) {
  StringViewMap<const FunctionDef*> new_names;
  for (const FunctionDef& function : added.functions) {
    const std::string& name = function.signature.name;
    const FunctionDef* present = base.Find(name);
    if (present == nullptr) {
      const auto [it, is_new] = new_names.emplace(name, &function);
      if (is_new) {
        merged.functions.push_back(function);
        continue;
      }
      present = it->second;
    }
    if (!SameFunction(*present, function)) {
      return InvalidArgument(
          "Cannot add function '{}' because a different function with the same name already "
          "exists.",
          name);
    }
  }
  return OkStatus();
}

Status MergeGradients(const FunctionLibrary& added, FunctionLibrary& merged) {
  StringMap<std::string> gradients;
  for (const GradientDef& gradient : merged.gradients) {
    gradients.emplace(gradient.function, gradient.gradient);
  }
  for (const GradientDef& gradient : added.gradients) {
    const auto [it, is_new] = gradients.emplace(gradient.function, gradient.gradient);
    if (is_new) {
      merged.gradients.push_back(gradient);
    } else if (it->second != gradient.gradient) {
      return InvalidArgument(
          "Cannot assign gradient function '{}' to '{}' because it already has gradient function "
          "'{}'",
          gradient.gradient, gradient.function, it->second);
    }
  }
  return OkStatus();
}

}  // namespace

FunctionIndex::FunctionIndex(FunctionLibrary library) : library_(std::move(library)) {
  by_name_.reserve(library_.functions.size());
  for (const FunctionDef& function : library_.functions) {
    by_name_.emplace(function.signature.name, &function);
  }
  for (const GradientDef& gradient : library_.gradients) {
    gradients_.emplace(gradient.function, gradient.gradient);
  }
}

const FunctionDef* FunctionIndex::Find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string FunctionIndex::FindGradient(std::string_view name) const {
  const auto it = gradients_.find(name);
  return it == gradients_.end() ? std::string() : std::string(it->second);
}

StatusOr<FunctionLibraryRef> MergeLibraries(const FunctionLibraryRef& base,
                                            const FunctionLibrary& added) {
  if (added.functions.empty() && added.gradients.empty()) return base;
  FunctionLibrary merged = base->library();
  RHEO_RETURN_IF_ERROR(MergeFunctions(*base, added, merged));
  RHEO_RETURN_IF_ERROR(MergeGradients(added, merged));
  if (merged.extra.empty()) merged.extra = added.extra;
  return std::make_shared<const FunctionIndex>(std::move(merged));
}

}  // namespace rheo::graph
