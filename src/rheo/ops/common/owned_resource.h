// Kernels of the ops that make a resource and give a handle to it (FIFOQueueV2, HashTable, …), and
// how other kernels find what a handle names. Handles are resource handles, or references to two
// strings, container and name, in the older forms.
#ifndef RHEO_OPS_COMMON_OWNED_RESOURCE_H_
#define RHEO_OPS_COMMON_OWNED_RESOURCE_H_

#include <memory>
#include <string>
#include <utility>

#include "rheo/base/mutex.h"
#include "rheo/kernel/kernel.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/kernel/variable.h"
#include "rheo/ops/common/resource_name.h"
#include "rheo/ops/common/stored_tensor.h"

namespace rheo::ops {

// Gives output `i` a handle of the resource, in the form that the node's types ask for.
void SetHandle(kernel::KernelContext& context, int i, const std::string& container,
               const std::string& name, std::string_view type_name);

struct HandleName {
  std::string container;
  std::string name;
};
// What input `i` names. INVALID_ARGUMENT when it is no handle, or one of another type or device.
StatusOr<HandleName> ReadHandleName(const kernel::KernelContext& context, int i,
                                    std::string_view type_name);

// The resource that input `i` names. NOT_FOUND when it is gone.
template <typename T>
StatusOr<std::shared_ptr<T>> FindResource(const kernel::KernelContext& context, int i) {
  RHEO_ASSIGN_OR_RETURN(const HandleName where, ReadHandleName(context, i, T::kTypeName));
  return context.resources().Lookup<T>(where.container, where.name);
}

// Makes the resource at the first run, or attaches to the one of that name. T has
//   struct Spec                                    what the node's attrs say
//   static StatusOr<std::shared_ptr<T>> Make(std::string name, const Spec&)
//   Status CheckSame(const Spec&) const            another node's attrs fit the existing one
template <typename T>
class OwnedResourceKernel final : public kernel::Kernel {
 public:
  using ReadSpec = StatusOr<typename T::Spec> (*)(const kernel::KernelInit&);

  static kernel::KernelFactory Factory(ReadSpec read_spec, Unnamed unnamed = Unnamed::kPrivate) {
    return [=](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
      RHEO_ASSIGN_OR_RETURN(ResourceName where, ReadResourceName(init, unnamed));
      RHEO_ASSIGN_OR_RETURN(typename T::Spec spec, read_spec(init));
      return std::make_unique<OwnedResourceKernel>(std::move(where), std::move(spec));
    };
  }
  OwnedResourceKernel(ResourceName where, typename T::Spec spec)
      : where_(std::move(where)), spec_(std::move(spec)) {}
  ~OwnedResourceKernel() override {
    MutexLock lock(mutex_);
    if (resources_ == nullptr) return;
    // Gone already when its container was cleared.
    (void)resources_->template Delete<T>(where_.container, where_.name);
  }

  // Looked up at each run, because a Reset may have removed the resource meanwhile.
  Status Compute(kernel::KernelContext& c) override {
    RHEO_ASSIGN_OR_RETURN(
        const std::shared_ptr<T> resource,
        c.resources().template LookupOrCreate<T>(where_.container, where_.name,
                                                 [this] { return T::Make(where_.name, spec_); }));
    RHEO_RETURN_IF_ERROR(resource->CheckSame(spec_));
    if (where_.is_private) {
      MutexLock lock(mutex_);
      resources_ = &c.resources();
    }
    SetHandle(c, 0, where_.container.empty() ? c.resources().default_container() : where_.container,
              where_.name, T::kTypeName);
    return OkStatus();
  }

 private:
  const ResourceName where_;
  const typename T::Spec spec_;
  Mutex mutex_;
  // Where the kernel's private resource is; the device outlives its sessions' kernels.
  kernel::ResourceManager* resources_ RHEO_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_OWNED_RESOURCE_H_
