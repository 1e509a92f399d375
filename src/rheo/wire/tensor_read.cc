// TensorProtos straight from the stream, without a generated message in between.
#include <google/protobuf/arena.h>

#include "rheo/wire/reader.h"
#include "rheo/wire/tensor_codec.h"
#include "rheo/wire/tensor_content.h"

namespace rheo::wire {
namespace {

class TensorReader {
 public:
  TensorReader(CodedInputStream& in, DecodeContext& context) : in_(in), context_(context) {}

  bool Read(Tensor& tensor, Status& error) {
    const bool parsed = ReadFields(in_, [&](uint32_t tag) { return ReadField(tag); });
    if (!parsed) return false;
    if (!whole_ && !has_content_) Finish();
    tensor = std::move(tensor_);
    error = std::move(error_);
    return true;
  }

 private:
  bool ReadField(uint32_t tag) {
    switch (tag) {
      case IntField(1):
        return ReadDType();
      case BytesField(2):
        return ReadSub(in_, [this] { return ReadShape(); });
      case IntField(3):
        return SkipField(in_, tag);
      case BytesField(4):
        if (HasFixedForm()) return ReadContentField();
        break;
      default:
        break;
    }
    // Once there is content, typed fields count for nothing.
    return has_content_ ? SkipField(in_, tag) : ReadRest(tag);
  }

  bool ReadDType() {
    int64_t number = 0;
    if (!ReadInt(in_, number)) return false;
    if (has_content_) return true;
    dtype_number_ = static_cast<int>(number);
    return true;
  }

  bool ReadShape() {
    has_shape_ = true;
    return ReadFields(in_, [this](uint32_t tag) {
      switch (tag) {
        case BytesField(2):
          return ReadSub(in_, [this] { return ReadDim(); });
        case IntField(3):
          return ReadBool(in_, unknown_rank_);
        default:
          return SkipField(in_, tag);
      }
    });
  }

  bool ReadDim() {
    int64_t size = 0;
    const bool parsed = ReadFields(in_, [&](uint32_t tag) {
      return tag == IntField(1) ? ReadInt(in_, size) : SkipField(in_, tag);
    });
    if (parsed && dims_.size() <= static_cast<size_t>(kMaxRank)) dims_.push_back(size);
    return parsed;
  }

  // True when dtype and shape are known by the time that the content comes. A scalar's shape may be
  // left out: then the content must be all that is left.
  bool HasFixedForm() {
    if (has_content_ || dtype_number_ == 0) return false;
    if (has_shape_) return true;
    const void* ahead;
    int num_ahead;
    if (!in_.GetDirectBufferPointer(&ahead, &num_ahead)) return false;
    // The length is one byte for every scalar of plain data; what follows it must end the message.
    const int length = static_cast<const uint8_t*>(ahead)[0];
    return length < 0x80 && in_.BytesUntilLimit() == 1 + length;
  }

  bool ReadContentField() {
    int length;
    if (!ReadLength(in_, length)) return false;
    if (length == 0) return true;
    has_content_ = true;
    StatusOr<DType> dtype = DTypeFromNumber(dtype_number_);
    StatusOr<Shape> shape = MakeShape();
    if (!dtype.ok() || !shape.ok()) {
      error_ = dtype.ok() ? shape.status() : dtype.status();
      return in_.Skip(length);
    }
    return ReadContent(in_, length, *dtype, *std::move(shape), context_, tensor_, error_);
  }

  StatusOr<Shape> MakeShape() const {
    return Shape::Create({dims_.data(), unknown_rank_ ? 0 : dims_.size()});
  }

  // All that is left, the field of `tag` included, over a generated message.
  bool ReadRest(uint32_t tag) {
    google::protobuf::Arena arena;
    auto& proto = *google::protobuf::Arena::CreateMessage<tensorflow::TensorProto>(&arena);
    FillProto(proto);
    std::string rest;
    AppendVarint(tag, rest);
    const int left = in_.BytesUntilLimit();
    std::string bytes;
    if (!in_.ReadString(&bytes, left)) return false;
    rest += bytes;
    if (!proto.MergeFromString(rest)) return false;
    whole_ = true;
    Take(TensorFromProto(proto, context_));
    return true;
  }

  void FillProto(tensorflow::TensorProto& proto) const {
    proto.set_dtype(static_cast<tensorflow::DataType>(dtype_number_));
    if (!has_shape_) return;
    proto.mutable_tensor_shape()->set_unknown_rank(unknown_rank_);
    for (const int64_t size : dims_) proto.mutable_tensor_shape()->add_dim()->set_size(size);
  }

  // Neither content nor typed fields: zeros.
  void Finish() {
    tensorflow::TensorProto proto;
    FillProto(proto);
    Take(TensorFromProto(proto, context_));
  }

  void Take(StatusOr<Tensor> made) {
    error_ = made.status();
    if (made.ok()) tensor_ = *std::move(made);
  }

  CodedInputStream& in_;
  DecodeContext& context_;
  int dtype_number_ = 0;
  bool has_shape_ = false;
  bool unknown_rank_ = false;
  Dims dims_;
  bool has_content_ = false;  // tensor_ or error_ is final
  bool whole_ = false;        // likewise, from a generated message
  Tensor tensor_;
  Status error_;
};

}  // namespace

bool ReadTensor(CodedInputStream& in, DecodeContext& context, Tensor& tensor, Status& error) {
  return TensorReader(in, context).Read(tensor, error);
}

}  // namespace rheo::wire
