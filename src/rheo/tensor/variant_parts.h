// PortableVariant: a VariantValue that may travel between tasks, taken apart into bytes and
// tensors.
#ifndef RHEO_TENSOR_VARIANT_PARTS_H_
#define RHEO_TENSOR_VARIANT_PARTS_H_

#include <string>
#include <vector>

#include "rheo/tensor/tensor.h"
#include "rheo/tensor/variant.h"

namespace rheo {

// What TensorFlow writes of a variant besides its type name.
struct VariantParts {
  std::string metadata;
  std::vector<Tensor> tensors;
};

// Values of classes that do not derive from this one arrive empty at another task.
class PortableVariant : public VariantValue {
 public:
  virtual VariantParts ToParts() const = 0;
};

}  // namespace rheo

#endif  // RHEO_TENSOR_VARIANT_PARTS_H_
