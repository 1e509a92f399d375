// The values of a tensor as Assert and Print show them.
#ifndef RHEO_OPS_ARRAY_SUMMARIZE_H_
#define RHEO_OPS_ARRAY_SUMMARIZE_H_

#include <string>

#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// "0 1 2...": at most `max_values` elements (all when negative), inner dimensions in brackets:
// "[0 1][2...]..." for a matrix.
std::string SummarizeValues(const Tensor& tensor, int64_t max_values);

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_SUMMARIZE_H_
