// Shape functions of matrix products.
#ifndef RHEO_OPS_MATH_MATMUL_SHAPES_H_
#define RHEO_OPS_MATH_MATMUL_SHAPES_H_

#include "rheo/op/shape_context.h"

namespace rheo::ops {

Status MatMulShape(op::ShapeContext& c);
Status BatchMatMulShape(op::ShapeContext& c);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_MATMUL_SHAPES_H_
