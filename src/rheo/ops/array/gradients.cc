#include "rheo/builder/scope.h"
#include "rheo/ops/array/array_gradients.h"
#include "rheo/ops/array/register.h"

namespace rheo::ops {
namespace {

using builder::AddOp;
using builder::Operation;
using builder::Output;
using builder::Scope;
using Outputs = std::vector<Output>;

Output Int(const Scope& s, int32_t value) { return builder::ScalarConst<int32_t>(s, value); }
Output Ints(const Scope& s, const std::vector<int32_t>& values) {
  return builder::Const(s, Tensor::Vector<int32_t>(values));
}
Output ShapeOf(const Scope& s, const Output& x) { return AddOp(s, "Shape", {x}); }
Output ReshapeAs(const Scope& s, const Output& grad, const Output& x) {
  return AddOp(s, "Reshape", {grad, ShapeOf(s, x)});
}
op::AttrMap AttrsOf(const Operation& op, std::initializer_list<const char*> names) {
  op::AttrMap attrs;
  for (const char* name : names) {
    if (const op::AttrValue* value = op.node()->attrs().Find(name)) attrs.Set(name, *value);
  }
  return attrs;
}
// `grad`, or zeros of the shape of output `i` when nothing flows there.
Output GradOrZeros(const Scope& s, const Operation& op, const Outputs& grads, int i) {
  const Output& grad = grads[static_cast<size_t>(i)];
  return grad.has_value() ? grad : AddOp(s, "ZerosLike", {op.output(i)});
}
Outputs AllGrads(const Scope& s, const Operation& op, const Outputs& grads) {
  Outputs all;
  for (int i = 0; i < op.num_outputs(); ++i) all.push_back(GradOrZeros(s, op, grads, i));
  return all;
}

// The gradient passes to input 0 as it is, and to no other.
StatusOr<Outputs> PassThrough(const Scope&, const Operation& op, const Outputs& grads) {
  Outputs result(static_cast<size_t>(op.num_inputs()));
  result[0] = grads[0];
  return result;
}

StatusOr<Outputs> PassEach(const Scope&, const Operation&, const Outputs& grads) { return grads; }

StatusOr<Outputs> NoGradient(const Scope&, const Operation& op, const Outputs&) {
  return Unimplemented("Gradient explicitly disabled. Reason: {}",
                       op.node()->attrs().GetOr<std::string>("message", ""));
}

// The gradient in the shape of input 0.
StatusOr<Outputs> ReshapeBack(const Scope& s, const Operation& op, const Outputs& grads) {
  Outputs result(static_cast<size_t>(op.num_inputs()));
  result[0] = ReshapeAs(s, grads[0], op.input(0));
  return result;
}

StatusOr<Outputs> TransposeGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output back = AddOp(s, "InvertPermutation", {op.input(1)});
  return Outputs{AddOp(s, op.node()->op(), {grads[0], back}), Output()};
}

// Cuts `grad` back into the pieces `values` that were joined along `axis`.
Outputs CutLike(const Scope& s, const Output& grad, const Output& axis, const Outputs& values) {
  const Output rank = AddOp(s, "Rank", {values[0]});
  // ConcatOffset takes no negative axis in older versions.
  const Output positive = AddOp(s, "FloorMod", {axis, rank});
  const Operation shapes = AddOp(s, "ShapeN", values);
  Outputs offset_inputs = {positive};
  for (int i = 0; i < shapes.num_outputs(); ++i) offset_inputs.push_back(shapes.output(i));
  const Operation offsets = AddOp(s, "ConcatOffset", offset_inputs);
  Outputs pieces;
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    pieces.push_back(AddOp(s, "Slice", {grad, offsets.output(i), shapes.output(i)}));
  }
  return pieces;
}

Output AsInt32(const Scope& s, const Output& x) {
  return x.dtype() == DType::kInt32 ? x : Output(AddOp(s, "Cast", {x}, {{"DstT", DType::kInt32}}));
}

StatusOr<Outputs> ConcatV2Grad(const Scope& s, const Operation& op, const Outputs& grads) {
  Outputs values;
  const int axis = op.num_inputs() - 1;
  for (int i = 0; i < axis; ++i) values.push_back(op.input(i));
  Outputs result = CutLike(s, grads[0], AsInt32(s, op.input(axis)), values);
  result.emplace_back();
  return result;
}

StatusOr<Outputs> ConcatGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  Outputs values;
  for (int i = 1; i < op.num_inputs(); ++i) values.push_back(op.input(i));
  Outputs result = CutLike(s, grads[0], op.input(0), values);
  result.insert(result.begin(), Output());
  return result;
}

