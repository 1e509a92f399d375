// TensorProtos that were parsed as a whole: graphs, and values in typed form.
#include <algorithm>
#include <complex>

#include "rheo/wire/tensor_codec.h"
#include "rheo/wire/tensor_content.h"

namespace rheo::wire {
namespace {

using tensorflow::TensorProto;

// How many entries the typed field of `dtype` has.
int64_t NumEntries(const TensorProto& p, DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return p.float_val_size();
    case DType::kDouble:
      return p.double_val_size();
    case DType::kInt64:
      return p.int64_val_size();
    case DType::kUint32:
      return p.uint32_val_size();
    case DType::kUint64:
      return p.uint64_val_size();
    case DType::kBool:
      return p.bool_val_size();
    case DType::kHalf:
    case DType::kBfloat16:
      return p.half_val_size();
    case DType::kComplex64:
      return p.scomplex_val_size() / 2;
    case DType::kComplex128:
      return p.dcomplex_val_size() / 2;
    case DType::kString:
      return p.string_val_size();
    case DType::kResource:
      return p.resource_handle_val_size();
    case DType::kVariant:
      return p.variant_val_size();
    case DType::kFloat8E5m2:
    case DType::kFloat8E4m3fn:
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat8E4m3b11fnuz:
    case DType::kFloat8E5m2fnuz:
    case DType::kFloat4E2m1fn:
      return static_cast<int64_t>(p.float8_val().size());
    default:
      return p.int_val_size();
  }
}

// Element i is value(i) for i < k; the last of them, or T(), fills the rest.
template <typename T, typename Value>
void Fill(Tensor& tensor, int64_t k, Value value) {
  const auto out = tensor.mutable_flat<T>();
  const size_t given = std::min(static_cast<size_t>(k), out.size());
  for (size_t i = 0; i < given; ++i) out[i] = value(static_cast<int>(i));
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(given), out.end(),
            given == 0 ? T() : out[given - 1]);
}

// Sub-byte integers keep their low bits, signed ones in two's complement.
int8_t SignedBits(int32_t value, int bits) {
  const auto shift = static_cast<unsigned>(32 - bits);
  return static_cast<int8_t>(static_cast<int32_t>(static_cast<uint32_t>(value) << shift) >> shift);
}

void FillIntegers(const TensorProto& p, int64_t k, Tensor& t) {
  const auto value = [&p](int i) { return p.int_val(i); };
  switch (t.dtype()) {
    case DType::kInt32:
    case DType::kQint32:
      return Fill<int32_t>(t, k, value);
    case DType::kInt16:
    case DType::kQint16:
    case DType::kUint16:
    case DType::kQuint16:
      return Fill<uint16_t>(t, k, [&p](int i) { return static_cast<uint16_t>(p.int_val(i)); });
    case DType::kInt4:
      return Fill<int8_t>(t, k, [&p](int i) { return SignedBits(p.int_val(i), 4); });
    case DType::kInt2:
      return Fill<int8_t>(t, k, [&p](int i) { return SignedBits(p.int_val(i), 2); });
    case DType::kUint4:
      return Fill<uint8_t>(t, k, [&p](int i) { return static_cast<uint8_t>(p.int_val(i) & 15); });
    case DType::kUint2:
      return Fill<uint8_t>(t, k, [&p](int i) { return static_cast<uint8_t>(p.int_val(i) & 3); });
    default:
      return Fill<uint8_t>(t, k, [&p](int i) { return static_cast<uint8_t>(p.int_val(i)); });
  }
}

