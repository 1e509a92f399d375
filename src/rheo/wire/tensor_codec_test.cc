#include "rheo/wire/tensor_codec.h"

#include <gtest/gtest.h>

#include <complex>

#include "rheo/wire/codec.h"

namespace rheo::wire {
namespace {

using tensorflow::TensorProto;

TensorProto Proto(DType dtype, std::initializer_list<int64_t> dims) {
  TensorProto proto;
  proto.set_dtype(static_cast<tensorflow::DataType>(dtype));
  for (const int64_t d : dims) proto.mutable_tensor_shape()->add_dim()->set_size(d);
  return proto;
}

StatusOr<Tensor> FromProto(const TensorProto& proto) {
  DecodeContext context;
  return TensorFromProto(proto, context);
}

// As a feed: over the reader that needs no generated message.
StatusOr<Tensor> ThroughStream(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()), 7);
  google::protobuf::io::CodedInputStream in(&stream);
  in.PushLimit(static_cast<int>(bytes.size()));
  DecodeContext context;
  Tensor tensor;
  Status error;
  if (!ReadTensor(in, context, tensor, error)) return Internal("malformed");
  if (!error.ok()) return error;
  return tensor;
}

void ExpectInvalid(const TensorProto& proto) {
  EXPECT_EQ(FromProto(proto).status().code(), StatusCode::kInvalidArgument)
      << proto.ShortDebugString();
  EXPECT_EQ(ThroughStream(proto.SerializeAsString()).status().code(), StatusCode::kInvalidArgument)
      << proto.ShortDebugString();
}

TEST(TensorCodecTest, PlainDataOfEveryDTypeSurvives) {
  for (const DType dtype : kAllDTypes) {
    if (!IsPlainData(dtype)) continue;
    SCOPED_TRACE(DTypeName(dtype));
    Tensor tensor(dtype, Shape{3, 5});
    for (size_t i = 0; i < tensor.num_bytes(); ++i) {
      static_cast<uint8_t*>(tensor.mutable_data())[i] =
          static_cast<uint8_t>(dtype == DType::kBool ? i % 2 : i * 7);
    }
    const std::string bytes = EncodeTensor(tensor).Flatten();
    EXPECT_EQ(DecodeTensor(bytes).value(), tensor);
    EXPECT_EQ(ThroughStream(bytes).value(), tensor);
  }
}

TEST(TensorCodecTest, BothWritersGiveTheSameBytes) {
  ResourceHandle handle;
  handle.name = "v";
  handle.dtypes_and_shapes.push_back({DType::kFloat, PartialShape({-1, 2})});
  const Tensor tensors[] = {Tensor::Scalar(3.5f),
                            Tensor::Of<int64_t>({2}, {-1, 7}),
                            Tensor(DType::kFloat, Shape{0, 3}),
                            Tensor::Scalar("one"),
                            Tensor::Vector<std::string>({"", "ab", std::string(3000, 'x')}),
                            Tensor(DType::kString, Shape{0}),
                            Tensor::Scalar(handle)};
  for (const Tensor& tensor : tensors) {
    SCOPED_TRACE(tensor.ToString());
    TensorProto proto;
    TensorToProto(tensor, proto);
    const std::string bytes = EncodeTensor(tensor).Flatten();
    EXPECT_EQ(bytes, proto.SerializeAsString());
    EXPECT_EQ(ThroughStream(bytes).value(), tensor);
  }
}

TEST(TensorCodecTest, LongStringsAreBorrowed) {
  const Tensor tensor = Tensor::Vector<std::string>({"short", std::string(5000, 'x')});
  const Message message = EncodeTensor(tensor);
  ASSERT_EQ(message.slices.size(), 2u);
  EXPECT_TRUE(message.slices[1].is_borrowed());
  EXPECT_EQ(message.slices[1].bytes().data(), tensor.flat<std::string>()[1].data());
}

TEST(TensorCodecTest, LargeContentIsCutIntoSlices) {
  const Tensor tensor(DType::kUint8, Shape{9 << 20});
  const Message message = EncodeTensor(tensor);
  ASSERT_EQ(message.slices.size(), 4u);
  for (size_t i = 1; i < 4; ++i) EXPECT_LE(message.slices[i].bytes().size(), size_t{4} << 20);
  EXPECT_EQ(message.slices[1].bytes().data(), tensor.data());
}

