#include "rheo/builder/const_op.h"

#include <cstring>

#include "rheo/builder/op_call.h"

namespace rheo::builder {

Output Const(const Scope& scope, Tensor value) {
  const DType dtype = value.dtype();
  return AddOp(scope, "Const", {}, {{"value", std::move(value)}, {"dtype", dtype}});
}

namespace ops {
namespace {

// Larger values are made by a step, so that the graph stays small.
constexpr int64_t kMaxConstElements = 1000;

Output Filled(const Scope& scope, const ::rheo::Shape& shape, DType dtype, int value) {
  const StatusOr<Tensor> element = ConvertLiteral(Tensor::Scalar(value), dtype);
  if (!element.ok()) {
    scope.SetError(element.status());
    return Output();
  }
  if (shape.num_elements() <= kMaxConstElements) {
    Tensor filled(dtype, shape);
    const size_t size = DTypeSize(dtype);
    for (size_t at = 0; at < filled.num_bytes(); at += size) {
      std::memcpy(static_cast<char*>(filled.mutable_data()) + at, element->data(), size);
    }
    return builder::Const(scope, std::move(filled));
  }
  OpCall call(scope, "Fill");
  call.In(Tensor::Vector<int64_t>({shape.dims().begin(), shape.dims().end()}));
  call.In(*element);
  call.Finish();
  return call.One(0);
}

}  // namespace

Output Const(const Scope& scope, const Input& value, DType dtype) {
  if (!value.value().has_value()) {
    scope.SetError(InvalidArgument("a Const needs a value, not {}", value.ToString()));
    return Output();
  }
  if (dtype == DType::kInvalid) return builder::Const(scope, value.value());
  StatusOr<Tensor> converted =
      value.is_literal() || value.dtype() == dtype
          ? ConvertLiteral(value.value(), dtype)
          : InvalidArgument("a Const of {} was given {}", DTypeName(dtype), value.ToString());
  if (!converted.ok()) {
    scope.SetError(converted.status());
    return Output();
  }
  return builder::Const(scope, *std::move(converted));
}

Output Zeros(const Scope& scope, const ::rheo::Shape& shape, DType dtype) {
  return Filled(scope, shape, dtype, 0);
}

Output Ones(const Scope& scope, const ::rheo::Shape& shape, DType dtype) {
  return Filled(scope, shape, dtype, 1);
}

}  // namespace ops
}  // namespace rheo::builder
