// Select (one condition for all, for each row or for each element), SelectV2 (broadcasting).
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/broadcast.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

// z[i] = c[i] ? t[i] : e[i]; a step of 0 repeats the first element.
template <typename T>
void SelectRow(const bool* c, const T* t, const T* e, T* z, int64_t n, int64_t c_step,
               int64_t t_step, int64_t e_step) {
  for (int64_t i = 0; i < n; ++i) z[i] = c[i * c_step] ? t[i * t_step] : e[i * e_step];
}

template <typename T>
Status SelectRows(KernelContext& context) {
  const bool* c = context.input(0).flat<bool>().data();
  const T* t = context.input(1).flat<T>().data();
  const T* e = context.input(2).flat<T>().data();
  const Shape& shape = context.input(1).shape();
  const int64_t rows = shape.dim(0);
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({1, 2}, 0, shape));
  T* z = out->mutable_flat<T>().data();
  const int64_t n = rows == 0 ? 0 : out->num_elements() / rows;
  for (int64_t r = 0; r < rows; ++r) {
    const T* chosen = (c[r] ? t : e) + r * n;
    if (chosen != z + r * n) std::copy_n(chosen, n, z + r * n);
  }
  return OkStatus();
}

template <typename T>
Status SelectElements(KernelContext& context) {
  const bool* c = context.input(0).flat<bool>().data();
  const T* t = context.input(1).flat<T>().data();
  const T* e = context.input(2).flat<T>().data();
  RHEO_ASSIGN_OR_RETURN(Tensor * out,
                        context.ForwardOrAllocateOutput({1, 2}, 0, context.input(1).shape()));
  T* z = out->mutable_flat<T>().data();
  ForElements(context, out->num_elements(), kCheap, [&](int64_t begin, int64_t end) {
    SelectRow(c + begin, t + begin, e + begin, z + begin, end - begin, 1, 1, 1);
  });
  return OkStatus();
}

template <typename T>
Status Select(KernelContext& context) {
  const Tensor& c = context.input(0);
  const Tensor& t = context.input(1);
  const Tensor& e = context.input(2);
  if (!(t.shape() == e.shape())) {
    return InvalidArgument("'then' and 'else' must have the same size, but received: {} vs. {}",
                           t.shape().ToString(), e.shape().ToString());
  }
  if (c.rank() == 0) {
    context.set_output(0, context.TakeInput(c.scalar<bool>() ? 1 : 2));
    return OkStatus();
  }
  if (c.shape() == t.shape()) return SelectElements<T>(context);
  if (c.rank() == 1 && t.rank() >= 1 && c.dim(0) == t.dim(0)) return SelectRows<T>(context);
  return InvalidArgument(
      "the condition {} must be a scalar, of the shape of 'then' {}, or a vector as long as its "
      "first dimension",
      c.shape().ToString(), t.shape().ToString());
}

template <typename T>
Status SelectV2(KernelContext& context) {
  const Tensor& condition = context.input(0);
  const Tensor& then = context.input(1);
  const Tensor& other = context.input(2);
  if (condition.shape() == then.shape() && then.shape() == other.shape()) {
    return SelectElements<T>(context);
  }
  RHEO_ASSIGN_OR_RETURN(const BroadcastPlan plan,
                        PlanBroadcast({&condition.shape(), &then.shape(), &other.shape()}));
  const bool* c = condition.flat<bool>().data();
  const T* t = then.flat<T>().data();
  const T* e = other.flat<T>().data();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({1, 2}, 0, plan.output));
  T* z = out->mutable_flat<T>().data();
  const int64_t n = plan.row_length();
  context.ParallelFor(plan.num_rows(), 5 + n, [&](int64_t begin, int64_t end) {
    plan.ForEachRow(begin, end, [&](int64_t at, const BroadcastPlan::Offsets& offsets) {
      SelectRow(c + offsets[0], t + offsets[1], e + offsets[2], z + at, n, plan.steps(0),
                plan.steps(1), plan.steps(2));
    });
  });
  return OkStatus();
}

template <typename T>
void AddSelects(kernel::KernelRegistry& registry, std::vector<DType> dtypes) {
  registry.Add(
      {.op = "Select", .types = {{"T", dtypes}}, .factory = kernel::FunctionKernel(&Select<T>)});
  registry.Add({.op = "SelectV2",
                .types = {{"T", std::move(dtypes)}},
                .factory = kernel::FunctionKernel(&SelectV2<T>)});
}

// max(min(t, high), low); the bounds are scalars or of the shape of t.
template <typename T>
Status ClipByValue(KernelContext& context) {
  using W = Wide<T>;
  const Tensor& t = context.input(0);
  const Tensor& low = context.input(1);
  const Tensor& high = context.input(2);
  for (const Tensor* bound : {&low, &high}) {
    if (bound->num_elements() != 1 && !(bound->shape() == t.shape())) {
      return InvalidArgument("bounds of ClipByValue must be scalars or of the shape {}, not {}",
                             t.shape().ToString(), bound->shape().ToString());
    }
  }
  const T* x = t.flat<T>().data();
  const T* l = low.flat<T>().data();
  const T* h = high.flat<T>().data();
  const int64_t l_step = low.num_elements() == 1 ? 0 : 1;
  const int64_t h_step = high.num_elements() == 1 ? 0 : 1;
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.AllocateOutput(0, t.shape()));
  T* z = out->mutable_flat<T>().data();
  ForElements(context, out->num_elements(), kCheap, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const W value = x[i];
      const W below = l[i * l_step];
      const W above = h[i * h_step];
      const W capped = above < value ? above : value;
      z[i] = capped < below ? below : capped;
    }
  });
  return OkStatus();
}

}  // namespace

void RegisterSelectKernels(kernel::KernelRegistry& registry) {
  AddSelects<uint8_t>(registry, {DType::kInt8, DType::kUint8, DType::kBool});
  AddSelects<uint16_t>(registry, {DType::kInt16, DType::kUint16, DType::kHalf, DType::kBfloat16});
  AddSelects<uint32_t>(registry, {DType::kFloat, DType::kInt32, DType::kUint32});
  AddSelects<uint64_t>(registry,
                       {DType::kDouble, DType::kInt64, DType::kUint64, DType::kComplex64});
  AddSelects<Bytes16>(registry, {DType::kComplex128});
  AddSelects<std::string>(registry, {DType::kString});
  AddSelects<ResourceHandle>(registry, {DType::kResource});
  AddSelects<Variant>(registry, {DType::kVariant});
  using Clippable =
      TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>;
  ForEachType<Clippable>(
      [&]<typename T>() { AddKernel<T>(registry, "ClipByValue", &ClipByValue<T>); });
}

}  // namespace rheo::ops