StatusOr<Outputs> PackGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  op::AttrMap attrs = AttrsOf(op, {"axis"});
  attrs.Set("num", int64_t{op.num_inputs()});
  const Operation parts = AddOp(s, "Unpack", {grads[0]}, attrs);
  Outputs result;
  for (int i = 0; i < parts.num_outputs(); ++i) result.push_back(parts.output(i));
  return result;
}

StatusOr<Outputs> UnpackGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  return Outputs{AddOp(s, "Pack", AllGrads(s, op, grads), AttrsOf(op, {"axis"}))};
}

StatusOr<Outputs> SplitGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const bool sized = op.node()->op() == "SplitV";
  Outputs parts = AllGrads(s, op, grads);
  const Output axis = op.input(sized ? 2 : 0);
  Output joined;
  if (parts.size() == 1) {
    joined = parts[0];
  } else {
    parts.push_back(axis);
    joined = AddOp(s, "ConcatV2", parts);
  }
  return sized ? Outputs{joined, Output(), Output()} : Outputs{Output(), joined};
}

// Zeros around the gradient: [begin, shape - begin - size] before and after each axis.
StatusOr<Outputs> SliceGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output begin = op.input(1);
  const op::AttrMap out_type = {{"out_type", begin.dtype()}};
  const Output in_shape = AddOp(s, "Shape", {op.input(0)}, out_type);
  const Output out_shape = AddOp(s, "Shape", {op.output(0)}, out_type);
  const Output after = AddOp(s, "Sub", {AddOp(s, "Sub", {in_shape, out_shape}), begin});
  const Output paddings = AddOp(s, "Pack", {begin, after}, {{"axis", 1}});
  return Outputs{AddOp(s, "Pad", {grads[0], paddings}), Output(), Output()};
}

StatusOr<Outputs> StridedSliceGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output begin = op.input(1);
  const Output shape = AddOp(s, "Shape", {op.input(0)}, {{"out_type", begin.dtype()}});
  const Output grad = AddOp(
      s, "StridedSliceGrad", {shape, begin, op.input(2), op.input(3), grads[0]},
      AttrsOf(op,
              {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}));
  return Outputs{grad, Output(), Output(), Output()};
}

// Splits each axis into (how often, size) and sums over the first of each pair.
StatusOr<Outputs> TileGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output multiples = AsInt32(s, op.input(1));
  const Output shape = ShapeOf(s, op.input(0));
  const Output pairs =
      AddOp(s, "Reshape", {AddOp(s, "Pack", {multiples, shape}, {{"axis", 1}}), Ints(s, {-1})});
  const Output split = AddOp(s, "Reshape", {grads[0], pairs});
  const Output axes = AddOp(s, "Range", {Int(s, 0), AddOp(s, "Size", {pairs}), Int(s, 2)});
  return Outputs{AddOp(s, "Sum", {split, axes}), Output()};
}

StatusOr<Outputs> PadGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output paddings = AsInt32(s, op.input(1));
  // The first column of the paddings is where the input begins.
  const Output rank = AddOp(s, "Rank", {op.input(0)});
  const Output column =
      AddOp(s, "Slice", {paddings, Ints(s, {0, 0}), AddOp(s, "Pack", {rank, Int(s, 1)})});
  const Output begin = AddOp(s, "Reshape", {column, Ints(s, {-1})});
  Outputs result(static_cast<size_t>(op.num_inputs()));
  result[0] = AddOp(s, "Slice", {grads[0], begin, ShapeOf(s, op.input(0))});
  if (op.num_inputs() > 2) {  // PadV2: the value stands wherever the input does not
    const Output axes = AddOp(s, "Range", {Int(s, 0), rank, Int(s, 1)});
    result[2] =
        AddOp(s, "Sub", {AddOp(s, "Sum", {grads[0], axes}), AddOp(s, "Sum", {result[0], axes})});
  }
  return result;
}

StatusOr<Outputs> MirrorPadGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  return Outputs{AddOp(s, "MirrorPadGrad", {grads[0], op.input(1)}, AttrsOf(op, {"mode"})),
                 Output()};
}

StatusOr<Outputs> FillGrad(const Scope& s, const Operation&, const Outputs& grads) {
  const Output axes = AddOp(s, "Range", {Int(s, 0), AddOp(s, "Rank", {grads[0]}), Int(s, 1)});
  return Outputs{Output(), AddOp(s, "Sum", {grads[0], axes})};
}

StatusOr<Outputs> ReverseV2Grad(const Scope& s, const Operation& op, const Outputs& grads) {
  return Outputs{AddOp(s, "ReverseV2", {grads[0], op.input(1)}), Output()};
}

StatusOr<Outputs> RollGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  return Outputs{AddOp(s, "Roll", {grads[0], AddOp(s, "Neg", {op.input(1)}), op.input(2)}),
                 Output(), Output()};
}

