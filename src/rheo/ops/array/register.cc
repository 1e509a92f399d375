#include "rheo/ops/array/register.h"

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/array/shape_fns.h"

namespace rheo::ops {
namespace {

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(op::ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"Assert", &op::NoOutputs},
    {"Bitcast", &BitcastOutputShape},
    {"CheckNumerics", &op::UnchangedShape},
    {"Concat", &ConcatShape},
    {"ConcatOffset", &ConcatOffsetShape},
    {"ConcatV2", &ConcatV2Shape},
    {"ConjugateTranspose", &TransposeShape},
    {"Const", &ConstShape},
    {"DeepCopy", &op::UnchangedShape},
    {"Diag", &DiagShape},
    {"DiagPart", &DiagPartShape},
    {"DynamicPartition", &DynamicPartitionShape},
    {"DynamicStitch", &DynamicStitchShape},
    {"Empty", &ShapeFromInput0},
    {"EnsureShape", &EnsureShapeShape},
    {"ExpandDims", &ExpandDimsShape},
    {"Fill", &ShapeFromInput0},
    {"Gather", &GatherShape},
    {"GatherNd", &GatherNdShape},
    {"GatherV2", &GatherV2Shape},
    {"Identity", &op::UnchangedShape},
    {"IdentityN", &AllUnchangedShapes},
    {"InvertPermutation", &op::UnchangedShape},
    {"LinSpace", &LinSpaceShape},
    {"ListDiff", &ListDiffShape},
    {"MirrorPad", &PadShape},
    {"MirrorPadGrad", &MirrorPadGradShape},
    {"NoOp", &op::NoOutputs},
    {"OneHot", &OneHotShape},
    {"OnesLike", &op::UnchangedShape},
    {"Pack", &PackShape},
    {"Pad", &PadShape},
    {"PadV2", &PadShape},
    {"ParallelDynamicStitch", &DynamicStitchShape},
    {"Placeholder", &ShapeAttrShape},
    {"PlaceholderV2", &ShapeAttrShape},
    {"PlaceholderWithDefault", &ShapeAttrShape},
    {"PreventGradient", &op::UnchangedShape},
    {"Print", &op::UnchangedShape},
    {"PrintV2", &op::NoOutputs},
    {"Range", &RangeShape},
    {"Rank", &op::ScalarShape},
    {"Reshape", &ReshapeShape},
    {"ResourceStridedSliceAssign", &op::NoOutputs},
    {"Reverse", &op::UnchangedShape},
    {"ReverseV2", &op::UnchangedShape},
    {"Roll", &op::UnchangedShape},
    {"ScatterNd", &ShapeFromInput2},
    {"ScatterNdNonAliasingAdd", &op::UnchangedShape},
    {"SegmentMax", &SegmentShape},
    {"SegmentMean", &SegmentShape},
    {"SegmentMin", &SegmentShape},
    {"SegmentProd", &SegmentShape},
    {"SegmentSum", &SegmentShape},
    {"Shape", &ShapeNShape},
    {"ShapeN", &ShapeNShape},
    {"Size", &op::ScalarShape},
    {"Slice", &SliceShape},
    {"Snapshot", &op::UnchangedShape},
    {"Split", &SplitShape},
    {"SplitV", &SplitVShape},
    {"Squeeze", &SqueezeShape},
    {"StopGradient", &op::UnchangedShape},
    {"StridedSlice", &StridedSliceShape},
    {"StridedSliceAssign", &op::UnchangedShape},
    {"StridedSliceGrad", &ShapeFromInput0},
    {"TensorScatterAdd", &op::UnchangedShape},
    {"TensorScatterMax", &op::UnchangedShape},
    {"TensorScatterMin", &op::UnchangedShape},
    {"TensorScatterSub", &op::UnchangedShape},
    {"TensorScatterUpdate", &op::UnchangedShape},
    {"TensorStridedSliceUpdate", &op::UnchangedShape},
    {"Tile", &TileShape},
    {"Transpose", &TransposeShape},
    {"Unique", &UniqueShape},
    {"UniqueV2", &UniqueV2Shape},
    {"UniqueWithCounts", &UniqueShape},
    {"UniqueWithCountsV2", &UniqueV2Shape},
    {"Unpack", &UnpackShape},
    {"UnsortedSegmentMax", &UnsortedSegmentShape},
    {"UnsortedSegmentMin", &UnsortedSegmentShape},
    {"UnsortedSegmentProd", &UnsortedSegmentShape},
    {"UnsortedSegmentSum", &UnsortedSegmentShape},
    {"Where", &WhereShape},
    {"ZerosLike", &op::UnchangedShape},
};

}  // namespace

Status RegisterArraySchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterArrayKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddConstantKernels(kernels);
  AddIdentityKernels(kernels);
  AddShapeKernels(kernels);
  AddFillKernels(kernels);
  AddSequenceKernels(kernels);
  AddConcatKernels(kernels);
  AddSplitKernels(kernels);
  AddRearrangeKernels(kernels);
  AddSliceKernels(kernels);
  AddStridedSliceKernels(kernels);
  AddPadKernels(kernels);
  AddGatherKernels(kernels);
  AddScatterKernels(kernels);
  AddUniqueKernels(kernels);
  AddPartitionKernels(kernels);
  AddSegmentKernels(kernels);
  AddDiagKernels(kernels);
  AddCheckKernels(kernels);
}

std::vector<std::string_view> ArrayOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
