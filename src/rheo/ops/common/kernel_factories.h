// Factories for kernels that are plain functions: chosen by a dtype, or given a value that was made
// from the node's attrs once.
#ifndef RHEO_OPS_COMMON_KERNEL_FACTORIES_H_
#define RHEO_OPS_COMMON_KERNEL_FACTORIES_H_

#include <memory>
#include <string>
#include <utility>

#include "rheo/kernel/kernel.h"
#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {

namespace internal {

template <typename Attrs>
class AttrFunctionKernel final : public kernel::Kernel {
 public:
  using Function = Status (*)(const Attrs&, kernel::KernelContext&);
  AttrFunctionKernel(Attrs attrs, Function compute, bool is_expensive)
      : attrs_(std::move(attrs)), compute_(compute), is_expensive_(is_expensive) {}
  Status Compute(kernel::KernelContext& context) override { return compute_(attrs_, context); }
  bool IsExpensive() const override { return is_expensive_; }

 private:
  const Attrs attrs_;
  const Function compute_;
  const bool is_expensive_;
};

}  // namespace internal

// A kernel that calls `compute` with a value made by `make` when the kernel is made:
//   StatusOr<int64_t> AxisAttr(const KernelInit& init) { return init.attrs.Get<int64_t>("axis"); }
//   Status Pack(const int64_t& axis, KernelContext& c) { … }
//   kernels.Add("Pack", AttrKernel(&AxisAttr, &Pack));
template <typename Attrs>
kernel::KernelFactory AttrKernel(StatusOr<Attrs> (*make)(const kernel::KernelInit&),
                                 Status (*compute)(const Attrs&, kernel::KernelContext&),
                                 bool is_expensive = false) {
  return [=](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    RHEO_ASSIGN_OR_RETURN(Attrs attrs, make(init));
    return std::make_unique<internal::AttrFunctionKernel<Attrs>>(std::move(attrs), compute,
                                                                 is_expensive);
  };
}

namespace internal {

// Tries each type of the list; true when one was `dtype`.
template <typename F, typename... Ts>
bool CallForDType(TypeList<Ts...>, DType dtype, F&& f) {
  return ((dtype == kDTypeOf<Ts> && (f.template operator()<Ts>(), true)) || ...);
}

}  // namespace internal

// Chooses one of several factories by the dtype of attr `attr`: `pick.template operator()<T>()`
// gives the factory of T.
//   ByType<NumberTypes>("T", []<typename T>() { return FunctionKernel(&OnesLike<T>); })
template <typename List, typename Pick>
kernel::KernelFactory ByType(std::string attr, Pick pick) {
  return [attr = std::move(attr),
          pick](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    RHEO_ASSIGN_OR_RETURN(const DType dtype, init.attrs.Get<DType>(attr));
    StatusOr<std::unique_ptr<kernel::Kernel>> made =
        Unimplemented("no kernel of {} for {}={}", init.schema.name, attr, DTypeName(dtype));
    internal::CallForDType(List{}, dtype,
                           [&]<typename T>() { made = pick.template operator()<T>()(init); });
    return made;
  };
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_KERNEL_FACTORIES_H_