Output FirstOf(const Scope& s, const Output& vector) {
  return AddOp(s, "StridedSlice", {vector, Ints(s, {0}), Ints(s, {1}), Ints(s, {1})},
               {{"shrink_axis_mask", 1}});
}

// Rows that were taken more than once add up; the others get zeros.
Output GatherRowsGrad(const Scope& s, const Output& params, const Output& indices,
                      const Output& grad) {
  return AddOp(s, "UnsortedSegmentSum", {grad, indices, FirstOf(s, ShapeOf(s, params))});
}

StatusOr<Outputs> GatherGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  return Outputs{GatherRowsGrad(s, op.input(0), op.input(1), grads[0]), Output()};
}

Output RangeOf(const Scope& s, const Output& begin, const Output& end) {
  return AddOp(s, "Range", {begin, end, Int(s, 1)});
}
Output Join(const Scope& s, Outputs vectors) {
  vectors.push_back(Int(s, 0));
  return AddOp(s, "ConcatV2", vectors);
}
Output AsVector(const Scope& s, const Output& scalar) {
  return AddOp(s, "Reshape", {scalar, Ints(s, {1})});
}

// batch_dims as a number that is not negative; the rank of the indices must be known otherwise.
StatusOr<int32_t> BatchDims(const Operation& op) {
  const auto batch_dims = op.node()->attrs().GetOr<int64_t>("batch_dims", 0);
  if (batch_dims >= 0) return static_cast<int32_t>(batch_dims);
  const PartialShape shape = op.input(1).shape();
  if (!shape.has_rank()) {
    return Unimplemented("the gradient of {} with negative batch_dims and indices of unknown rank",
                         op.node()->op());
  }
  return static_cast<int32_t>(batch_dims + shape.rank());
}

// The axis is moved behind the batch dimensions, the batches are laid one after the other, and all
// is moved back. Dimensions: params [batch, before, axis, after], gradient [batch, before, indices,
// after].
StatusOr<Outputs> GatherV2Grad(const Scope& s, const Operation& op, const Outputs& grads) {
  RHEO_ASSIGN_OR_RETURN(const int32_t batch_dims, BatchDims(op));
  const Output params = op.input(0);
  const Output rank = AddOp(s, "Rank", {params});
  const Output axis =
      AddOp(s, "FloorMod", {AddOp(s, "Reshape", {AsInt32(s, op.input(2)), Ints(s, {})}), rank});
  const Output indices = AsInt32(s, op.input(1));
  const Output zero = Int(s, 0);
  const Output batch = Int(s, batch_dims);
  const Output own_rank = AddOp(s, "Sub", {AddOp(s, "Rank", {indices}), batch});

  // [batch, axis, before, after] and [batch, indices, before, after].
  const Output axis_first =
      Join(s, {RangeOf(s, zero, batch), AsVector(s, axis), RangeOf(s, batch, axis),
               RangeOf(s, AddOp(s, "AddV2", {axis, Int(s, 1)}), rank)});
  const Output end = AddOp(s, "AddV2", {axis, own_rank});
  const Output indices_first =
      Join(s, {RangeOf(s, zero, batch), RangeOf(s, axis, end), RangeOf(s, batch, axis),
               RangeOf(s, end, AddOp(s, "Rank", {grads[0]}))});
  const Output moved = AddOp(s, "Transpose", {grads[0], indices_first});
  const Output moved_shape = AddOp(s, "GatherV2", {ShapeOf(s, params), axis_first, zero});

  // Each index moved by where its batch begins.
  const Output size = AddOp(s, "GatherV2", {moved_shape, batch, zero});
  const Output batch_shape = AddOp(s, "Slice", {moved_shape, Ints(s, {0}), Ints(s, {batch_dims})});
  const Output num_batches = AddOp(s, "Prod", {batch_shape, Ints(s, {0})});
  const Output ones = AddOp(s, "Fill", {AsVector(s, own_rank), Int(s, 1)});
  const Output starts = AddOp(
      s, "Mul",
      {AddOp(s, "Reshape", {RangeOf(s, zero, num_batches), Join(s, {batch_shape, ones})}), size});
  const Output rows =
      AddOp(s, "UnsortedSegmentSum",
            {moved, AddOp(s, "AddV2", {indices, starts}), AddOp(s, "Mul", {num_batches, size})});
  const Output back = AddOp(s, "InvertPermutation", {axis_first});
  return Outputs{AddOp(s, "Transpose", {AddOp(s, "Reshape", {rows, moved_shape}), back}), Output(),
                 Output()};
}

