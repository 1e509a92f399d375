#include "rheo/ops/common/stored_tensor.h"

#include <algorithm>
#include <utility>

#include "rheo/ops/common/type_lists.h"

namespace rheo::ops {

using kernel::KernelContext;
using kernel::RefVariable;
using kernel::Variable;

Status StoredTensor::RequireInitialized() const {
  if (tensor->has_value()) return OkStatus();
  return FailedPrecondition("Attempting to use uninitialized value {}", name);
}

StatusOr<const ResourceHandle*> ReadHandle(const KernelContext& context, int i,
                                           std::string_view type_name) {
  const Tensor& tensor = context.input(i);
  if (tensor.dtype() != DType::kResource || tensor.num_elements() != 1) {
    return InvalidArgument("input {} must be one resource handle, but is {} of shape {}", i,
                           DTypeName(tensor.dtype()), tensor.shape().ToString());
  }
  const ResourceHandle& handle = tensor.scalar<ResourceHandle>();
  if (handle.type_name != type_name) {
    return InvalidArgument(
        "Trying to access a handle's resource using the wrong type. The handle "
        "{} has the type '{}', but '{}' is needed",
        handle.name, handle.type_name, type_name);
  }
  const std::string& here = context.step().device->info().name;
  if (handle.device != here) {
    return InvalidArgument("Trying to access resource {} located in device {} from device {}",
                           handle.name, handle.device, here);
  }
  return &handle;
}

StatusOr<std::shared_ptr<Variable>> FindVariable(const KernelContext& context, int i) {
  RHEO_ASSIGN_OR_RETURN(const ResourceHandle* handle, ReadHandle(context, i, Variable::kTypeName));
  if (handle->anonymous != nullptr) return std::static_pointer_cast<Variable>(handle->anonymous);
  return context.resources().Lookup<Variable>(handle->container, handle->name);
}

StatusOr<StoredTensor> FindStored(KernelContext& context, int i) RHEO_NO_THREAD_SAFETY_ANALYSIS {
  if (IsRef(context.input_type(i))) {
    const std::shared_ptr<RefVariable>& ref = context.shared_input_ref(i);
    return StoredTensor{&ref->mutex, &ref->tensor, ref->name(), ref};
  }
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, FindVariable(context, i));
  return StoredTensor{&variable->mutex, &variable->tensor, variable->name(), variable};
}

StoredLock::StoredLock(std::initializer_list<const StoredTensor*> variables) {
  for (const StoredTensor* v : variables) held_.push_back(v->mutex);
  LockHeld();
}

StoredLock::StoredLock(const std::vector<StoredTensor>& variables) {
  for (const StoredTensor& v : variables) held_.push_back(v.mutex);
  LockHeld();
}

void StoredLock::LockHeld() {
  std::ranges::sort(held_, std::less<Mutex*>());
  held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
  for (Mutex* m : held_) m->lock();
}

StoredLock::~StoredLock() {
  for (Mutex* m : held_) m->unlock();
}

StatusOr<Rewrite> Rewrite::Begin(const KernelContext& context, Tensor& stored) {
  if (stored.is_unique()) return Rewrite(stored, Tensor(), true);
  RHEO_ASSIGN_OR_RETURN(Tensor fresh, context.AllocateTemp(stored.dtype(), stored.shape()));
  return Rewrite(stored, std::move(fresh), false);
}

void Rewrite::Commit() {
  if (!in_place_) *stored_ = std::move(fresh_);
}

Status MakeUnique(const KernelContext& context, Tensor& stored) {
  if (stored.is_unique()) return OkStatus();
  RHEO_ASSIGN_OR_RETURN(Tensor fresh, context.AllocateTemp(stored.dtype(), stored.shape()));
  DispatchByLayout(stored.dtype(), [&]<typename T>() {
    std::ranges::copy(std::as_const(stored).flat<T>(), fresh.mutable_flat<T>().begin());
  });
  stored = std::move(fresh);
  return OkStatus();
}

}  // namespace rheo::ops
