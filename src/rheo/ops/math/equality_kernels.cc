// Equality of values of any dtype.
#include <algorithm>
#include <cmath>

#include "rheo/ops/common/broadcast.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct EqualOf {
  template <typename T>
  bool operator()(const T& x, const T& y) const {
    return x == y;
  }
};
struct NotEqualOf {
  template <typename T>
  bool operator()(const T& x, const T& y) const {
    return x != y;
  }
};

// With incompatible_shape_error=false, shapes that do not fit give one value: not equal.
class EqualityKernel final : public kernel::Kernel {
 public:
  EqualityKernel(const BinaryLoops& loops, bool unequal, bool shapes_must_fit)
      : loops_(loops), unequal_(unequal), shapes_must_fit_(shapes_must_fit) {}

  Status Compute(KernelContext& context) override {
    if (!shapes_must_fit_ &&
        !BroadcastShape(context.input(0).shape(), context.input(1).shape()).ok()) {
      context.set_output(0, Tensor::Scalar<bool>(unequal_));
      return OkStatus();
    }
    return RunBinary(context, loops_);
  }

 private:
  const BinaryLoops& loops_;
  const bool unequal_;
  const bool shapes_must_fit_;
};

void AddEquality(kernel::KernelRegistry& registry, std::string_view op,
                 const std::vector<DType>& dtypes, const BinaryLoops& loops, bool unequal) {
  const kernel::KernelFactory factory =
      [&loops,
       unequal](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    return std::make_unique<EqualityKernel>(loops, unequal,
                                            init.attrs.GetOr("incompatible_shape_error", true));
  };
  registry.Add({.op = std::string(op), .types = {{"T", dtypes}}, .factory = factory});
  if (std::ranges::count(dtypes, DType::kInt32) > 0) AddDefaultRows(registry, op, factory);
}

template <typename T>
void AddBoth(kernel::KernelRegistry& registry, const std::vector<DType>& dtypes) {
  AddEquality(registry, "Equal", dtypes, kBinaryLoops<EqualOf, T, bool, kCheap>, false);
  AddEquality(registry, "NotEqual", dtypes, kBinaryLoops<NotEqualOf, T, bool, kCheap>, true);
}

// |x - y| < tolerance.
class ApproximateEqualKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const float tolerance, init.attrs.Get<float>("tolerance"));
    return std::make_unique<ApproximateEqualKernel>(tolerance);
  }
  explicit ApproximateEqualKernel(float tolerance) : tolerance_(tolerance) {}

  Status Compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    if (!(x.shape() == y.shape())) {
      return InvalidArgument("x and y must be of the same shape, not {} and {}",
                             x.shape().ToString(), y.shape().ToString());
    }
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, x.shape()));
    x.dtype() == DType::kFloat ? Compare<float>(x, y, *out) : Compare<double>(x, y, *out);
    return OkStatus();
  }

 private:
  template <typename T>
  void Compare(const Tensor& x, const Tensor& y, Tensor& out) const {
    const std::span<bool> z = out.mutable_flat<bool>();
    for (size_t i = 0; i < z.size(); ++i) {
      z[i] = std::abs(x.flat<T>()[i] - y.flat<T>()[i]) < static_cast<T>(tolerance_);
    }
  }
  const float tolerance_;
};

}  // namespace

void RegisterEqualityKernels(kernel::KernelRegistry& registry) {
  AddBoth<float>(registry, {DType::kFloat});
  AddBoth<double>(registry, {DType::kDouble});
  AddBoth<Half>(registry, {DType::kHalf});
  AddBoth<Bfloat16>(registry, {DType::kBfloat16});
  AddBoth<std::complex<float>>(registry, {DType::kComplex64});
  AddBoth<std::complex<double>>(registry, {DType::kComplex128});
  AddBoth<std::string>(registry, {DType::kString});
  // Integers and bools are equal when their bytes are.
  AddBoth<uint8_t>(registry,
                   {DType::kInt8, DType::kUint8, DType::kBool, DType::kQint8, DType::kQuint8});
  AddBoth<uint16_t>(registry, {DType::kInt16, DType::kUint16, DType::kQint16, DType::kQuint16});
  AddBoth<uint32_t>(registry, {DType::kInt32, DType::kUint32, DType::kQint32});
  AddBoth<uint64_t>(registry, {DType::kInt64, DType::kUint64});
  registry.Add({.op = "ApproximateEqual",
                .types = {{"T", DTypesOf<FullFloatTypes>()}},
                .factory = kernel::ClassKernel<ApproximateEqualKernel>()});
}

}  // namespace rheo::ops
