// StoredTensor: the tensor of a variable, whichever kind of variable it is, as the kernels that
// update it see it.
//
//   RHEO_ASSIGN_OR_RETURN(StoredTensor var, FindStored(c, 0));
//   StoredLock lock({&var});
//   RHEO_RETURN_IF_ERROR(var.RequireInitialized());
//   RHEO_ASSIGN_OR_RETURN(Rewrite rewrite, Rewrite::Begin(c, *var.tensor));
//   … rewrite.to<float>()[i] = rewrite.from<float>()[i] + 1;
//   rewrite.Commit();
#ifndef RHEO_OPS_COMMON_STORED_TENSOR_H_
#define RHEO_OPS_COMMON_STORED_TENSOR_H_

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/kernel/kernel_context.h"
#include "rheo/kernel/variable.h"

namespace rheo::ops {

struct StoredTensor {
  Mutex* mutex = nullptr;
  Tensor* tensor = nullptr;  // read and written under `mutex` only
  std::string_view name;
  std::shared_ptr<kernel::Resource> owner;  // keeps the others alive

  // FAILED_PRECONDITION unless the variable has a value. Call with the lock.
  Status RequireInitialized() const;
};

// The resource variable whose handle is input `i`. NOT_FOUND when there is none: it was never
// assigned, or was destroyed. INVALID_ARGUMENT for a handle of another class or device.
StatusOr<std::shared_ptr<kernel::Variable>> FindVariable(const kernel::KernelContext& context,
                                                         int i);

// The handle in input `i`. INVALID_ARGUMENT unless it is a scalar that names something of class
// `type_name` on the device of the step.
StatusOr<const ResourceHandle*> ReadHandle(const kernel::KernelContext& context, int i,
                                           std::string_view type_name);

// The variable of input `i`: a reference, or a resource handle as FindVariable.
StatusOr<StoredTensor> FindStored(kernel::KernelContext& context, int i);

// Locks the variables in an order that is the same in all kernels, each once.
class StoredLock {
 public:
  StoredLock(std::initializer_list<const StoredTensor*> variables) RHEO_NO_THREAD_SAFETY_ANALYSIS;
  explicit StoredLock(const std::vector<StoredTensor>& variables) RHEO_NO_THREAD_SAFETY_ANALYSIS;
  ~StoredLock() RHEO_NO_THREAD_SAFETY_ANALYSIS;
  StoredLock(const StoredLock&) = delete;
  StoredLock& operator=(const StoredLock&) = delete;

 private:
  void LockHeld() RHEO_NO_THREAD_SAFETY_ANALYSIS;

  std::vector<Mutex*> held_;
};

// An element-wise update of a stored tensor: in place when nobody else holds its buffer, into a
// fresh one otherwise, so that what readers have stays as it was. Used under the variable's lock.
class Rewrite {
 public:
  // RESOURCE_EXHAUSTED when a fresh buffer is needed and there is no memory.
  static StatusOr<Rewrite> Begin(const kernel::KernelContext& context, Tensor& stored);

  // May be the same memory.
  template <typename T>
  const T* from() const {
    return stored_->flat<T>().data();
  }
  template <typename T>
  T* to() {
    return (in_place_ ? *stored_ : fresh_).mutable_flat<T>().data();
  }
  int64_t num_elements() const { return stored_->num_elements(); }
  // Makes what was written the stored tensor.
  void Commit();

 private:
  Rewrite(Tensor& stored, Tensor fresh, bool in_place)
      : stored_(&stored), fresh_(std::move(fresh)), in_place_(in_place) {}

  Tensor* stored_;
  Tensor fresh_;
  bool in_place_;
};

// Gives `stored` a buffer of its own, with the same elements, unless it has one: for updates of
// some elements only. Used under the variable's lock.
Status MakeUnique(const kernel::KernelContext& context, Tensor& stored);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_STORED_TENSOR_H_
