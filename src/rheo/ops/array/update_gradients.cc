// Gradients of ops that change some elements of a tensor, and of gradients that move elements.
#include "rheo/ops/array/array_gradients.h"
#include "rheo/ops/common/gradient_builder.h"

namespace rheo::ops {
namespace {

using B = GradientBuilder;
using Grads = std::vector<Output>;

op::AttrMap AttrsOf(const B& b, std::initializer_list<const char*> names) {
  op::AttrMap attrs;
  for (const char* name : names) {
    if (const op::AttrValue* value = b.attrs().Find(name)) attrs.Set(name, *value);
  }
  return attrs;
}

op::AttrMap Masks(const B& b) {
  return AttrsOf(b,
                 {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"});
}

Grads ScatterAddGrad(const B& b) {
  return {b.grad(), Output(), b.Op("GatherNd", {b.grad(), b.x(1)})};
}
Grads ScatterSubGrad(const B& b) {
  return {b.grad(), Output(), b.Neg(b.Op("GatherNd", {b.grad(), b.x(1)}))};
}
Grads ScatterUpdateGrad(const B& b) {
  return {b.Op("TensorScatterUpdate", {b.grad(), b.x(1), b.ZerosLike(b.x(2))}), Output(),
          b.Op("GatherNd", {b.grad(), b.x(1)})};
}

// The tensor and those updates that became the value share the gradient.
Grads ScatterExtremeGrad(const B& b) {
  const DType dtype = b.grad().dtype();
  const Output indices = b.x(1);
  const Output from_x = b.Cast(b.Op("Equal", {b.x(0), b.y()}), dtype);
  const Output chosen = b.Op("GatherNd", {b.y(), indices});
  const Output from_updates = b.Cast(b.Op("Equal", {b.x(2), chosen}), dtype);
  const Output shape = b.Op("Shape", {b.x(0)}, {{"out_type", indices.dtype()}});
  const Output number = b.Add(from_x, b.Op("ScatterNd", {indices, from_updates, shape}));
  const Output share = b.Div(b.grad(), number);
  return {b.Mul(share, from_x), Output(), b.Mul(b.Op("GatherNd", {share, indices}), from_updates)};
}

Grads SliceUpdateGrad(const B& b) {
  const Output zeros = b.ZerosLike(b.x(4));
  const Output rest =
      b.Op("TensorStridedSliceUpdate", {b.grad(), b.x(1), b.x(2), b.x(3), zeros}, Masks(b));
  const Output slice = b.Op("StridedSlice", {b.grad(), b.x(1), b.x(2), b.x(3)}, Masks(b));
  // The value may have been repeated along some axes.
  const Output shape = b.Shape(b.x(4));
  const builder::Operation axes = b.Operation("BroadcastGradientArgs", {shape, b.Shape(slice)});
  return {rest, Output(), Output(), Output(), b.Reshape(b.Sum(slice, axes.output(0)), shape)};
}

Grads StridedSliceGradGrad(const B& b) {
  return {Output(), Output(), Output(), Output(),
          b.Op("StridedSlice", {b.grad(), b.x(1), b.x(2), b.x(3)}, Masks(b))};
}

Grads MirrorPadGradGrad(const B& b) {
  return {b.Op("MirrorPad", {b.grad(), b.x(1)}, AttrsOf(b, {"mode"})), Output()};
}

Grads ReverseGrad(const B& b) { return {b.Op("Reverse", {b.grad(), b.x(1)}), Output()}; }

}  // namespace

void RegisterUpdateGradients(autodiff::GradientRegistry& registry) {
  for (const char* op : {"TensorScatterAdd", "ScatterNdNonAliasingAdd"}) {
    AddGradient(registry, op, &ScatterAddGrad);
  }
  AddGradient(registry, "TensorScatterSub", &ScatterSubGrad);
  AddGradient(registry, "TensorScatterUpdate", &ScatterUpdateGrad);
  for (const char* op : {"TensorScatterMin", "TensorScatterMax"}) {
    AddGradient(registry, op, &ScatterExtremeGrad);
  }
  AddGradient(registry, "TensorStridedSliceUpdate", &SliceUpdateGrad);
  AddGradient(registry, "StridedSliceGrad", &StridedSliceGradGrad);
  AddGradient(registry, "MirrorPadGrad", &MirrorPadGradGrad);
  AddGradient(registry, "Reverse", &ReverseGrad);
}

}  // namespace rheo::ops