TEST(TensorCodecTest, BorrowedBytesOutliveTheTensor) {
  Message message;
  {
    Tensor tensor(DType::kUint8, Shape{5000});
    std::fill_n(tensor.mutable_flat<uint8_t>().begin(), 5000, uint8_t{9});
    message = EncodeTensor(tensor);
  }
  EXPECT_EQ(DecodeTensor(message.Flatten())->flat<uint8_t>()[4999], 9);
}

TEST(TensorCodecTest, RowsAreWrittenFromTheirOffset) {
  const Tensor tensor = Tensor::Of<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6}).Rows(1, 3);
  EXPECT_EQ(DecodeTensor(EncodeTensor(tensor).Flatten()).value(),
            Tensor::Of<int32_t>({2, 2}, {3, 4, 5, 6}));
}

TEST(TensorCodecTest, LastTypedValueFillsTheRest) {
  TensorProto proto = Proto(DType::kFloat, {4});
  proto.add_float_val(1);
  proto.add_float_val(2);
  const Tensor expected = Tensor::Of<float>({4}, {1, 2, 2, 2});
  EXPECT_EQ(FromProto(proto).value(), expected);
  EXPECT_EQ(ThroughStream(proto.SerializeAsString()).value(), expected);
}

TEST(TensorCodecTest, SurplusTypedValuesAreDropped) {
  TensorProto proto = Proto(DType::kInt64, {1});
  proto.add_int64_val(5);
  proto.add_int64_val(6);
  EXPECT_EQ(FromProto(proto).value(), Tensor::Of<int64_t>({1}, {5}));
}

TEST(TensorCodecTest, NoTypedValuesAreZeros) {
  EXPECT_EQ(FromProto(Proto(DType::kInt32, {2})).value(), Tensor::Of<int32_t>({2}, {0, 0}));
  EXPECT_EQ(ThroughStream(Proto(DType::kString, {2}).SerializeAsString()).value(),
            Tensor::Vector<std::string>({"", ""}));
}

TEST(TensorCodecTest, TypedFormOfEveryDType) {
  for (const DType dtype : kAllDTypes) {
    SCOPED_TRACE(DTypeName(dtype));
    TensorProto proto = Proto(dtype, {2});
    for (int i = 0; i < 2; ++i) {
      proto.add_float_val(1);
      proto.add_double_val(1);
      proto.add_int_val(1);
      proto.add_string_val("1");
      proto.add_scomplex_val(1);
      proto.add_int64_val(1);
      proto.add_bool_val(true);
      proto.add_dcomplex_val(1);
      proto.add_half_val(1);
      proto.add_uint32_val(1);
      proto.add_uint64_val(1);
      proto.add_resource_handle_val()->set_name("1");
      proto.add_variant_val()->set_type_name("1");
    }
    proto.set_float8_val("\1\1");
    const StatusOr<Tensor> tensor = FromProto(proto);
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    switch (dtype) {
      case DType::kString:
        EXPECT_EQ(tensor->flat<std::string>()[1], "1");
        break;
      case DType::kResource:
        EXPECT_EQ(tensor->flat<ResourceHandle>()[1].name, "1");
        break;
      case DType::kVariant:
        EXPECT_EQ(tensor->flat<Variant>()[1].value()->type_name(), "1");
        break;
      case DType::kFloat:
        EXPECT_EQ(tensor->flat<float>()[1], 1);
        break;
      case DType::kDouble:
        EXPECT_EQ(tensor->flat<double>()[1], 1);
        break;
      case DType::kBool:
        EXPECT_TRUE(tensor->flat<bool>()[1]);
        break;
      // One pair was given.
      case DType::kComplex64:
        EXPECT_EQ(tensor->flat<std::complex<float>>()[1], (std::complex<float>(1, 1)));
        break;
      case DType::kComplex128:
        EXPECT_EQ(tensor->flat<std::complex<double>>()[1], (std::complex<double>(1, 1)));
        break;
      default:
        // The number one, or its bits, little-endian.
        EXPECT_EQ(static_cast<const uint8_t*>(tensor->data())[DTypeSize(dtype)], 1);
    }
  }
}

