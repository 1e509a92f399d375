#include "rheo/ops/list/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/common/shape_tools.h"
#include "rheo/ops/list/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

// What the constant input `i` says of the elements' shape.
StatusOr<PartialShape> ElementShapeInput(const ShapeContext& c, int i) {
  const Tensor* constant = c.constant(i);
  if (constant == nullptr || constant->rank() != 1) return PartialShape();
  return c.ShapeFromInput(i);
}

PartialShape OfRows(int64_t rows, const PartialShape& row) {
  return ConcatShapes(PartialShape{rows}, row);
}

int64_t FirstDim(const PartialShape& shape) {
  return shape.has_rank() && shape.rank() > 0 ? shape.dim(0) : kUnknownDim;
}

// A handle: a resource, or two strings; and the flow where there is one.
Status ArrayShapes(ShapeContext& c) {
  const bool is_resource = c.types().outputs[0] == DType::kResource;
  c.set_output(0, is_resource ? PartialShape::OfRank(0) : PartialShape{2});
  if (c.num_outputs() > 1) c.set_output(1, PartialShape::OfRank(0));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape row,
                        c.attrs().Get<PartialShape>("element_shape_except0"));
  c.set_output(0, OfRows(kUnknownDim, row));
  c.set_output(1, PartialShape::OfRank(1));
  return OkStatus();
}

Status GatherShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape row, c.attrs().Get<PartialShape>("element_shape"));
  c.set_output(0, OfRows(FirstDim(c.input(1)), row));
  return OkStatus();
}

Status PackShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape row, c.attrs().Get<PartialShape>("element_shape"));
  c.set_output(0, OfRows(kUnknownDim, row));
  return OkStatus();
}

Status ListElementShape(ShapeContext& c) {
  c.set_output(0, PartialShape());  // a scalar -1 when the rank is unknown
  return OkStatus();
}

Status ListConcatShapes(ShapeContext& c) {
  c.set_output(0, PartialShape());
  c.set_output(1, PartialShape::OfRank(1));
  return OkStatus();
}

Status ListGatherShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape row, ElementShapeInput(c, 2));
  c.set_output(0, OfRows(FirstDim(c.input(1)), row));
  return OkStatus();
}

Status ListGetItemShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, ElementShapeInput(c, 2));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ListPopBackShapes(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, ElementShapeInput(c, 1));
  c.set_output(0, PartialShape::OfRank(0));
  c.set_output(1, std::move(shape));
  return OkStatus();
}

Status ListStackShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape row, ElementShapeInput(c, 1));
  c.set_output(0, OfRows(c.attrs().GetOr<int64_t>("num_elements", kUnknownDim), row));
  return OkStatus();
}

Status OptionalValueShapes(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const auto shapes,
                        c.attrs().Get<std::vector<PartialShape>>("output_shapes"));
  if (shapes.size() != static_cast<size_t>(c.num_outputs())) {
    return InvalidArgument("{} output_shapes for {} outputs", shapes.size(), c.num_outputs());
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[static_cast<size_t>(i)]);
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"EmptyTensorList", &op::ScalarShape},
    {"OptionalFromValue", &op::ScalarShape},
    {"OptionalGetValue", &OptionalValueShapes},
    {"OptionalHasValue", &op::ScalarShape},
    {"OptionalNone", &op::ScalarShape},
    {"TensorArray", &ArrayShapes},
    {"TensorArrayClose", &op::NoOutputs},
    {"TensorArrayCloseV2", &op::NoOutputs},
    {"TensorArrayCloseV3", &op::NoOutputs},
    {"TensorArrayConcat", &ConcatShape},
    {"TensorArrayConcatV2", &ConcatShape},
    {"TensorArrayConcatV3", &ConcatShape},
    {"TensorArrayGather", &GatherShape},
    {"TensorArrayGatherV2", &GatherShape},
    {"TensorArrayGatherV3", &GatherShape},
    {"TensorArrayGrad", &ArrayShapes},
    {"TensorArrayGradV2", &ArrayShapes},
    {"TensorArrayGradV3", &ArrayShapes},
    {"TensorArrayGradWithShape", &ArrayShapes},
    {"TensorArrayPack", &PackShape},
    {"TensorArrayRead", &op::UnknownShape},
    {"TensorArrayReadV2", &op::UnknownShape},
    {"TensorArrayReadV3", &op::UnknownShape},
    {"TensorArrayScatter", &op::ScalarShape},
    {"TensorArrayScatterV2", &op::ScalarShape},
    {"TensorArrayScatterV3", &op::ScalarShape},
    {"TensorArraySize", &op::ScalarShape},
    {"TensorArraySizeV2", &op::ScalarShape},
    {"TensorArraySizeV3", &op::ScalarShape},
    {"TensorArraySplit", &op::ScalarShape},
    {"TensorArraySplitV2", &op::ScalarShape},
    {"TensorArraySplitV3", &op::ScalarShape},
    {"TensorArrayUnpack", &op::ScalarShape},
    {"TensorArrayV2", &ArrayShapes},
    {"TensorArrayV3", &ArrayShapes},
    {"TensorArrayWrite", &op::ScalarShape},
    {"TensorArrayWriteV2", &op::ScalarShape},
    {"TensorArrayWriteV3", &op::ScalarShape},
    {"TensorListConcat", &ListConcatShapes},
    {"TensorListConcatLists", &op::UnchangedShape},
    {"TensorListConcatV2", &ListConcatShapes},
    {"TensorListElementShape", &ListElementShape},
    {"TensorListFromTensor", &op::ScalarShape},
    {"TensorListGather", &ListGatherShape},
    {"TensorListGetItem", &ListGetItemShape},
    {"TensorListLength", &op::ScalarShape},
    {"TensorListPopBack", &ListPopBackShapes},
    {"TensorListPushBack", &op::ScalarShape},
    {"TensorListPushBackBatch", &op::UnchangedShape},
    {"TensorListReserve", &op::ScalarShape},
    {"TensorListResize", &op::ScalarShape},
    {"TensorListScatter", &op::ScalarShape},
    {"TensorListScatterIntoExistingList", &op::ScalarShape},
    {"TensorListScatterV2", &op::ScalarShape},
    {"TensorListSetItem", &op::ScalarShape},
    {"TensorListSplit", &op::ScalarShape},
    {"TensorListStack", &ListStackShape},
};

}  // namespace

Status RegisterListSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterListKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddTensorArrayKernels(kernels);
  AddTensorArrayBatchKernels(kernels);
  AddTensorListKernels(kernels);
  AddTensorListBatchKernels(kernels);
  AddOptionalKernels(kernels);
}

std::vector<std::string_view> ListOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