void FillPlain(const TensorProto& p, int64_t k, Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat:
      return Fill<float>(t, k, [&p](int i) { return p.float_val(i); });
    case DType::kDouble:
      return Fill<double>(t, k, [&p](int i) { return p.double_val(i); });
    case DType::kInt64:
      return Fill<int64_t>(t, k, [&p](int i) { return p.int64_val(i); });
    case DType::kUint32:
      return Fill<uint32_t>(t, k, [&p](int i) { return p.uint32_val(i); });
    case DType::kUint64:
      return Fill<uint64_t>(t, k, [&p](int i) { return p.uint64_val(i); });
    case DType::kBool:
      return Fill<bool>(t, k, [&p](int i) { return p.bool_val(i); });
    case DType::kHalf:
    case DType::kBfloat16:
      return Fill<uint16_t>(t, k, [&p](int i) { return static_cast<uint16_t>(p.half_val(i)); });
    case DType::kComplex64:
      return Fill<std::complex<float>>(t, k, [&p](int i) {
        return std::complex<float>(p.scomplex_val(2 * i), p.scomplex_val(2 * i + 1));
      });
    case DType::kComplex128:
      return Fill<std::complex<double>>(t, k, [&p](int i) {
        return std::complex<double>(p.dcomplex_val(2 * i), p.dcomplex_val(2 * i + 1));
      });
    case DType::kFloat8E5m2:
    case DType::kFloat8E4m3fn:
    case DType::kFloat8E4m3fnuz:
    case DType::kFloat8E4m3b11fnuz:
    case DType::kFloat8E5m2fnuz:
    case DType::kFloat4E2m1fn:
      return Fill<uint8_t>(t, k, [&p](int i) {
        return static_cast<uint8_t>(p.float8_val()[static_cast<size_t>(i)]);
      });
    default:
      return FillIntegers(p, k, t);
  }
}

// Missing handles and variants stay default-made: only plain data and strings repeat the last one.
Status FillObjects(const TensorProto& p, DecodeContext& context, Tensor& t) {
  if (t.dtype() == DType::kString) {
    Fill<std::string>(t, p.string_val_size(), [&p](int i) { return p.string_val(i); });
    return OkStatus();
  }
  for (int i = 0; i < NumEntries(p, t.dtype()) && i < t.num_elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (t.dtype() == DType::kResource) {
      RHEO_ASSIGN_OR_RETURN(t.mutable_flat<ResourceHandle>()[at],
                            HandleFromProto(p.resource_handle_val(i)));
    } else {
      RHEO_ASSIGN_OR_RETURN(t.mutable_flat<Variant>()[at],
                            VariantFromProto(p.variant_val(i), context));
    }
  }
  return OkStatus();
}

// Charges the bytes of the elements that no entry stands for.
Status ChargeMissing(const TensorProto& p, DType dtype, const Shape& shape, int64_t k,
                     DecodeContext& context) {
  const int64_t missing = shape.num_elements() - k;
  if (missing <= 0) return OkStatus();
  auto element_bytes = static_cast<int64_t>(DTypeSize(dtype));
  if (dtype == DType::kString && k > 0) {
    element_bytes += static_cast<int64_t>(p.string_val(static_cast<int>(k) - 1).size());
  }
  int64_t num_bytes;
  if (__builtin_mul_overflow(missing, element_bytes, &num_bytes)) num_bytes = INT64_MAX;
  return context.ChargeFill(num_bytes);
}

StatusOr<Tensor> FromTypedFields(const TensorProto& p, DType dtype, Shape shape,
                                 DecodeContext& context) {
  const int64_t k = NumEntries(p, dtype);
  RHEO_RETURN_IF_ERROR(ChargeMissing(p, dtype, shape, k, context));
  RHEO_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(HostAllocator(), dtype, std::move(shape)));
  if (IsPlainData(dtype)) {
    FillPlain(p, k, tensor);
  } else {
    RHEO_RETURN_IF_ERROR(FillObjects(p, context, tensor));
  }
  return tensor;
}

}  // namespace

StatusOr<Tensor> TensorFromProto(const TensorProto& proto, DecodeContext& context) {
  RHEO_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(proto.dtype()));
  if (!IsValidDType(dtype) || IsRef(dtype)) {
    return InvalidArgument("a tensor cannot have the dtype {}", DTypeName(dtype));
  }
  RHEO_ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.tensor_shape()));
  const std::string& content = proto.tensor_content();
  if (content.empty()) return FromTypedFields(proto, dtype, std::move(shape), context);
  const int num_bytes = static_cast<int>(content.size());
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(content.data()),
                                            num_bytes);
  Tensor tensor;
  Status error;
  if (!ReadContent(in, num_bytes, dtype, std::move(shape), context, tensor, error)) {
    return InvalidArgument("the content ends early");
  }
  RHEO_RETURN_IF_ERROR(error);
  return tensor;
}

}  // namespace rheo::wire
