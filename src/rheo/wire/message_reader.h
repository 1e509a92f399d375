// What the codecs of messages with tensors and graphs share.
#ifndef RHEO_WIRE_MESSAGE_READER_H_
#define RHEO_WIRE_MESSAGE_READER_H_

#include <fmt/format.h>

#include <string>

#include "rheo/wire/graph_codec.h"
#include "rheo/wire/proto_codec.h"
#include "rheo/wire/reader.h"
#include "rheo/wire/source.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {

// Writes a field of type TensorProto.
inline void PutTensor(int field, const TensorForm& form, MessageBuilder& builder) {
  builder.StartMessage(field, form.size());
  form.AppendTo(builder);
}

// Writes a field of type NamedTensorProto.
inline void PutNamedTensor(int field, std::string_view name, const Tensor& tensor,
                           MessageBuilder& builder) {
  const TensorForm form(tensor, TensorLayout::kProtobuf);
  const size_t name_size = name.empty() ? 0 : DelimitedSize(name.size());
  builder.StartMessage(field, name_size + DelimitedSize(form.size()));
  builder.AddString(1, name);
  PutTensor(2, form, builder);
}

// Parses a message with tensors. The bytes are read to their end even when content makes no sense,
// so that the fields that say how to answer are known; the first such error is kept.
class MessageReader {
 public:
  explicit MessageReader(Source& source) : in_(source.stream()) {
    context_.variants = source.variants();
    fits_ = source.num_bytes() <= INT32_MAX;
    if (fits_) in_.PushLimit(static_cast<int>(source.num_bytes()));
  }

  CodedInputStream& in() { return in_; }
  DecodeContext& context() { return context_; }

  // Returns `malformed` when the bytes are no message or `on_field` returns false, else the first
  // error that was kept.
  template <typename OnField>
  Status Read(const Status& malformed, OnField on_field) {
    if (!fits_ || !ReadFields(in_, on_field)) return malformed;
    return std::move(error_);
  }

  // Keeps the first error.
  void Keep(Status error) {
    if (error_.ok()) error_ = std::move(error);
  }

  // Reads a field of type TensorProto; `what` says for an error which tensor it is, e.g. "feed
  // value 0".
  template <typename Name>
  bool ReadTensorField(Tensor& tensor, Name name) {
    Status error;
    if (!ReadSub(in_, [&] { return ReadTensor(in_, context_, tensor, error); })) return false;
    if (!error.ok()) Keep(Prefix(error, fmt::format("Invalid TensorProto for {}: ", name())));
    return true;
  }

  // Reads a field of type GraphDef.
  bool ReadGraphField(graph::GraphDef& def) {
    Status error;
    if (!ReadSub(in_, [&] { return ReadGraph(in_, context_, def, error); })) return false;
    Keep(std::move(error));
    return true;
  }

  // Reads a field of type NamedTensorProto.
  template <typename Name>
  bool ReadNamedTensor(std::string& key, Tensor& tensor, Name name) {
    bool has_tensor = false;
    const bool parsed = ReadSub(in_, [&] {
      return ReadFields(in_, [&](uint32_t tag) {
        switch (tag) {
          case BytesField(1):
            return ReadBytes(in_, key);
          case BytesField(2):
            has_tensor = true;
            return ReadTensorField(tensor, name);
          default:
            return SkipField(in_, tag);
        }
      });
    });
    if (parsed && !has_tensor) Keep(InvalidArgument("Invalid TensorProto for {}: missing", name()));
    return parsed;
  }

 private:
  CodedInputStream in_;
  DecodeContext context_;
  bool fits_ = true;
  Status error_;
};

}  // namespace rheo::wire

#endif  // RHEO_WIRE_MESSAGE_READER_H_