StatusOr<Outputs> GatherNdGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output indices = op.input(1);
  const Output shape = AddOp(s, "Shape", {op.input(0)}, {{"out_type", indices.dtype()}});
  return Outputs{AddOp(s, "ScatterNd", {indices, grads[0], shape}), Output()};
}

StatusOr<Outputs> ScatterNdGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  return Outputs{Output(), AddOp(s, "GatherNd", {grads[0], op.input(0)}), Output()};
}

StatusOr<Outputs> DiagGrad(const Scope& s, const Operation&, const Outputs& grads) {
  return Outputs{AddOp(s, "DiagPart", {grads[0]})};
}
StatusOr<Outputs> DiagPartGrad(const Scope& s, const Operation&, const Outputs& grads) {
  return Outputs{AddOp(s, "Diag", {grads[0]})};
}

StatusOr<Outputs> DynamicStitchGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const int n = op.num_inputs() / 2;
  Outputs result(static_cast<size_t>(n));  // none for the indices
  for (int i = 0; i < n; ++i) {
    result.push_back(AddOp(s, "GatherV2", {grads[0], op.input(i), Int(s, 0)}));
  }
  return result;
}

// Partitions the numbers 0, 1, … like the data, which tells where each row came from.
StatusOr<Outputs> DynamicPartitionGrad(const Scope& s, const Operation& op, const Outputs& grads) {
  const Output partitions = op.input(1);
  const Output prefix = ShapeOf(s, partitions);
  const Output numbers =
      AddOp(s, "Reshape",
            {AddOp(s, "Range", {Int(s, 0), AddOp(s, "Size", {partitions}), Int(s, 1)}), prefix});
  const Operation origins =
      AddOp(s, "DynamicPartition", {numbers, partitions}, AttrsOf(op, {"num_partitions"}));
  Outputs inputs;
  for (int i = 0; i < op.num_outputs(); ++i) inputs.push_back(origins.output(i));
  for (const Output& grad : AllGrads(s, op, grads)) inputs.push_back(grad);
  const Output rows = AddOp(s, "DynamicStitch", inputs, {{"N", int64_t{op.num_outputs()}}});
  return Outputs{ReshapeAs(s, rows, op.input(0)), Output()};
}

}  // namespace

void RegisterArrayGradients(autodiff::GradientRegistry& registry) {
  for (const char* op : {"Identity", "PlaceholderWithDefault", "Snapshot", "DeepCopy",
                         "EnsureShape", "CheckNumerics", "Print"}) {
    registry.Add(op, &PassThrough);
  }
  registry.Add("IdentityN", &PassEach);
  registry.Add("PreventGradient", &NoGradient);
  for (const char* op : {"Reshape", "ExpandDims", "Squeeze"}) registry.Add(op, &ReshapeBack);
  registry.Add("Transpose", &TransposeGrad);
  registry.Add("ConjugateTranspose", &TransposeGrad);
  registry.Add("Concat", &ConcatGrad);
  registry.Add("ConcatV2", &ConcatV2Grad);
  registry.Add("Pack", &PackGrad);
  registry.Add("Unpack", &UnpackGrad);
  registry.Add("Split", &SplitGrad);
  registry.Add("SplitV", &SplitGrad);
  registry.Add("Slice", &SliceGrad);
  registry.Add("StridedSlice", &StridedSliceGrad);
  registry.Add("Tile", &TileGrad);
  registry.Add("Pad", &PadGrad);
  registry.Add("PadV2", &PadGrad);
  registry.Add("MirrorPad", &MirrorPadGrad);
  registry.Add("Fill", &FillGrad);
  registry.Add("ReverseV2", &ReverseV2Grad);
  registry.Add("Roll", &RollGrad);
  registry.Add("Gather", &GatherGrad);
  registry.Add("GatherV2", &GatherV2Grad);
  registry.Add("GatherNd", &GatherNdGrad);
  registry.Add("ScatterNd", &ScatterNdGrad);
  registry.Add("Diag", &DiagGrad);
  registry.Add("DiagPart", &DiagPartGrad);
  registry.Add("DynamicStitch", &DynamicStitchGrad);
  registry.Add("ParallelDynamicStitch", &DynamicStitchGrad);
  registry.Add("DynamicPartition", &DynamicPartitionGrad);
  RegisterSegmentGradients(registry);
  RegisterUpdateGradients(registry);
  for (const char* op :
       {"Assert",      "ConcatOffset", "Const",        "Empty",  "InvertPermutation",
        "LinSpace",    "ListDiff",     "NoOp",         "OneHot", "OnesLike",
        "Placeholder", "PrintV2",      "Range",        "Rank",   "Shape",
        "ShapeN",      "Size",         "StopGradient", "Where",  "ZerosLike"}) {
    registry.AddNotDifferentiable(op);
  }
}

}  // namespace rheo::ops
