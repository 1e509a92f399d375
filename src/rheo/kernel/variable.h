// The two kinds of stored tensors: RefVariable behind reference outputs, Variable behind resource
// handles.
#ifndef RHEO_KERNEL_VARIABLE_H_
#define RHEO_KERNEL_VARIABLE_H_

#include <string>

#include "rheo/base/mutex.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/tensor/tensor.h"

namespace rheo::kernel {

// What a reference output points to (VariableV2, and the handles of version-1 queues). The tensor
// is uninitialised until first assigned (has_value() is false). Whoever lets the tensor leave the
// lock hands out a shared buffer; an update in place must first copy it unless it holds the only
// reference, so that fed, fetched and sent tensors stay as they were. The first assignment must fit
// `declared_shape`.
class RefVariable final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "RefVariable";
  // `name` is the node's, for messages.
  RefVariable(std::string name, DType dtype, PartialShape declared_shape = {})
      : name_(std::move(name)), dtype_(dtype), declared_shape_(std::move(declared_shape)) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  const PartialShape& declared_shape() const { return declared_shape_; }
  std::string Describe() const override { return "variable " + name_ + ' ' + DTypeName(dtype_); }

  Mutex mutex;
  Tensor tensor RHEO_GUARDED_BY(mutex);

 private:
  const std::string name_;
  const DType dtype_;
  const PartialShape declared_shape_;
};

// What a VarHandleOp names. Readers take a snapshot: an update copies the buffer if a reader still
// holds it.
class Variable final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "N10tensorflow3VarE";
  Variable(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  std::string Describe() const override { return "variable " + name_ + ' ' + DTypeName(dtype_); }

  Mutex mutex;
  Tensor tensor RHEO_GUARDED_BY(mutex);

 private:
  const std::string name_;
  const DType dtype_;
};

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_VARIABLE_H_
