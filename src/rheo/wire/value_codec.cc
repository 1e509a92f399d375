// Shapes, dtypes, resource handles and variants.
#include <algorithm>

#include "rheo/tensor/variant_parts.h"
#include "rheo/wire/tensor_codec.h"
#include "rheo/wire/variant_decoders.h"

namespace rheo::wire {

StatusOr<DType> DTypeFromNumber(int number) {
  const auto dtype = static_cast<DType>(number);
  if (number != 0 && (number < 0 || number > 255 || !IsValidDType(dtype))) {
    return InvalidArgument("{} is not the number of a dtype", number);
  }
  return dtype;
}

StatusOr<Shape> ShapeFromProto(const tensorflow::TensorShapeProto& proto) {
  Dims dims;
  if (!proto.unknown_rank()) {
    for (const auto& dim : proto.dim()) dims.push_back(dim.size());
  }
  return Shape::Create({dims.data(), dims.size()});
}

StatusOr<PartialShape> PartialShapeFromProto(const tensorflow::TensorShapeProto& proto) {
  if (proto.dim_size() > kMaxRank) {
    return InvalidArgument("a shape of {} dimensions; at most {} are possible", proto.dim_size(),
                           kMaxRank);
  }
  PartialShape shape = proto.unknown_rank() ? PartialShape() : PartialShape::OfRank(0);
  if (proto.unknown_rank()) return shape;
  for (const auto& dim : proto.dim()) {
    // TensorFlow's optimizer numbers the dimensions it does not know but knows to be equal -2, -3,
    // …
    shape.AddDim(std::max(dim.size(), kUnknownDim));
  }
  return shape;
}

void ShapeToProto(const PartialShape& shape, tensorflow::TensorShapeProto& proto) {
  proto.set_unknown_rank(!shape.has_rank());
  for (const int64_t size : shape.dims()) proto.add_dim()->set_size(size);
}

StatusOr<ResourceHandle> HandleFromProto(const tensorflow::ResourceHandleProto& proto) {
  ResourceHandle handle;
  handle.device = proto.device();
  handle.container = proto.container();
  handle.name = proto.name();
  handle.hash_code = proto.hash_code();
  handle.type_name = proto.maybe_type_name();
  for (const auto& entry : proto.dtypes_and_shapes()) {
    ResourceHandle::DTypeAndShape& made = handle.dtypes_and_shapes.emplace_back();
    RHEO_ASSIGN_OR_RETURN(made.dtype, DTypeFromNumber(entry.dtype()));
    RHEO_ASSIGN_OR_RETURN(made.shape, PartialShapeFromProto(entry.shape()));
  }
  return handle;
}

void HandleToProto(const ResourceHandle& handle, tensorflow::ResourceHandleProto& proto) {
  proto.set_device(handle.device);
  proto.set_container(handle.container);
  proto.set_name(handle.name);
  proto.set_hash_code(handle.hash_code);
  proto.set_maybe_type_name(handle.type_name);
  for (const auto& entry : handle.dtypes_and_shapes) {
    auto* const made = proto.add_dtypes_and_shapes();
    made->set_dtype(static_cast<tensorflow::DataType>(entry.dtype));
    ShapeToProto(entry.shape, *made->mutable_shape());
  }
}

namespace {

StatusOr<VariantParts> PartsFromProto(const tensorflow::VariantTensorDataProto& proto,
                                      DecodeContext& context) {
  if (context.variant_depth >= kMaxVariantDepth) {
    return InvalidArgument("variants inside of each other deeper than {} levels", kMaxVariantDepth);
  }
  ++context.variant_depth;
  VariantParts parts{proto.metadata(), {}};
  Status status;
  for (int i = 0; i < proto.tensors_size() && status.ok(); ++i) {
    StatusOr<Tensor> tensor = TensorFromProto(proto.tensors(i), context);
    status = tensor.status();
    if (tensor.ok()) parts.tensors.push_back(*std::move(tensor));
  }
  --context.variant_depth;
  if (!status.ok()) return status;
  return parts;
}

}  // namespace

StatusOr<Variant> VariantFromProto(const tensorflow::VariantTensorDataProto& proto,
                                   DecodeContext& context) {
  const VariantDecoders::Decoder* const decoder =
      context.variants == nullptr ? nullptr : context.variants->Find(proto.type_name());
  if (decoder != nullptr) {
    RHEO_ASSIGN_OR_RETURN(VariantParts parts, PartsFromProto(proto, context));
    return (*decoder)(std::move(parts));
  }
  std::string serialized = proto.SerializeAsString();
  if (serialized.empty()) return Variant();
  return Variant(std::make_shared<OpaqueVariant>(proto.type_name(), std::move(serialized)));
}

void VariantToProto(const Variant& variant, tensorflow::VariantTensorDataProto& proto) {
  if (const auto* opaque = variant.As<OpaqueVariant>()) {
    proto.ParseFromString(opaque->serialized());
  } else if (const auto* portable = variant.As<PortableVariant>()) {
    VariantParts parts = portable->ToParts();
    const std::string_view type_name = portable->type_name();
    proto.set_type_name(type_name.data(), type_name.size());
    proto.set_metadata(std::move(parts.metadata));
    for (const Tensor& tensor : parts.tensors) TensorToProto(tensor, *proto.add_tensors());
  }
}

Status VariantDecoders::Add(std::string type_name, Decoder decoder) {
  const auto [it, added] = decoders_.try_emplace(std::move(type_name), std::move(decoder));
  if (!added) return AlreadyExists("variants of type '{}' have a decoder already", it->first);
  return OkStatus();
}

const VariantDecoders::Decoder* VariantDecoders::Find(std::string_view type_name) const {
  const auto it = decoders_.find(type_name);
  return it == decoders_.end() ? nullptr : &it->second;
}

StatusOr<VariantParts> OpaqueVariant::ToParts() const {
  tensorflow::VariantTensorDataProto proto;
  if (!proto.ParseFromString(serialized_)) {
    return InvalidArgument("the value of type '{}' is no VariantTensorDataProto", type_name_);
  }
  DecodeContext context;
  return PartsFromProto(proto, context);
}

}  // namespace rheo::wire
