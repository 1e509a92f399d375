// TensorArray: an array of tensors that one step writes and reads.
#ifndef RHEO_OPS_LIST_TENSOR_ARRAY_H_
#define RHEO_OPS_LIST_TENSOR_ARRAY_H_

#include <memory>
#include <string>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/kernel/kernel_context.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// Thread-safe. Lives in the step's resources. Each element is written once and read once or more;
// arrays of gradients add up what is written to one element. Errors are INVALID_ARGUMENT with the
// array's name.
class TensorArray final : public kernel::Resource {
 public:
  static constexpr std::string_view kTypeName = "N10tensorflow11TensorArrayE";

  struct Options {
    std::string name;  // for messages
    std::string key;   // among the step's resources
    DType dtype = DType::kInvalid;
    PartialShape element_shape;
    bool same_shapes = false;  // the first element's shape holds for all
    bool grows = false;        // when an element beyond the end is written
    bool clear_after_read = true;
    bool is_gradient = false;
    int64_t size = 0;
    int64_t concat_size = -1;  // how many elements Concat takes; -1: all
  };
  explicit TensorArray(Options options);

  const std::string& name() const { return options_.name; }
  const std::string& key() const { return options_.key; }
  DType dtype() const { return options_.dtype; }
  std::string Describe() const override;

  Status Write(const kernel::KernelContext& context, int64_t index, Tensor value);
  // Elements begin, begin + 1, …; `indices` names them.
  Status WriteAll(const kernel::KernelContext& context, const std::vector<int64_t>& indices,
                  std::vector<Tensor> values);
  // Zeros where nothing was written and the shape is known.
  StatusOr<Tensor> Read(const kernel::KernelContext& context, int64_t index);
  StatusOr<std::vector<Tensor>> ReadAll(const kernel::KernelContext& context,
                                        const std::vector<int64_t>& indices);

  StatusOr<int64_t> size() const;
  // How many elements Concat takes.
  StatusOr<int64_t> concat_size() const;
  // Remembers that a value was split into so many elements.
  void SetConcatSize(int64_t size);
  bool grows() const;
  PartialShape element_shape() const;
  // INVALID_ARGUMENT when `shape` contradicts what is known.
  Status RefineElementShape(const PartialShape& shape);
  // Frees the elements; everything else fails from then on.
  void Close();

  // An array for the gradients of this one: as many elements, of the same shapes with `prepended`
  // before them. This array stops growing.
  StatusOr<std::shared_ptr<TensorArray>> MakeGradient(const std::string& source,
                                                      const Shape& prepended);

 private:
  struct Element {
    Tensor value;        // without a value: zeros of `shape`, where that is known
    PartialShape shape;  // of what was written, or of what the gradient must have
    bool is_written = false;
    bool was_read = false;
    bool is_cleared = false;
  };

  Status CheckOpen() const RHEO_REQUIRES(mutex_);
  Status WriteLocked(const kernel::KernelContext& context, int64_t index, Tensor value)
      RHEO_REQUIRES(mutex_);
  Status AddLocked(const kernel::KernelContext& context, int64_t index, Tensor value)
      RHEO_REQUIRES(mutex_);
  StatusOr<Tensor> ReadLocked(const kernel::KernelContext& context, int64_t index)
      RHEO_REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  bool grows_ RHEO_GUARDED_BY(mutex_);
  bool is_closed_ RHEO_GUARDED_BY(mutex_) = false;
  int64_t concat_size_ RHEO_GUARDED_BY(mutex_);
  PartialShape element_shape_ RHEO_GUARDED_BY(mutex_);
  std::vector<Element> elements_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_LIST_TENSOR_ARRAY_H_
