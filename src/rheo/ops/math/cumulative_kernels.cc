// Cumsum and Cumprod: running sums and products along one axis.
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct Direction {
  bool exclusive;
  bool reverse;
};

// Lines run along `length` elements that lie `inner` apart.
struct Lines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

StatusOr<Lines> PlanLines(const Shape& shape, const Tensor& axis) {
  if (axis.rank() != 0) {
    return InvalidArgument("axis must be a scalar, not {}", axis.shape().ToString());
  }
  const int64_t given =
      axis.dtype() == DType::kInt32 ? axis.scalar<int32_t>() : axis.scalar<int64_t>();
  const int64_t index = given < 0 ? given + shape.rank() : given;
  if (index < 0 || index >= shape.rank()) {
    return InvalidArgument("Expected scan axis in the range [{}, {}), but got {}", -shape.rank(),
                           shape.rank(), given);
  }
  Lines lines;
  for (int i = 0; i < shape.rank(); ++i) {
    (i < index ? lines.outer : i == index ? lines.length : lines.inner) *= shape.dim(i);
  }
  return lines;
}

template <typename T, typename F>
void ScanLine(const T* x, T* z, int64_t length, int64_t step, Direction direction, Wide<T> total) {
  for (int64_t i = 0; i < length; ++i) {
    const int64_t at = (direction.reverse ? length - 1 - i : i) * step;
    const Wide<T> before = total;
    total = F{}(total, static_cast<Wide<T>>(x[at]));
    z[at] = static_cast<T>(direction.exclusive ? before : total);
  }
}

template <typename T, typename F>
class ScanKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const bool exclusive, init.attrs.Get<bool>("exclusive"));
    RHEO_ASSIGN_OR_RETURN(const bool reverse, init.attrs.Get<bool>("reverse"));
    return std::make_unique<ScanKernel>(Direction{exclusive, reverse});
  }
  explicit ScanKernel(Direction direction) : direction_(direction) {}

  Status Compute(KernelContext& context) override {
    const Shape shape = context.input(0).shape();
    if (shape.rank() == 0) {
      return InvalidArgument("a scalar has no axis to scan along");
    }
    RHEO_ASSIGN_OR_RETURN(const Lines lines, PlanLines(shape, context.input(1)));
    const T* x = context.input(0).flat<T>().data();
    RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    T* z = out->mutable_flat<T>().data();
    const int64_t num_lines = lines.outer * lines.inner;
    context.ParallelFor(num_lines, 5 + 2 * lines.length, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i / lines.inner * lines.length * lines.inner + i % lines.inner;
        ScanLine<T, F>(x + at, z + at, lines.length, lines.inner, direction_,
                       F::Initial(Wide<T>()));
      }
    });
    return OkStatus();
  }

 private:
  const Direction direction_;
};

struct SumStep {
  template <typename W>
  W operator()(const W& a, const W& b) const {
    return WrapAdd(a, b);
  }
  template <typename W>
  static W Initial(W) {
    return W(0);
  }
};
struct ProductStep {
  template <typename W>
  W operator()(const W& a, const W& b) const {
    return WrapMul(a, b);
  }
  template <typename W>
  static W Initial(W) {
    return W(1);
  }
};

template <typename F>
void AddScan(kernel::KernelRegistry& registry, std::string_view op) {
  ForEachType<NumberTypes>([&]<typename T>() {
    registry.Add({.op = std::string(op),
                  .types = {{"T", {kDTypeOf<T>}}, {"Tidx", DTypesOf<IndexTypes>()}},
                  .host_memory_args = {"axis"},
                  .factory = kernel::ClassKernel<ScanKernel<T, F>>()});
  });
}

}  // namespace

void RegisterCumulativeKernels(kernel::KernelRegistry& registry) {
  AddScan<SumStep>(registry, "Cumsum");
  AddScan<ProductStep>(registry, "Cumprod");
}

}  // namespace rheo::ops
