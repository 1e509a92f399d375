// VariantDecoders: how elements of kVariant tensors become values of their classes. OpaqueVariant:
// what an element of an unknown class becomes, so that it can be handed on unchanged.
#ifndef RHEO_WIRE_VARIANT_DECODERS_H_
#define RHEO_WIRE_VARIANT_DECODERS_H_

#include <functional>
#include <string>
#include <utility>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/tensor/tensor.h"
#include "rheo/tensor/variant_parts.h"

namespace rheo::wire {

// Filled once at start, then const and thread-safe.
class VariantDecoders {
 public:
  // Makes the value from its parts; INVALID_ARGUMENT when they make no sense.
  using Decoder = std::function<StatusOr<Variant>(VariantParts parts)>;

  // ALREADY_EXISTS naming the type when it has a decoder.
  Status Add(std::string type_name, Decoder decoder);
  // nullptr when no decoder was added for the type.
  const Decoder* Find(std::string_view type_name) const;

 private:
  StringMap<Decoder> decoders_;
};

// The serialized form of a value whose class this process does not know.
class OpaqueVariant final : public VariantValue {
 public:
  OpaqueVariant(std::string type_name, std::string serialized)
      : type_name_(std::move(type_name)), serialized_(std::move(serialized)) {}

  std::string_view type_name() const override { return type_name_; }
  // A VariantTensorDataProto as it came; encoding gives these bytes again.
  const std::string& serialized() const { return serialized_; }
  // What is in it. INVALID_ARGUMENT when a tensor inside makes no sense.
  StatusOr<VariantParts> ToParts() const;

 private:
  const std::string type_name_;
  const std::string serialized_;
};

}  // namespace rheo::wire

#endif  // RHEO_WIRE_VARIANT_DECODERS_H_
