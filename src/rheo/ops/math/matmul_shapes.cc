#include "rheo/ops/math/matmul_shapes.h"

#include "rheo/ops/common/shape_functions.h"

namespace rheo::ops {
namespace {

Status CheckInner(const PartialShape& a, int64_t inner_a, const PartialShape& b, int64_t inner_b) {
  if (MergeDims(inner_a, inner_b).ok()) return OkStatus();
  return InvalidArgument("shapes do not fit: a is {}, b is {}; a's columns must equal b's rows",
                         a.ToString(), b.ToString());
}

PartialShape BatchOf(const PartialShape& s) {
  if (!s.has_rank()) return PartialShape();
  return PartialShape(s.dims().first(static_cast<size_t>(s.rank() - 2)));
}

}  // namespace

Status MatMulShape(op::ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 2));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 2));
  const bool transpose_a = c.attrs().GetOr("transpose_a", false);
  const bool transpose_b = c.attrs().GetOr("transpose_b", false);
  RHEO_RETURN_IF_ERROR(CheckInner(c.input(0), DimOf(c.input(0), transpose_a ? 0 : 1), c.input(1),
                                  DimOf(c.input(1), transpose_b ? 1 : 0)));
  c.set_output(0, PartialShape{DimOf(c.input(0), transpose_a ? 1 : 0),
                               DimOf(c.input(1), transpose_b ? 0 : 1)});
  return OkStatus();
}

Status BatchMatMulShape(op::ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(RequireRankAtLeast(c, 0, 2));
  RHEO_RETURN_IF_ERROR(RequireRankAtLeast(c, 1, 2));
  const bool adj_x = c.attrs().GetOr("adj_x", false);
  const bool adj_y = c.attrs().GetOr("adj_y", false);
  RHEO_RETURN_IF_ERROR(CheckInner(c.input(0), DimOf(c.input(0), adj_x ? -2 : -1), c.input(1),
                                  DimOf(c.input(1), adj_y ? -1 : -2)));
  RHEO_ASSIGN_OR_RETURN(PartialShape shape,
                        op::ShapeContext::Broadcast(BatchOf(c.input(0)), BatchOf(c.input(1))));
  if (shape.has_rank()) {
    shape.AddDim(DimOf(c.input(0), adj_x ? -1 : -2));
    shape.AddDim(DimOf(c.input(1), adj_y ? -2 : -1));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace rheo::ops
