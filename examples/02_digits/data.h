// The handwritten digits of data/digits.
#ifndef RHEO_EXAMPLES_DIGITS_DATA_H_
#define RHEO_EXAMPLES_DIGITS_DATA_H_

#include <string>

#include "rheo/base/status.h"
#include "rheo/tensor/tensor.h"

namespace rheo::digits {

struct Examples {
  Tensor images;  // float[n,64], 0 to 1
  Tensor labels;  // int32[n], 0 to 9
  int64_t size() const { return labels.num_elements(); }
  // `count` of them from `begin` on, around the end.
  Examples Batch(int64_t begin, int64_t count) const;
};

struct Data {
  Examples train;
  Examples test;  // every fifth image of the file
};

// NOT_FOUND when the file cannot be read, INVALID_ARGUMENT naming the line that is malformed.
StatusOr<Data> Load(const std::string& path);

}  // namespace rheo::digits

#endif  // RHEO_EXAMPLES_DIGITS_DATA_H_
