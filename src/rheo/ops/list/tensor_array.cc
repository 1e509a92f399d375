#include "rheo/ops/list/tensor_array.h"

#include <utility>

#include "rheo/ops/common/rows.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/list/batches.h"

namespace rheo::ops {

using kernel::KernelContext;

TensorArray::TensorArray(Options options)
    : options_(std::move(options)),
      grows_(options_.grows),
      concat_size_(options_.concat_size),
      element_shape_(options_.element_shape),
      elements_(static_cast<size_t>(options_.size)) {}

std::string TensorArray::Describe() const {
  return fmt::format("TensorArray {} of {}", options_.name, DTypeName(options_.dtype));
}

Status TensorArray::CheckOpen() const {
  if (!is_closed_) return OkStatus();
  return InvalidArgument("TensorArray {} has already been closed.", options_.name);
}

// ---- Writing

Status TensorArray::AddLocked(const KernelContext& context, int64_t index, Tensor value) {
  Element& element = elements_[static_cast<size_t>(index)];
  if (!element.shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "TensorArray {}: Could not aggregate to TensorArray index {} because the existing shape is "
        "{} but the new input shape is {}.",
        options_.name, index, element.shape.ToString(), value.shape().ToString());
  }
  if (element.value.has_value()) {
    RHEO_ASSIGN_OR_RETURN(element.value, AddTensors(context, element.value, value));
  } else {
    element.value = std::move(value);  // added to zeros
  }
  element.shape = element.value.shape();
  return OkStatus();
}

Status TensorArray::WriteLocked(const KernelContext& context, int64_t index, Tensor value) {
  if (index < 0 || (!grows_ && index >= static_cast<int64_t>(elements_.size()))) {
    return InvalidArgument(
        "TensorArray {}: Tried to write to index {} but array is not resizeable and size is: {}",
        options_.name, index, elements_.size());
  }
  if (!element_shape_.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because the value shape is {} "
        "which is incompatible with the TensorArray's inferred element shape: {} (consider setting "
        "infer_shape=False).",
        options_.name, index, value.shape().ToString(), element_shape_.ToString());
  }
  if (static_cast<size_t>(index) >= elements_.size()) {
    RHEO_RETURN_IF_ERROR(CheckNumElements(index + 1));
    elements_.resize(static_cast<size_t>(index) + 1);
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.was_read) {
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because it has already been read.",
        options_.name, index);
  }
  if (element.is_written && !options_.is_gradient) {
    return InvalidArgument(
        "TensorArray {}: Could not write to TensorArray index {} because it has already been "
        "written to.",
        options_.name, index);
  }
  if (options_.same_shapes && !options_.is_gradient) element_shape_ = value.shape();
  if (element.is_written) return AddLocked(context, index, std::move(value));
  element.shape = value.shape();
  element.value = std::move(value);
  element.is_written = true;
  return OkStatus();
}

Status TensorArray::Write(const KernelContext& context, int64_t index, Tensor value) {
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  return WriteLocked(context, index, std::move(value));
}

Status TensorArray::WriteAll(const KernelContext& context, const std::vector<int64_t>& indices,
                             std::vector<Tensor> values) {
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  for (size_t i = 0; i < indices.size(); ++i) {
    RHEO_RETURN_IF_ERROR(WriteLocked(context, indices[i], std::move(values[i])));
  }
  return OkStatus();
}

// ---- Reading

StatusOr<Tensor> TensorArray::ReadLocked(const KernelContext& context, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(elements_.size())) {
    return InvalidArgument("Tried to read from index {} but array size is: {}", index,
                           elements_.size());
  }
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.is_cleared) {
    return InvalidArgument(
        "TensorArray {}: Could not read index {} twice because it was cleared after a previous "
        "read (perhaps try setting clear_after_read = false?).",
        options_.name, index);
  }
  if (!element.value.has_value()) {
    const PartialShape& shape = element.is_written ? element.shape : element_shape_;
    if (!shape.IsFullyDefined()) {
      return InvalidArgument(
          "TensorArray {}: Could not read from TensorArray index {}.  Furthermore, the element "
          "shape is not fully defined: {}.  It is possible you are working with a resizeable "
          "TensorArray and stop_gradients is not allowing the gradients to be written.  If you set "
          "the full element_shape property on the forward TensorArray, the proper all-zeros tensor "
          "will be returned instead of incurring this error.",
          options_.name, index, element_shape_.ToString());
    }
    RHEO_ASSIGN_OR_RETURN(element.value, context.AllocateTemp(options_.dtype, shape.ToShape()));
    FillWithZeros(element.value);
    element.shape = shape;
    element.is_written = true;
  }
  element.was_read = true;
  if (!options_.clear_after_read) return element.value;
  element.is_cleared = true;
  return std::move(element.value);
}

StatusOr<Tensor> TensorArray::Read(const KernelContext& context, int64_t index) {
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  return ReadLocked(context, index);
}

StatusOr<std::vector<Tensor>> TensorArray::ReadAll(const KernelContext& context,
                                                   const std::vector<int64_t>& indices) {
  std::vector<Tensor> values;
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  for (const int64_t index : indices) {
    RHEO_ASSIGN_OR_RETURN(Tensor value, ReadLocked(context, index));
    values.push_back(std::move(value));
  }
  return values;
}

// ---- What it is like

StatusOr<int64_t> TensorArray::size() const {
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  return static_cast<int64_t>(elements_.size());
}

StatusOr<int64_t> TensorArray::concat_size() const {
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  return concat_size_ >= 0 && options_.is_gradient ? concat_size_
                                                   : static_cast<int64_t>(elements_.size());
}

void TensorArray::SetConcatSize(int64_t size) {
  MutexLock lock(mutex_);
  concat_size_ = size;
}

bool TensorArray::grows() const {
  MutexLock lock(mutex_);
  return grows_;
}

PartialShape TensorArray::element_shape() const {
  MutexLock lock(mutex_);
  return element_shape_;
}

Status TensorArray::RefineElementShape(const PartialShape& shape) {
  MutexLock lock(mutex_);
  RHEO_ASSIGN_OR_RETURN(element_shape_, element_shape_.Merge(shape));
  return OkStatus();
}

void TensorArray::Close() {
  std::vector<Element> freed;  // after the lock is released
  MutexLock lock(mutex_);
  freed.swap(elements_);
  is_closed_ = true;
  lock.Unlock();
}

StatusOr<std::shared_ptr<TensorArray>> TensorArray::MakeGradient(const std::string& source,
                                                                 const Shape& prepended) {
  const auto extended = [&](const PartialShape& shape) {
    if (!shape.has_rank()) return shape;
    PartialShape result{prepended};
    for (const int64_t dim : shape.dims()) result.AddDim(dim);
    return result;
  };
  MutexLock lock(mutex_);
  RHEO_RETURN_IF_ERROR(CheckOpen());
  grows_ = false;
  auto gradient =
      std::make_shared<TensorArray>(Options{.name = options_.name + '@' + source,
                                            .key = options_.key + '@' + source,
                                            .dtype = options_.dtype,
                                            .element_shape = extended(element_shape_),
                                            .same_shapes = options_.same_shapes,
                                            .is_gradient = true,
                                            .size = static_cast<int64_t>(elements_.size()),
                                            .concat_size = concat_size_});
  MutexLock gradient_lock(gradient->mutex_);
  for (size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].is_written) continue;
    gradient->elements_[i].shape = extended(elements_[i].shape);
    gradient->elements_[i].is_written = true;
  }
  return gradient;
}

}  // namespace rheo::ops