TEST(TensorCodecTest, WideIntegersKeepTheirLowBits) {
  TensorProto proto = Proto(DType::kInt8, {2});
  proto.add_int_val(-1);
  proto.add_int_val(257);
  EXPECT_EQ(FromProto(proto)->flat<int8_t>()[0], -1);
  EXPECT_EQ(FromProto(proto)->flat<int8_t>()[1], 1);
}

TEST(TensorCodecTest, MissingHandlesAreDefaultMade) {
  TensorProto proto = Proto(DType::kResource, {2});
  proto.add_resource_handle_val()->set_name("v");
  EXPECT_EQ(FromProto(proto)->flat<ResourceHandle>()[1].name, "");
}

TEST(TensorCodecTest, LoneHalfOfAComplexCountsForNothing) {
  TensorProto proto = Proto(DType::kComplex64, {1});
  proto.add_scomplex_val(3);
  EXPECT_EQ(FromProto(proto)->flat<std::complex<float>>()[0], (std::complex<float>(0, 0)));
}

TEST(TensorCodecTest, ContentWinsOverTypedFields) {
  TensorProto proto = Proto(DType::kInt32, {1});
  proto.set_tensor_content(std::string("\7\0\0\0", 4));
  proto.add_int_val(1);
  EXPECT_EQ(FromProto(proto)->flat<int32_t>()[0], 7);
  EXPECT_EQ(ThroughStream(proto.SerializeAsString())->flat<int32_t>()[0], 7);
}

TEST(TensorCodecTest, FieldsInAnyOrder) {
  // tensor_content, then shape, then dtype.
  const std::string bytes("\x22\x04\x01\x02\x03\x04\x12\x04\x12\x02\x08\x04\x08\x04", 14);
  EXPECT_EQ(ThroughStream(bytes).value(), Tensor::Of<uint8_t>({4}, {1, 2, 3, 4}));
}

TEST(TensorCodecTest, ScalarWithoutAShape) {
  const std::string plain("\x08\x04\x22\x01\x09", 5);
  EXPECT_EQ(ThroughStream(plain).value(), Tensor::Scalar<uint8_t>(9));
  const std::string then_version("\x08\x04\x22\x01\x09\x18\x00", 7);
  EXPECT_EQ(ThroughStream(then_version).value(), Tensor::Scalar<uint8_t>(9));
  const std::string then_shape("\x08\x04\x22\x02\x09\x08\x12\x04\x12\x02\x08\x02", 12);
  EXPECT_EQ(ThroughStream(then_shape).value(), Tensor::Of<uint8_t>({2}, {9, 8}));
}

TEST(TensorCodecTest, BytesOfBoolsBecomeZeroOrOne) {
  TensorProto proto = Proto(DType::kBool, {2});
  proto.set_tensor_content(std::string("\x02\x00", 2));
  EXPECT_EQ(FromProto(proto).value(), Tensor::Of<bool>({2}, {true, false}));
}

TEST(TensorCodecTest, SizesThatDoNotFitAreInvalid) {
  TensorProto too_short = Proto(DType::kFloat, {1 << 20, 1 << 20});
  too_short.set_tensor_content("1234");
  ExpectInvalid(too_short);
  TensorProto too_long = Proto(DType::kFloat, {0});
  too_long.set_tensor_content("1234");
  ExpectInvalid(too_long);
  TensorProto few_strings = Proto(DType::kString, {1 << 30});
  few_strings.set_tensor_content("1234");
  ExpectInvalid(few_strings);
  TensorProto wrong_sum = Proto(DType::kString, {2});
  wrong_sum.set_tensor_content("\1\1x");
  ExpectInvalid(wrong_sum);
}

