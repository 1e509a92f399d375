// Convolution of images: channels last (NHWC), filters as height × width × in × out (HWIO).
#ifndef RHEO_OPS_NN_CONV2D_H_
#define RHEO_OPS_NN_CONV2D_H_

#include <cstdint>
#include <string>
#include <vector>

#include "rheo/kernel/kernel_context.h"
#include "rheo/op/attr_value.h"
#include "rheo/op/shape_context.h"

namespace rheo::ops {

// The attrs of Conv2D and _FusedConv2D.
struct Conv2DOptions {
  int64_t stride[2] = {1, 1};    // height, width
  int64_t dilation[2] = {1, 1};  // height, width
  enum class Padding : uint8_t { kSame, kValid, kExplicit } padding = Padding::kValid;
  int64_t explicit_before[2] = {0, 0};
  int64_t explicit_after[2] = {0, 0};
};

// UNIMPLEMENTED for another data format than NHWC or another filter format than HWIO;
// INVALID_ARGUMENT for strides, dilations or paddings that make no sense.
StatusOr<Conv2DOptions> Conv2DOptionsOf(const op::AttrMap& attrs);

// One spatial dimension of a convolution.
struct ConvDim {
  int64_t in = 0;
  int64_t filter = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t out = 0;
};

// `in` or `filter` may be unknown (-1), which makes `out` unknown. INVALID_ARGUMENT when the window
// does not fit.
StatusOr<ConvDim> PlanConvDim(const Conv2DOptions& options, int dimension, int64_t in,
                              int64_t filter);

// Output 0 of the context, filled with the convolution of inputs 0 and 1; for float, double, Half
// and Bfloat16. As a matrix product of patches and filters; memory for 4 MB of patches at most.
template <typename T>
StatusOr<Tensor*> ConvolveInputs(kernel::KernelContext& context, const Conv2DOptions& options);

Status Conv2DShape(op::ShapeContext& c);

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_CONV2D_H_
