#include "rheo/graph/shape_inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "rheo/graph/constant_propagation.h"
#include "rheo/graph/function.h"
#include "rheo/graph/traversal.h"

namespace rheo::graph {
namespace {

// Functions that call themselves have unknown shapes from here on.
constexpr int kMaxFunctionDepth = 8;

// The shape of the variable that `node` reads, which only the maker of its handle knows.
const PartialShape* ShapeOfVariableRead(const Node& node) {
  if (node.op() != "ReadVariableOp") return nullptr;
  const Node* handle = node.input(0).node;
  if (handle == nullptr || handle->op() != "VarHandleOp") return nullptr;
  const op::AttrValue* shape = handle->attrs().Find("shape");
  return shape == nullptr ? nullptr : shape->As<PartialShape>();
}

std::string ShapesText(const std::vector<PartialShape>& shapes) {
  std::vector<std::string> texts;
  for (const PartialShape& shape : shapes) texts.push_back(shape.ToString());
  return fmt::format("{}", fmt::join(texts, ", "));
}

template <typename T>
const T* EntryOf(const std::vector<std::vector<T>>& table, const Endpoint& endpoint) {
  if (endpoint.node == nullptr || endpoint.index < 0) return nullptr;
  const auto id = static_cast<size_t>(endpoint.node->id());
  const auto index = static_cast<size_t>(endpoint.index);
  return id < table.size() && index < table[id].size() ? &table[id][index] : nullptr;
}

}  // namespace

PartialShape ShapeRefiner::ShapeOf(const Endpoint& endpoint) const {
  const PartialShape* shape = EntryOf(shapes_, endpoint);
  return shape == nullptr ? PartialShape() : *shape;
}

const Tensor* ShapeRefiner::ConstantOf(const Endpoint& endpoint) const {
  const Tensor* constant = EntryOf(constants_, endpoint);
  return constant != nullptr && constant->has_value() ? constant : nullptr;
}

Status ShapeRefiner::Refine(const Node& node) {
  const auto id = static_cast<size_t>(node.id());
  if (id >= shapes_.size()) {
    shapes_.resize(std::max(id + 1, static_cast<size_t>(node.graph().num_node_ids())));
    constants_.resize(shapes_.size());
  }
  std::vector<PartialShape> inputs;
  std::vector<const Tensor*> constants;
  for (int i = 0; i < node.num_inputs(); ++i) {
    inputs.push_back(ShapeOf(node.input(i)));
    constants.push_back(ConstantOf(node.input(i)));
  }
  shapes_[id].assign(node.output_types().size(), PartialShape());
  constants_[id].clear();

  op::ShapeContext context(node.attrs(), inputs, constants, node.types(),
                           [&](const op::FuncRef& function, std::vector<PartialShape> shapes) {
                             return FunctionShapes(node.graph(), function, std::move(shapes));
                           });
  const Status status = RunShapeFn(node, context);
  if (!status.ok()) {
    return Append(status, fmt::format(" for {{{{node {}}}}} = {} with input shapes: {}",
                                      node.name(), node.op(), ShapesText(inputs)));
  }
  shapes_[id] = context.outputs();
  constants_[id] = KnownOutputs(node, inputs, constants);
  for (size_t i = 0; i < constants_[id].size(); ++i) {
    if (constants_[id][i].has_value()) shapes_[id][i] = constants_[id][i].shape();
  }
  return OkStatus();
}

Status ShapeRefiner::RunShapeFn(const Node& node, op::ShapeContext& context) {
  if (node.op() == "_Arg" && !arg_shapes_.empty()) {
    const auto index = static_cast<size_t>(node.attrs().GetOr<int64_t>("index", 0));
    if (index < arg_shapes_.size()) context.set_output(0, arg_shapes_[index]);
    return OkStatus();
  }
  if (const PartialShape* shape = ShapeOfVariableRead(node)) {
    context.set_output(0, *shape);
    return OkStatus();
  }
  if (node.schema().shape_fn != nullptr) return node.schema().shape_fn(context);
  if (node.graph().library()->Find(node.op()) == nullptr) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(
      const std::vector<PartialShape> outputs,
      FunctionShapes(node.graph(), {.name = node.op(), .attrs = node.attrs()}, context.inputs()));
  for (int i = 0; i < context.num_outputs() && i < static_cast<int>(outputs.size()); ++i) {
    context.set_output(i, outputs[static_cast<size_t>(i)]);
  }
  return OkStatus();
}

StatusOr<std::vector<PartialShape>> ShapeRefiner::FunctionShapes(
    const Graph& graph, const op::FuncRef& function, std::vector<PartialShape> inputs) const {
  RHEO_ASSIGN_OR_RETURN(const FunctionBody body,
                        InstantiateFunction(function, graph.library(), graph.ops()));
  std::vector<PartialShape> outputs(body.returns.size());
  if (depth_ >= kMaxFunctionDepth) return outputs;
  ShapeRefiner refiner(std::move(inputs), depth_ + 1);
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, TopologicalOrder(*body.graph));
  for (const Node* node : order) {
    RHEO_RETURN_IF_ERROR(Append(refiner.Refine(*node), " in function " + function.name));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = refiner.ShapeOf(body.returns[i]->input(0));
  }
  return outputs;
}

StatusOr<ShapeRefiner> InferShapes(const Graph& graph) {
  ShapeRefiner refiner;
  RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, TopologicalOrder(graph));
  for (const Node* node : order) RHEO_RETURN_IF_ERROR(refiner.Refine(*node));
  return refiner;
}

}  // namespace rheo::graph
