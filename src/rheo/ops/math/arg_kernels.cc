// ArgMax and ArgMin: the first position of an extreme along one axis.
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

struct ArgPlan {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  Shape output;
};

int64_t ReadScalar(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kInt16:
      return t.scalar<int16_t>();
    case DType::kInt32:
      return t.scalar<int32_t>();
    default:
      return t.scalar<int64_t>();
  }
}

StatusOr<ArgPlan> PlanArg(const Shape& input, const Tensor& dimension) {
  if (dimension.rank() != 0) {
    return InvalidArgument("dim must be a scalar, but received tensor of shape: {}",
                           dimension.shape().ToString());
  }
  const int64_t given = ReadScalar(dimension);
  const int64_t axis = given < 0 ? given + input.rank() : given;
  if (axis < 0 || axis >= input.rank()) {
    return InvalidArgument("Expected dimension in the range [{}, {}), but got {}", -input.rank(),
                           input.rank(), given);
  }
  ArgPlan plan;
  for (int i = 0; i < input.rank(); ++i) {
    const int64_t size = input.dim(i);
    if (i == axis) {
      plan.length = size;
      continue;
    }
    (i < axis ? plan.outer : plan.inner) *= size;
    plan.output.AddDim(size);
  }
  if (plan.length == 0) {
    return InvalidArgument("Reduction axis {} is empty in shape {}", given, input.ToString());
  }
  return plan;
}

// A NaN is never better than a number, and any number is better than a NaN.
template <typename T, bool kLargest>
bool Better(const T& candidate, const T& incumbent) {
  const Wide<T> x = static_cast<Wide<T>>(candidate);
  const Wide<T> best = static_cast<Wide<T>>(incumbent);
  if constexpr (std::is_floating_point_v<Wide<T>>) {
    if (best != best) return x == x;
  }
  return kLargest ? x > best : x < best;
}

template <typename T, typename Index, bool kLargest>
void ArgColumn(const T* x, int64_t length, int64_t step, Index* z) {
  int64_t best = 0;
  for (int64_t k = 1; k < length; ++k) {
    if (Better<T, kLargest>(x[k * step], x[best * step])) best = k;
  }
  *z = static_cast<Index>(best);
}

template <typename T, typename Index, bool kLargest>
Status ArgExtreme(KernelContext& context) {
  RHEO_ASSIGN_OR_RETURN(const ArgPlan plan, PlanArg(context.input(0).shape(), context.input(1)));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, plan.output));
  const T* x = context.input(0).flat<T>().data();
  Index* z = out->mutable_flat<Index>().data();
  context.ParallelFor(out->num_elements(), 2 + plan.length, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t start = i / plan.inner * plan.length * plan.inner + i % plan.inner;
      ArgColumn<T, Index, kLargest>(x + start, plan.length, plan.inner, z + i);
    }
  });
  return OkStatus();
}

template <bool kLargest, typename Indices>
void AddArg(kernel::KernelRegistry& registry, std::string_view op) {
  using Elements = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                            uint8_t, uint16_t, uint32_t, uint64_t, bool>;
  ForEachType<Elements>([&]<typename T>() {
    ForEachType<Indices>([&]<typename Index>() {
      registry.Add({.op = std::string(op),
                    .types = {{"T", {kDTypeOf<T>}}, {"output_type", {kDTypeOf<Index>}}},
                    .host_memory_args = {"dimension"},
                    .factory = kernel::FunctionKernel(&ArgExtreme<T, Index, kLargest>)});
    });
  });
}

}  // namespace

void RegisterArgKernels(kernel::KernelRegistry& registry) {
  AddArg<true, TypeList<int16_t, uint16_t, int32_t, int64_t>>(registry, "ArgMax");
  AddArg<false, IndexTypes>(registry, "ArgMin");
}

}  // namespace rheo::ops
