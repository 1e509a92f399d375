// The bytes of tensor_content, read from a stream into the tensor that results (wire.md 9.3).
#ifndef RHEO_WIRE_TENSOR_CONTENT_H_
#define RHEO_WIRE_TENSOR_CONTENT_H_

#include <google/protobuf/io/coded_stream.h>

#include "rheo/base/status.h"
#include "rheo/tensor/tensor.h"
#include "rheo/wire/decode_context.h"

namespace rheo::wire {

// Reads the next `num_bytes` bytes, which the caller knows to be there, as the content of a tensor
// of `dtype` and `shape`. Memory is allocated only when it is in proportion to `num_bytes`. False
// when the stream ends early; otherwise all of them were consumed and `error` tells (as
// INVALID_ARGUMENT) whether they fit.
bool ReadContent(google::protobuf::io::CodedInputStream& in, int num_bytes, DType dtype,
                 Shape shape, DecodeContext& context, Tensor& tensor, Status& error);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_TENSOR_CONTENT_H_
