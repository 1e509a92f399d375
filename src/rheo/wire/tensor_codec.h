// Tensors, shapes and resource handles in protobuf's form.
#ifndef RHEO_WIRE_TENSOR_CODEC_H_
#define RHEO_WIRE_TENSOR_CODEC_H_

#include <google/protobuf/io/coded_stream.h>

#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/tensor/tensor.h"
#include "rheo/wire/decode_context.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/proto/tensor.pb.h"

namespace rheo::wire {

// The two ways in which TensorFlow writes a tensor in content form (wire.md 9 and 10).
enum class TensorLayout {
  kProtobuf,    // as protobuf serializes a TensorProto
  kRecvTensor,  // as the answers of RecvTensor hold plain data; other dtypes as kProtobuf
};

// A tensor about to be written: first its size, then its bytes. Refers to the tensor.
class TensorForm {
 public:
  TensorForm(const Tensor& tensor, TensorLayout layout);

  // Bytes of the TensorProto, without tag and length.
  size_t size() const { return head_.size() + content_size_; }
  // Appends them, borrowing from the tensor's buffer what is large.
  void AppendTo(MessageBuilder& builder) const;

 private:
  void SerializeElements();

  const Tensor& tensor_;
  std::string head_;  // all before the content's bytes
  size_t content_size_ = 0;
  std::vector<std::string> elements_;  // of kResource and kVariant, serialized
};

// Reads a TensorProto up to the current limit of `in`. False when the bytes are no such message;
// otherwise `error` says whether the content makes sense (INVALID_ARGUMENT). Content goes from the
// stream straight into the tensor; typed fields take the way over a generated message.
bool ReadTensor(google::protobuf::io::CodedInputStream& in, DecodeContext& context, Tensor& tensor,
                Status& error);

// INVALID_ARGUMENT saying what is wrong with dtype, shape or content.
StatusOr<Tensor> TensorFromProto(const tensorflow::TensorProto& proto, DecodeContext& context);
// Content form.
void TensorToProto(const Tensor& tensor, tensorflow::TensorProto& proto);

// The shape of a tensor: a missing one and one of unknown rank are scalars.
StatusOr<Shape> ShapeFromProto(const tensorflow::TensorShapeProto& proto);
StatusOr<PartialShape> PartialShapeFromProto(const tensorflow::TensorShapeProto& proto);
void ShapeToProto(const PartialShape& shape, tensorflow::TensorShapeProto& proto);

StatusOr<ResourceHandle> HandleFromProto(const tensorflow::ResourceHandleProto& proto);
void HandleToProto(const ResourceHandle& handle, tensorflow::ResourceHandleProto& proto);

StatusOr<Variant> VariantFromProto(const tensorflow::VariantTensorDataProto& proto,
                                   DecodeContext& context);
void VariantToProto(const Variant& variant, tensorflow::VariantTensorDataProto& proto);

// INVALID_ARGUMENT for a number that is no dtype; references and kInvalid are accepted.
StatusOr<DType> DTypeFromNumber(int number);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_TENSOR_CODEC_H_
