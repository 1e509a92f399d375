// Gradients of the ops on arrays and lists. The gradient of a list is a list of gradients; that of
// an array is another array, found through the array and the name of the differentiation.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/list/register.h"

namespace rheo::ops {
namespace {

using Outputs = std::vector<Output>;

op::AttrMap ElementAttrs(const GradientBuilder& b) {
  return {{"element_dtype", b.attrs().GetOr<DType>("element_dtype", DType::kInvalid)}};
}

// The shape of a row of `x`.
Output RowShape(const GradientBuilder& b, const Output& x) {
  return b.Op("Slice", {b.Shape(x), b.Ints({1}), b.Ints({-1})});
}

// ---- Lists

Outputs PushBack(const GradientBuilder& b) {
  const builder::Operation pop =
      b.Operation("TensorListPopBack", {b.grad(), b.Shape(b.x(1))}, ElementAttrs(b));
  return {pop.output(0), pop.output(1)};
}

Outputs PopBack(const GradientBuilder& b) {
  const Output element = b.grad(1).has_value() ? b.grad(1) : b.ZerosLike(b.y(1));
  const Output list = b.grad(0).has_value()
                          ? b.grad(0)
                          : b.Op("EmptyTensorList", {b.Shape(element), b.Int(-1)}, ElementAttrs(b));
  return {b.Op("TensorListPushBack", {list, element}), Output()};
}

Outputs Stack(const GradientBuilder& b) {
  return {b.Op("TensorListFromTensor", {b.grad(), RowShape(b, b.grad())}), Output()};
}

Outputs FromTensor(const GradientBuilder& b) {
  return {b.Op("TensorListStack", {b.grad(), RowShape(b, b.x())}, ElementAttrs(b)), Output()};
}

Outputs GetItem(const GradientBuilder& b) {
  const Output zeros = b.Op(
      "TensorListReserve", {b.Shape(b.grad()), b.Op("TensorListLength", {b.x()})}, ElementAttrs(b));
  return {b.Op("TensorListSetItem", {zeros, b.x(1), b.grad()}), Output(), Output()};
}

Outputs SetItem(const GradientBuilder& b) {
  return {b.Op("TensorListSetItem", {b.grad(), b.x(1), b.ZerosLike(b.x(2))}), Output(),
          b.Op("TensorListGetItem", {b.grad(), b.x(1), b.Shape(b.x(2))}, ElementAttrs(b))};
}

Outputs Resize(const GradientBuilder& b) {
  return {b.Op("TensorListResize", {b.grad(), b.Op("TensorListLength", {b.x()})}), Output()};
}

Outputs Gather(const GradientBuilder& b) {
  return {b.Op("TensorListScatterV2",
               {b.grad(), b.x(1), RowShape(b, b.grad()), b.Op("TensorListLength", {b.x()})}),
          Output(), Output()};
}

Outputs Scatter(const GradientBuilder& b) {
  Outputs grads(static_cast<size_t>(b.num_inputs()));
  grads[0] = b.Op("TensorListGather", {b.grad(), b.x(1), RowShape(b, b.x())}, ElementAttrs(b));
  return grads;
}

Outputs ScatterIntoExisting(const GradientBuilder& b) {
  return {b.Op("TensorListScatterIntoExistingList", {b.grad(), b.ZerosLike(b.x(1)), b.x(2)}),
          b.Op("TensorListGather", {b.grad(), b.x(2), RowShape(b, b.x(1))}, ElementAttrs(b)),
          Output()};
}

// A shape of pieces that differ in their number of rows.
Output PiecesShape(const GradientBuilder& b, const Output& x) {
  return b.Op("ConcatV2", {b.Ints({-1}), RowShape(b, x), b.Int(0)});
}

Outputs Concat(const GradientBuilder& b) {
  Outputs grads(static_cast<size_t>(b.num_inputs()));
  grads[0] = b.Op("TensorListSplit", {b.grad(), PiecesShape(b, b.grad()), b.y(1)});
  return grads;
}

Outputs Split(const GradientBuilder& b) {
  return {b.Op("TensorListConcatV2", {b.grad(), PiecesShape(b, b.x()), b.x(2)}, ElementAttrs(b)),
          Output(), Output()};
}

// ---- Arrays

// The array of gradients of the op's array. Gradients of one differentiation meet in one array,
// those of different ones do not: the source is "gradients", "gradients_1", ….
struct GradArray {
  Output handle;
  Output flow;
};

GradArray ArrayOfGradients(const GradientBuilder& b, const Output& flow) {
  const std::string inside = b.scope().UniqueNameFor("source");
  const std::string source = inside.substr(0, inside.rfind('/' + b.node_name() + "_grad"));
  const builder::Operation made =
      b.Operation("TensorArrayGradV3", {b.x(), flow}, {{"source", source}});
  return {made.output(0), made.output(1)};
}

op::AttrMap DTypeOf(const Output& x) { return {{"dtype", x.dtype()}}; }

Outputs ArrayRead(const GradientBuilder& b) {
  const GradArray array = ArrayOfGradients(b, b.x(2));
  return {Output(), Output(),
          b.Op("TensorArrayWriteV3", {array.handle, b.x(1), b.grad(), array.flow})};
}

Outputs ArrayWrite(const GradientBuilder& b) {
  const GradArray array = ArrayOfGradients(b, b.grad());
  return {Output(), Output(),
          b.Op("TensorArrayReadV3", {array.handle, b.x(1), array.flow}, DTypeOf(b.x(2))), b.grad()};
}

Outputs ArrayGather(const GradientBuilder& b) {
  const GradArray array = ArrayOfGradients(b, b.x(2));
  return {Output(), Output(),
          b.Op("TensorArrayScatterV3", {array.handle, b.x(1), b.grad(), array.flow})};
}

Outputs ArrayScatter(const GradientBuilder& b) {
  const GradArray array = ArrayOfGradients(b, b.grad());
  return {Output(), Output(),
          b.Op("TensorArrayGatherV3", {array.handle, b.x(1), array.flow}, DTypeOf(b.x(2))),
          b.grad()};
}

Outputs ArrayConcat(const GradientBuilder& b) {
  const GradArray array = ArrayOfGradients(b, b.x(1));
  return {Output(), b.Op("TensorArraySplitV3", {array.handle, b.grad(), b.y(1), array.flow})};
}

Outputs ArraySplit(const GradientBuilder& b) {
  const GradArray array = ArrayOfGradients(b, b.grad());
  return {Output(), b.Op("TensorArrayConcatV3", {array.handle, array.flow}, DTypeOf(b.x(1))),
          Output(), b.grad()};
}

}  // namespace

void RegisterListGradients(autodiff::GradientRegistry& registry) {
  AddNoGradients(registry,
                 {"EmptyTensorList", "OptionalHasValue", "OptionalNone", "TensorArrayCloseV3",
                  "TensorArrayGradV3", "TensorArraySizeV3", "TensorArrayV3",
                  "TensorListElementShape", "TensorListLength", "TensorListReserve"});
  AddGradient(registry, "TensorListPushBack", &PushBack);
  AddGradient(registry, "TensorListPopBack", &PopBack);
  AddGradient(registry, "TensorListStack", &Stack);
  AddGradient(registry, "TensorListFromTensor", &FromTensor);
  AddGradient(registry, "TensorListGetItem", &GetItem);
  AddGradient(registry, "TensorListSetItem", &SetItem);
  AddGradient(registry, "TensorListResize", &Resize);
  AddGradient(registry, "TensorListGather", &Gather);
  AddGradient(registry, "TensorListScatter", &Scatter);
  AddGradient(registry, "TensorListScatterV2", &Scatter);
  AddGradient(registry, "TensorListScatterIntoExistingList", &ScatterIntoExisting);
  AddGradient(registry, "TensorListConcat", &Concat);
  AddGradient(registry, "TensorListConcatV2", &Concat);
  AddGradient(registry, "TensorListSplit", &Split);
  AddGradient(registry, "TensorArrayReadV3", &ArrayRead);
  AddGradient(registry, "TensorArrayWriteV3", &ArrayWrite);
  AddGradient(registry, "TensorArrayGatherV3", &ArrayGather);
  AddGradient(registry, "TensorArrayScatterV3", &ArrayScatter);
  AddGradient(registry, "TensorArrayConcatV3", &ArrayConcat);
  AddGradient(registry, "TensorArraySplitV3", &ArraySplit);
}

}  // namespace rheo::ops
