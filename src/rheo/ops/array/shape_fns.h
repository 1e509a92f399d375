// The shape functions of the array family; each is named for its op or ops.
#ifndef RHEO_OPS_ARRAY_SHAPE_FNS_H_
#define RHEO_OPS_ARRAY_SHAPE_FNS_H_

#include "rheo/op/shape_context.h"

namespace rheo::ops {

// shape_fns_make.cc: constants and ops that make or describe a shape.
Status ConstShape(op::ShapeContext& c);
Status ShapeAttrShape(op::ShapeContext& c);      // output 0 as attr `shape` says
Status AllUnchangedShapes(op::ShapeContext& c);  // output i as input i
Status EnsureShapeShape(op::ShapeContext& c);
Status BitcastOutputShape(op::ShapeContext& c);
Status ShapeNShape(op::ShapeContext& c);
Status ReshapeShape(op::ShapeContext& c);
Status ExpandDimsShape(op::ShapeContext& c);
Status SqueezeShape(op::ShapeContext& c);
Status ShapeFromInput0(op::ShapeContext& c);  // input 0 is the shape: Fill, Empty, StridedSliceGrad
Status ShapeFromInput2(op::ShapeContext& c);  // ScatterNd
Status RangeShape(op::ShapeContext& c);
Status LinSpaceShape(op::ShapeContext& c);
Status OneHotShape(op::ShapeContext& c);
Status DiagShape(op::ShapeContext& c);
Status DiagPartShape(op::ShapeContext& c);
Status WhereShape(op::ShapeContext& c);
Status UniqueShape(op::ShapeContext& c);
Status UniqueV2Shape(op::ShapeContext& c);
Status ListDiffShape(op::ShapeContext& c);

// shape_fns_move.cc: ops that move elements.
Status ConcatShape(op::ShapeContext& c);
Status ConcatV2Shape(op::ShapeContext& c);
Status ConcatOffsetShape(op::ShapeContext& c);
Status PackShape(op::ShapeContext& c);
Status UnpackShape(op::ShapeContext& c);
Status SplitShape(op::ShapeContext& c);
Status SplitVShape(op::ShapeContext& c);
Status TransposeShape(op::ShapeContext& c);
Status SliceShape(op::ShapeContext& c);
Status StridedSliceShape(op::ShapeContext& c);
Status TileShape(op::ShapeContext& c);
Status PadShape(op::ShapeContext& c);
Status MirrorPadGradShape(op::ShapeContext& c);
Status GatherShape(op::ShapeContext& c);
Status GatherV2Shape(op::ShapeContext& c);
Status GatherNdShape(op::ShapeContext& c);
Status SegmentShape(op::ShapeContext& c);
Status UnsortedSegmentShape(op::ShapeContext& c);
Status DynamicPartitionShape(op::ShapeContext& c);
Status DynamicStitchShape(op::ShapeContext& c);

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_SHAPE_FNS_H_
