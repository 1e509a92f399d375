// ResourceHandle: the element of kResource tensors; names a variable, queue or table on a device.
#ifndef RHEO_TENSOR_RESOURCE_HANDLE_H_
#define RHEO_TENSOR_RESOURCE_HANDLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rheo/tensor/dtype.h"
#include "rheo/tensor/shape.h"

namespace rheo {

struct ResourceHandle {
  struct DTypeAndShape {
    DType dtype = DType::kInvalid;
    PartialShape shape;
    friend bool operator==(const DTypeAndShape&, const DTypeAndShape&) = default;
  };

  std::string device;  // full name of the device that holds the resource
  std::string container;
  std::string name;
  // Opaque between implementations: identifies the C++ class in the process that made it.
  uint64_t hash_code = 0;
  std::string type_name;
  std::vector<DTypeAndShape> dtypes_and_shapes;
  // Set for an anonymous resource, which lives as long as a handle to it; never travels.
  std::shared_ptr<void> anonymous;

  friend bool operator==(const ResourceHandle&, const ResourceHandle&) = default;
};

}  // namespace rheo

#endif  // RHEO_TENSOR_RESOURCE_HANDLE_H_
