// Shape functions of the family.
#include "rheo/op/shape_context.h"
#include "rheo/ops/common/shape_functions.h"
#include "rheo/ops/nn/conv2d.h"
#include "rheo/ops/nn/register.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

Status SoftmaxShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(RequireRankAtLeast(c, 0, 1));
  return op::UnchangedShape(c);
}

Status CrossEntropyShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, ShapeContext::Broadcast(c.input(0), c.input(1)));
  if (shape.has_rank() && shape.rank() != 2) {
    return InvalidArgument("logits and labels must be broadcast to rank 2, not {}",
                           shape.ToString());
  }
  c.set_output(0, PartialShape{DimOf(shape, 0)});
  c.set_output(1, std::move(shape));
  return OkStatus();
}

Status SparseCrossEntropyShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 2));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  RHEO_ASSIGN_OR_RETURN(const int64_t batch, MergeDims(DimOf(c.input(0), 0), DimOf(c.input(1), 0)));
  c.set_output(0, PartialShape{batch});
  c.set_output(1, PartialShape{batch, DimOf(c.input(0), 1)});
  return OkStatus();
}

// The dimension of channels; the attr is checked by the schema.
int ChannelOf(const ShapeContext& c) {
  return c.attrs().GetOr<std::string>("data_format", "NHWC") == "NCHW" ? 1 : -1;
}

Status BiasAddShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(RequireRankAtLeast(c, 0, 2));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  const int channel = ChannelOf(c);
  RHEO_ASSIGN_OR_RETURN(const int64_t size,
                        MergeDims(DimOf(c.input(0), channel), DimOf(c.input(1), 0)));
  PartialShape output = c.input(0);
  if (output.has_rank()) output.set_dim(channel < 0 ? output.rank() - 1 : channel, size);
  c.set_output(0, std::move(output));
  return OkStatus();
}

Status BiasAddGradShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(RequireRankAtLeast(c, 0, 2));
  c.set_output(0, PartialShape{DimOf(c.input(0), ChannelOf(c))});
  return OkStatus();
}

Status TopKShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(RequireRankAtLeast(c, 0, 1));
  int64_t k = c.attrs().GetOr<int64_t>("k", kUnknownDim);
  if (c.num_inputs() > 1) {
    RHEO_RETURN_IF_ERROR(c.RequireRank(1, 0));
    if (const auto value = ConstantInts(c, 1); value.has_value()) k = value->front();
    if (k < kUnknownDim) return InvalidArgument("Need k >= 0, got {}", k);
  }
  PartialShape output = c.input(0);
  if (output.has_rank()) {
    const int64_t n = output.dim(output.rank() - 1);
    if (n != kUnknownDim && k > n) {
      return InvalidArgument("input must have last dimension >= k = {} but is {}", k, n);
    }
    output.set_dim(output.rank() - 1, k);
  }
  c.set_output(0, output);
  c.set_output(1, output);
  return OkStatus();
}

Status InTopKShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 2));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  if (c.num_inputs() > 2) RHEO_RETURN_IF_ERROR(c.RequireRank(2, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t batch, MergeDims(DimOf(c.input(0), 0), DimOf(c.input(1), 0)));
  c.set_output(0, PartialShape{batch});
  return OkStatus();
}

}  // namespace

Status RegisterNnSchemas(op::OpRegistry& registry) {
  RHEO_RETURN_IF_ERROR(
      SetShapeFns(registry, {"Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"},
                  op::UnchangedShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry,
                                   {"ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad",
                                    "SoftsignGrad", "LeakyReluGrad"},
                                   MergedShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry, {"Softmax", "LogSoftmax"}, SoftmaxShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("SoftmaxCrossEntropyWithLogits", CrossEntropyShape));
  RHEO_RETURN_IF_ERROR(
      registry.SetShapeFn("SparseSoftmaxCrossEntropyWithLogits", SparseCrossEntropyShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry, {"BiasAdd", "BiasAddV1"}, BiasAddShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("BiasAddGrad", BiasAddGradShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("Conv2D", Conv2DShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("L2Loss", op::ScalarShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry, {"TopK", "TopKV2"}, TopKShape));
  return SetShapeFns(registry, {"InTopK", "InTopKV2"}, InTopKShape);
}

}  // namespace rheo::ops
