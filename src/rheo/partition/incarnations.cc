#include "rheo/partition/incarnations.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace rheo::partition {
namespace {

constexpr std::string_view kDeviceAttr = "send_device";
constexpr std::string_view kIncarnationAttr = "send_device_incarnation";

bool IsTransferOp(std::string_view op) {
  return op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv" || op == "Send" ||
         op == "Recv";
}

bool NeedsIncarnation(std::string_view op, const op::AttrMap& attrs) {
  return IsTransferOp(op) && attrs.GetOr<int64_t>(kIncarnationAttr, 0) == 0;
}

void Fill(const Options& options, op::AttrMap& attrs) {
  const std::string device = attrs.GetOr<std::string>(kDeviceAttr, "");
  attrs.Set(kIncarnationAttr, static_cast<int64_t>(options.incarnation(device).value));
}

bool NeedsIncarnation(const graph::FunctionDef& function) {
  return std::any_of(function.nodes.begin(), function.nodes.end(), [](const graph::NodeDef& node) {
    return NeedsIncarnation(node.op, node.attrs);
  });
}

}  // namespace

void FillIncarnation(const Options& options, graph::Node& node) {
  if (NeedsIncarnation(node.op(), node.attrs())) Fill(options, node.mutable_attrs());
}

graph::FunctionLibraryRef FillIncarnations(const Options& options,
                                           const graph::FunctionLibraryRef& library) {
  const std::vector<graph::FunctionDef>& functions = library->library().functions;
  const bool any = std::any_of(functions.begin(), functions.end(),
                               [](const auto& function) { return NeedsIncarnation(function); });
  if (!any) return library;
  graph::FunctionLibrary filled = library->library();
  for (graph::FunctionDef& function : filled.functions) {
    for (graph::NodeDef& node : function.nodes) {
      if (NeedsIncarnation(node.op, node.attrs)) Fill(options, node.attrs);
    }
  }
  return std::make_shared<const graph::FunctionIndex>(std::move(filled));
}

}  // namespace rheo::partition
