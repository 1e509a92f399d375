#include "rheo/ops/common/elementwise.h"

#include <algorithm>

#include "rheo/ops/common/broadcast.h"

namespace rheo::ops {
namespace {

// Elements of one unit that is handed to the pool.
constexpr int64_t kBlock = 4096;

const char* At(const void* base, int64_t offset, size_t size) {
  return static_cast<const char*>(base) + offset * static_cast<int64_t>(size);
}
char* At(void* base, int64_t offset, size_t size) {
  return static_cast<char*>(base) + offset * static_cast<int64_t>(size);
}

// One loop over n elements; an operand that does not step is read at its first element.
Status RunFlat(KernelContext& context, const BinaryLoops& l, BinaryLoop loop, const Shape& shape) {
  const void* x = context.input(0).data();
  const void* y = context.input(1).data();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0, 1}, 0, shape));
  void* z = out->mutable_data();
  const size_t x_size = loop == l.scalar_x ? 0 : l.input_size;
  const size_t y_size = loop == l.scalar_y ? 0 : l.input_size;
  ForElements(context, out->num_elements(), l.picoseconds, [&](int64_t begin, int64_t end) {
    loop(At(x, begin, x_size), At(y, begin, y_size), At(z, begin, l.output_size), end - begin);
  });
  return OkStatus();
}

Status RunBroadcast(KernelContext& context, const BinaryLoops& l, const Shape& x_shape,
                    const Shape& y_shape) {
  const void* x = context.input(0).data();
  const void* y = context.input(1).data();
  RHEO_ASSIGN_OR_RETURN(const BroadcastPlan plan, PlanBroadcast({&x_shape, &y_shape}));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0, 1}, 0, plan.output));
  void* z = out->mutable_data();
  const int64_t n = plan.row_length();
  const BinaryLoop loop = !plan.steps(0) ? l.scalar_x : !plan.steps(1) ? l.scalar_y : l.both;
  const int64_t row_ns = 5 + n * l.picoseconds / 1000;
  context.ParallelFor(plan.num_rows(), row_ns, [&](int64_t begin, int64_t end) {
    plan.ForEachRow(begin, end, [&](int64_t at, const BroadcastPlan::Offsets& offsets) {
      loop(At(x, offsets[0], l.input_size), At(y, offsets[1], l.input_size),
           At(z, at, l.output_size), n);
    });
  });
  return OkStatus();
}

bool IsScalarTo(const Tensor& scalar, const Tensor& other) {
  return scalar.num_elements() == 1 && scalar.rank() <= other.rank();
}

}  // namespace

void ForElements(KernelContext& context, int64_t n, int64_t picoseconds,
                 absl::FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= kBlock) {
    if (n > 0) body(0, n);
    return;
  }
  const int64_t block_ns = std::max<int64_t>(1, kBlock * picoseconds / 1000);
  context.ParallelFor((n + kBlock - 1) / kBlock, block_ns, [&](int64_t begin, int64_t end) {
    body(begin * kBlock, std::min(end * kBlock, n));
  });
}

Status RunUnary(KernelContext& context, const UnaryLoops& l) {
  const Tensor& input = context.input(0);
  const void* in = input.data();
  RHEO_ASSIGN_OR_RETURN(Tensor * out, context.ForwardOrAllocateOutput({0}, 0, input.shape()));
  void* z = out->mutable_data();
  ForElements(context, out->num_elements(), l.picoseconds, [&](int64_t begin, int64_t end) {
    l.loop(At(in, begin, l.input_size), At(z, begin, l.output_size), end - begin);
  });
  return OkStatus();
}

Status RunBinary(KernelContext& context, const BinaryLoops& l) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  if (x.shape() == y.shape()) return RunFlat(context, l, l.both, x.shape());
  if (IsScalarTo(y, x)) return RunFlat(context, l, l.scalar_y, x.shape());
  if (IsScalarTo(x, y)) return RunFlat(context, l, l.scalar_x, y.shape());
  return RunBroadcast(context, l, x.shape(), y.shape());
}

Status RunBinaryAs(KernelContext& context, const BinaryLoops& l, const Shape& x, const Shape& y) {
  return RunBroadcast(context, l, x, y);
}

Status RunBinarySameShape(KernelContext& context, const BinaryLoops& l) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  if (x.shape() != y.shape()) {
    return InvalidArgument("inputs must have the same shape, not {} and {}", x.shape().ToString(),
                           y.shape().ToString());
  }
  return RunFlat(context, l, l.both, x.shape());
}

}  // namespace rheo::ops
