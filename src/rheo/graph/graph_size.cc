#include "rheo/graph/graph_size.h"

namespace rheo::graph {
namespace {

// What numbers, types and the like take, about.
constexpr int64_t kSmallValue = 8;

int64_t BytesOf(const std::string& text) { return static_cast<int64_t>(text.size()); }

int64_t BytesOf(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) return static_cast<int64_t>(tensor.num_bytes());
  int64_t bytes = 0;
  for (const auto& text : tensor.flat<std::string>()) bytes += static_cast<int64_t>(text.size());
  return bytes;
}

int64_t BytesOf(const op::AttrMap& attrs);
int64_t BytesOf(const NodeDef& node);

int64_t BytesOf(const op::FuncRef& function) {
  return BytesOf(function.name) + BytesOf(function.attrs);
}

template <typename T>
int64_t BytesOfAll(const std::vector<T>& values) {
  int64_t bytes = 0;
  for (const T& value : values) bytes += BytesOf(value);
  return bytes;
}

int64_t BytesOf(const op::AttrValue& value) {
  if (const auto* text = value.As<std::string>()) return BytesOf(*text);
  if (const auto* tensor = value.As<Tensor>()) return BytesOf(*tensor);
  if (const op::FuncRef* function = value.func()) return BytesOf(*function);
  const op::AttrList* list = value.list();
  if (list == nullptr) return kSmallValue;
  return kSmallValue * static_cast<int64_t>(list->size()) + BytesOfAll(list->strings) +
         BytesOfAll(list->tensors) + BytesOfAll(list->funcs);
}

int64_t BytesOf(const op::AttrMap& attrs) {
  int64_t bytes = 0;
  for (const auto& [name, value] : attrs) bytes += BytesOf(name) + BytesOf(value);
  return bytes;
}

int64_t BytesOf(const NodeDef& node) {
  return BytesOf(node.name) + BytesOf(node.op) + BytesOf(node.device) + BytesOf(node.extra) +
         BytesOfAll(node.inputs) + BytesOf(node.attrs);
}

}  // namespace

GraphSize SizeOf(const std::vector<NodeDef>& nodes) {
  return {static_cast<int64_t>(nodes.size()), BytesOfAll(nodes)};
}

GraphSize SizeOf(const FunctionLibrary& library) {
  GraphSize size;
  for (const FunctionDef& function : library.functions) {
    size = size + SizeOf(function.nodes);
    size.bytes += BytesOf(function.signature.name) + BytesOf(function.attrs);
  }
  size.bytes += BytesOf(library.extra);
  return size;
}

GraphSize SizeOf(const GraphDef& graph) { return SizeOf(graph.nodes) + SizeOf(graph.library); }

}  // namespace rheo::graph