TEST(TensorCodecTest, BadShapesAndDTypesAreInvalid) {
  ExpectInvalid(Proto(DType::kFloat, {-1}));
  ExpectInvalid(Proto(DType::kFloat, {int64_t{1} << 40, int64_t{1} << 40}));
  ExpectInvalid(Proto(DType::kInvalid, {1}));
  ExpectInvalid(Proto(MakeRef(DType::kFloat), {1}));
  ExpectInvalid(Proto(static_cast<DType>(77), {1}));
  TensorProto many_dims = Proto(DType::kFloat, {});
  for (int i = 0; i < 255; ++i) many_dims.mutable_tensor_shape()->add_dim()->set_size(1);
  ExpectInvalid(many_dims);
}

TEST(TensorCodecTest, UnknownRankIsAScalar) {
  TensorProto proto = Proto(DType::kFloat, {});
  proto.mutable_tensor_shape()->set_unknown_rank(true);
  proto.add_float_val(2);
  EXPECT_EQ(FromProto(proto).value(), Tensor::Scalar(2.0f));
}

TEST(TensorCodecTest, FillsAreBoundedPerMessage) {
  TensorProto huge = Proto(DType::kFloat, {int64_t{1} << 40});
  huge.add_float_val(1);
  ExpectInvalid(huge);
  TensorProto text = Proto(DType::kString, {1 << 20});
  text.add_string_val(std::string(1 << 12, 'x'));
  ExpectInvalid(text);
  DecodeContext context;
  context.fill_bytes_left = 100;
  TensorProto small = Proto(DType::kFloat, {20});
  small.add_float_val(1);
  EXPECT_TRUE(TensorFromProto(small, context).ok());
  EXPECT_FALSE(TensorFromProto(small, context).ok());
}

class Pair final : public PortableVariant {
 public:
  Pair(std::string metadata, Tensor tensor)
      : metadata_(std::move(metadata)), tensor_(std::move(tensor)) {}
  std::string_view type_name() const override { return "test::Pair"; }
  VariantParts ToParts() const override { return {metadata_, {tensor_}}; }
  const std::string metadata_;
  const Tensor tensor_;
};

TEST(TensorCodecTest, VariantsGoThroughTheirDecoder) {
  VariantDecoders decoders;
  ASSERT_TRUE(decoders
                  .Add("test::Pair",
                       [](VariantParts parts) -> StatusOr<Variant> {
                         if (parts.tensors.size() != 1) return InvalidArgument("no pair");
                         return Variant(std::make_shared<Pair>(parts.metadata, parts.tensors[0]));
                       })
                  .ok());
  EXPECT_EQ(decoders.Add("test::Pair", nullptr).code(), StatusCode::kAlreadyExists);
  service::RecvTensorResponse sent;
  sent.item.tensor =
      Tensor::Scalar(Variant(std::make_shared<Pair>("meta", Tensor::Scalar<int32_t>(4))));
  const std::string bytes = Encode(sent).Flatten();
  Source source(bytes, &decoders);
  service::RecvTensorResponse received;
  ASSERT_TRUE(Decode(source, received).ok());
  const auto* const pair = received.item.tensor.flat<Variant>()[0].As<Pair>();
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(pair->metadata_, "meta");
  EXPECT_EQ(pair->tensor_, Tensor::Scalar<int32_t>(4));
}

TEST(TensorCodecTest, VariantsInsideOfEachOtherAreBounded) {
  VariantDecoders decoders;
  ASSERT_TRUE(decoders
                  .Add("test::Pair",
                       [](VariantParts parts) -> StatusOr<Variant> {
                         return Variant(std::make_shared<Pair>("", parts.tensors.at(0)));
                       })
                  .ok());
  Tensor nested = Tensor::Scalar(1.0f);
  for (int i = 0; i < 2 * kMaxVariantDepth; ++i) {
    nested = Tensor::Scalar(Variant(std::make_shared<Pair>("", nested)));
  }
  TensorProto proto;
  TensorToProto(nested, proto);
  DecodeContext context{&decoders};
  EXPECT_EQ(TensorFromProto(proto, context).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(context.variant_depth, 0);
}

TEST(TensorCodecTest, EmptyVariantStaysEmpty) {
  const Tensor tensor = Tensor::Scalar(Variant());
  EXPECT_TRUE(DecodeTensor(EncodeTensor(tensor).Flatten())->flat<Variant>()[0].empty());
}

}  // namespace
}  // namespace rheo::wire
