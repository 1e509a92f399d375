// DecodeContext: what decoding one message needs to know and to limit.
#ifndef RHEO_WIRE_DECODE_CONTEXT_H_
#define RHEO_WIRE_DECODE_CONTEXT_H_

#include <cstdint>

#include "rheo/base/status.h"
#include "rheo/wire/variant_decoders.h"

namespace rheo::wire {

// A tensor in typed form may name fewer values than its shape has elements: the last one fills the
// rest, so a few bytes make a large tensor. Graphs do this (a Const of zeros), and so memory cannot
// be bounded by the size of the message alone: all fills of one message together get this much.
inline constexpr int64_t kMaxFillBytes = int64_t{1} << 31;

// Variants hold tensors, which may hold variants, in bytes that protobuf's own limit on nesting
// does not see through.
inline constexpr int kMaxVariantDepth = 16;

struct DecodeContext {
  const VariantDecoders* variants = nullptr;
  int64_t fill_bytes_left = kMaxFillBytes;
  int variant_depth = 0;

  // Takes `num_bytes` of the fills' budget; INVALID_ARGUMENT when it is used up.
  Status ChargeFill(int64_t num_bytes) {
    if (num_bytes > fill_bytes_left) {
      return InvalidArgument("a few values would fill {} bytes of tensors; {} are left of {}",
                             num_bytes, fill_bytes_left, kMaxFillBytes);
    }
    fill_bytes_left -= num_bytes;
    return OkStatus();
  }
};

}  // namespace rheo::wire

#endif  // RHEO_WIRE_DECODE_CONTEXT_H_
