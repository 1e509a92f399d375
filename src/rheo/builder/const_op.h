// Const, Zeros and Ones: values of a graph that are known while it is built.
#ifndef RHEO_BUILDER_CONST_OP_H_
#define RHEO_BUILDER_CONST_OP_H_

#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"
#include "rheo/tensor/shape.h"

namespace rheo::builder::ops {

// A Const node. `value` is a tensor or literals; literals take `dtype`, or keep their C++ type when
// it is kInvalid. INVALID_ARGUMENT when `dtype` cannot hold them or `value` is an output.
Output Const(const Scope& scope, const Input& value, DType dtype = DType::kInvalid);

// Zeros or ones of a fixed shape: a Const node, or a Fill when it has more than 1000 elements.
Output Zeros(const Scope& scope, const ::rheo::Shape& shape, DType dtype);
Output Ones(const Scope& scope, const ::rheo::Shape& shape, DType dtype);

}  // namespace rheo::builder::ops

#endif  // RHEO_BUILDER_CONST_OP_H_
