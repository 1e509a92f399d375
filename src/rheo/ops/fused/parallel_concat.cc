// What a TensorFlow master makes of ParallelConcat: one tensor without values, and an update for
// each input that writes its row into it, in any order.
#include <algorithm>

#include "rheo/kernel/kernel_context.h"
#include "rheo/ops/common/type_lists.h"
#include "rheo/ops/fused/kernels.h"

namespace rheo::ops {
namespace {

class StartKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const PartialShape shape, init.attrs.Get<PartialShape>("shape"));
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("the shape of a parallel concatenation must be known, not {}",
                             shape.ToString());
    }
    return std::make_unique<StartKernel>(shape.ToShape());
  }
  explicit StartKernel(Shape shape) : shape_(std::move(shape)) {}

  Status Compute(kernel::KernelContext& context) override {
    return context.AllocateOutput(0, shape_).status();
  }

 private:
  const Shape shape_;
};

// The output is the very value of the input, which all updates share.
class UpdateKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(const int64_t row, init.attrs.Get<int64_t>("loc"));
    return std::make_unique<UpdateKernel>(row);
  }
  explicit UpdateKernel(int64_t row) : row_(row) {}

  Status Compute(kernel::KernelContext& context) override {
    Tensor value = context.input(0);
    const Tensor& update = context.input(1);
    if (value.rank() < 1 || value.rank() != update.rank()) {
      return InvalidArgument("value and update shape doesn't match: {} vs {}",
                             value.shape().ToString(), update.shape().ToString());
    }
    for (int i = 1; i < value.rank(); ++i) {
      if (value.dim(i) != update.dim(i)) {
        return InvalidArgument("value and update shape doesn't match: {} vs {}",
                               value.shape().ToString(), update.shape().ToString());
      }
    }
    if (update.dim(0) != 1) {
      return InvalidArgument("update shape doesn't match: {}", update.shape().ToString());
    }
    const int64_t rows = value.dim(0);
    if (rows > 0) Write(update, (row_ % rows + rows) % rows, value);
    context.set_output(0, std::move(value));
    return OkStatus();
  }

 private:
  static void Write(const Tensor& update, int64_t row, Tensor& value) {
    DispatchByLayout(value.dtype(), [&]<typename T>() {
      const auto from = update.flat<T>();
      std::ranges::copy(from,
                        value.mutable_flat<T>().begin() + row * static_cast<int64_t>(from.size()));
    });
  }

  const int64_t row_;
};

}  // namespace

void RegisterParallelConcatKernels(kernel::KernelRegistry& registry) {
  std::vector<DType> types = DTypesOf<NumberTypes>();
  types.push_back(DType::kBool);
  types.push_back(DType::kString);
  for (DType type : types) {
    registry.Add({.op = "_ParallelConcatStart",
                  .types = {{"dtype", {type}}},
                  .factory = kernel::ClassKernel<StartKernel>()});
    registry.Add({.op = "_ParallelConcatUpdate",
                  .types = {{"T", {type}}},
                  .factory = kernel::ClassKernel<UpdateKernel>()});
  }
}

}  // namespace rheo::ops
