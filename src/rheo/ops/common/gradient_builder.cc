#include "rheo/ops/common/gradient_builder.h"

#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {
namespace {

Tensor ScalarOf(DType dtype, double value) {
  Tensor t(dtype, Shape{});
  ForEachType<NumberTypes>([&]<typename T>() {
    if (dtype != kDTypeOf<T>) return;
    if constexpr (std::is_same_v<T, std::complex<float>>) {
      t.mutable_flat<T>()[0] = T(static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
      t.mutable_flat<T>()[0] = T(static_cast<float>(value));
    } else {
      t.mutable_flat<T>()[0] = static_cast<T>(value);
    }
  });
  return t;
}

bool HaveSameKnownShape(const Output& a, const Output& b) {
  const PartialShape shape = a.shape();
  return shape.IsFullyDefined() && shape == b.shape();
}

}  // namespace

std::optional<std::vector<int64_t>> GradientBuilder::ConstantInts(const Output& x) const {
  const Tensor* value = scope_.shapes().ConstantOf(x.endpoint());
  if (value == nullptr) return std::nullopt;
  if (value->dtype() == DType::kInt32) {
    const auto values = value->flat<int32_t>();
    return std::vector<int64_t>(values.begin(), values.end());
  }
  if (value->dtype() != DType::kInt64) return std::nullopt;
  const auto values = value->flat<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

builder::Operation GradientBuilder::Operation(std::string_view op,
                                              std::initializer_list<Output> inputs,
                                              op::AttrMap attrs) const {
  return builder::AddOp(scope_, op, std::vector<Output>(inputs), std::move(attrs));
}

Output GradientBuilder::Op(std::string_view op, std::initializer_list<Output> inputs,
                           op::AttrMap attrs) const {
  return Output(Operation(op, inputs, std::move(attrs)));
}

Output GradientBuilder::Number(double value, const Output& like) const {
  return builder::Const(scope_, ScalarOf(like.dtype(), value));
}

Output GradientBuilder::Ints(const std::vector<int32_t>& values) const {
  return builder::Const(scope_, Tensor::Vector(values));
}

Output GradientBuilder::Int(int32_t value) const {
  return builder::Const(scope_, Tensor::Scalar(value));
}

Output GradientBuilder::Cast(const Output& a, DType dtype) const {
  if (a.dtype() == dtype) return a;
  return Op("Cast", {a}, {{"DstT", dtype}});
}

Output GradientBuilder::Conj(const Output& a) const {
  return IsComplex(a.dtype()) ? Op("Conj", {a}) : a;
}

std::vector<Output> GradientBuilder::Unbroadcast(const Output& a, const Output& grad_a,
                                                 const Output& b, const Output& grad_b) const {
  if (HaveSameKnownShape(a, b)) return {grad_a, grad_b};
  const Output shape_a = Shape(a);
  const Output shape_b = Shape(b);
  const builder::Operation axes = Operation("BroadcastGradientArgs", {shape_a, shape_b});
  const auto reduce = [&](const Output& grad, int i, const Output& shape) {
    return grad.has_value() ? Reshape(Sum(grad, axes.output(i)), shape) : Output();
  };
  return {reduce(grad_a, 0, shape_a), reduce(grad_b, 1, shape_b)};
}

void AddGradient(autodiff::GradientRegistry& registry, std::string_view op, GradientBody body) {
  registry.Add(op,
               [body](const builder::Scope& scope, const builder::Operation& operation,
                      const std::vector<Output>& grads) -> StatusOr<std::vector<Output>> {
                 return body(GradientBuilder(scope, operation, grads));
               });
}

void AddNoGradients(autodiff::GradientRegistry& registry,
                    std::initializer_list<std::string_view> ops) {
  for (const std::string_view op : ops) registry.AddNotDifferentiable(op);
}

}  // namespace rheo::ops
