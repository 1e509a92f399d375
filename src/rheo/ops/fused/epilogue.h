// What a fused op does with its product: the attrs `fused_ops`, `epsilon`, `leakyrelu_alpha`.
#ifndef RHEO_OPS_FUSED_EPILOGUE_H_
#define RHEO_OPS_FUSED_EPILOGUE_H_

#include <cstdint>

#include "rheo/kernel/kernel_context.h"
#include "rheo/op/attr_value.h"

namespace rheo::ops {

enum class Activation : uint8_t {
  kNone,
  kRelu,
  kRelu6,
  kElu,
  kLeakyRelu,
  kTanh,
  kSigmoid,
  kGeluExact,
  kGeluApproximate,
};

// First the bias or the normalization by channel, then the addend, then the activation.
struct Epilogue {
  enum class Channels : uint8_t { kNothing, kBias, kBatchNorm };
  Channels channels = Channels::kNothing;
  bool has_addend = false;
  Activation activation = Activation::kNone;
  float alpha = 0;    // slope of a leaky ReLU below zero
  float epsilon = 0;  // added to variances

  // How many tensors it takes: a bias, or scale, offset, mean and variance; and the addend.
  int num_args() const {
    return (channels == Channels::kBias        ? 1
            : channels == Channels::kBatchNorm ? 4
                                               : 0) +
           (has_addend ? 1 : 0);
  }
};

// UNIMPLEMENTED naming the list where it is no such sequence; INVALID_ARGUMENT where the node has
// another number of args than the sequence needs.
StatusOr<Epilogue> EpilogueOf(const op::AttrMap& attrs);

// Applies it to `product` in place; its last dimension is the channels. The args are the inputs of
// `context` from `first_arg` on, of the product's dtype. INVALID_ARGUMENT where shapes do not fit.
// Defined for float, double, Half and Bfloat16, of which the latter two compute as float.
template <typename T>
Status ApplyEpilogue(kernel::KernelContext& context, const Epilogue& epilogue, int first_arg,
                     Tensor& product);

}  // namespace rheo::ops

#endif  // RHEO_OPS_FUSED_EPILOGUE_H_
