#include <bit>

#include "rheo/wire/graph_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/reader.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

// Functions in attrs of functions …: protobuf's own limit on nesting bounds the recursion here.
Status FuncFromProto(tensorflow::NameAttrList& proto, DecodeContext& context, op::FuncRef& func) {
  func.name = std::move(*proto.mutable_name());
  return AttrsFromProto(*proto.mutable_attr(), context, func.attrs);
}

void FuncToProto(const op::FuncRef& func, tensorflow::NameAttrList& proto) {
  proto.set_name(func.name);
  AttrsToProto(func.attrs, *proto.mutable_attr());
}

StatusOr<op::AttrValue> ListFromProto(tensorflow::AttrValue::ListValue& proto,
                                      DecodeContext& context) {
  op::AttrList list;
  for (std::string& s : *proto.mutable_s()) list.strings.push_back(std::move(s));
  list.ints.assign(proto.i().begin(), proto.i().end());
  list.floats.assign(proto.f().begin(), proto.f().end());
  list.bools.assign(proto.b().begin(), proto.b().end());
  for (const int number : proto.type()) {
    RHEO_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(number));
    list.types.push_back(dtype);
  }
  for (const auto& shape : proto.shape()) {
    RHEO_ASSIGN_OR_RETURN(list.shapes.emplace_back(), PartialShapeFromProto(shape));
  }
  for (const auto& tensor : proto.tensor()) {
    RHEO_ASSIGN_OR_RETURN(list.tensors.emplace_back(), TensorFromProto(tensor, context));
  }
  for (auto& func : *proto.mutable_func()) {
    RHEO_RETURN_IF_ERROR(FuncFromProto(func, context, list.funcs.emplace_back()));
  }
  return op::AttrValue(std::move(list));
}

void ListToProto(const op::AttrList& list, tensorflow::AttrValue::ListValue& proto) {
  for (const std::string& s : list.strings) proto.add_s(s);
  for (const int64_t i : list.ints) proto.add_i(i);
  for (const float f : list.floats) proto.add_f(f);
  for (const bool b : list.bools) proto.add_b(b);
  for (const DType t : list.types) proto.add_type(static_cast<tensorflow::DataType>(t));
  for (const PartialShape& s : list.shapes) ShapeToProto(s, *proto.add_shape());
  for (const Tensor& t : list.tensors) TensorToProto(t, *proto.add_tensor());
  for (const op::FuncRef& f : list.funcs) FuncToProto(f, *proto.add_func());
}

// Writes one alternative of AttrValue::Storage.
struct AttrWriter {
  tensorflow::AttrValue& proto;

  void operator()(std::monostate) const {}
  void operator()(const std::string& v) const { proto.set_s(v); }
  void operator()(int64_t v) const { proto.set_i(v); }
  void operator()(float v) const { proto.set_f(v); }
  void operator()(bool v) const { proto.set_b(v); }
  void operator()(DType v) const { proto.set_type(static_cast<tensorflow::DataType>(v)); }
  void operator()(const PartialShape& v) const { ShapeToProto(v, *proto.mutable_shape()); }
  void operator()(const Tensor& v) const { TensorToProto(v, *proto.mutable_tensor()); }
  void operator()(const std::shared_ptr<const op::FuncRef>& v) const {
    FuncToProto(*v, *proto.mutable_func());
  }
  void operator()(const std::shared_ptr<const op::AttrList>& v) const {
    ListToProto(*v, *proto.mutable_list());
  }
  void operator()(const op::Placeholder& v) const { proto.set_placeholder(v.name); }
};

// The field numbers of AttrValue, for those of its kinds that are read and written by hand.
enum AttrField { kString = 2, kInt = 3, kFloat = 4, kBool = 5, kType = 6, kTensor = 8 };
constexpr uint32_t kFloatTag = kFloat << 3 | 5;  // 32 bits

template <typename T>
void Take(StatusOr<T> made, op::AttrValue& value, Status& error) {
  if (made.ok()) {
    value = op::AttrValue(*std::move(made));
  } else {
    error = made.status();
  }
}

bool ReadDTypeAttr(CodedInputStream& in, op::AttrValue& value, Status& error) {
  int number;
  if (!ReadInt32(in, number)) return false;
  Take(DTypeFromNumber(number), value, error);
  return true;
}

bool ReadFloatAttr(CodedInputStream& in, op::AttrValue& value) {
  uint32_t bits;
  if (!in.ReadLittleEndian32(&bits)) return false;
  value = op::AttrValue(std::bit_cast<float>(bits));
  return true;
}

bool ReadTensorAttr(CodedInputStream& in, DecodeContext& context, op::AttrValue& value,
                    Status& error) {
  Tensor tensor;
  if (!ReadSub(in, [&] { return ReadTensor(in, context, tensor, error); })) return false;
  value = op::AttrValue(std::move(tensor));
  return true;
}

// Lists, shapes and functions, over the generated message.
bool ReadOtherAttr(CodedInputStream& in, uint32_t tag, DecodeContext& context, op::AttrValue& value,
                   Status& error) {
  std::string bytes;
  tensorflow::AttrValue proto;
  if (!CopyField(in, tag, bytes) || !proto.ParseFromString(bytes)) return false;
  if (proto.value_case() != tensorflow::AttrValue::VALUE_NOT_SET) {
    Take(AttrFromProto(proto, context), value, error);
  }
  return true;
}

template <typename T, typename Read>
bool ReadSimple(Read read, op::AttrValue& value) {
  T v{};
  if (!read(v)) return false;
  value = op::AttrValue(std::move(v));
  return true;
}

}  // namespace

bool ReadAttr(CodedInputStream& in, DecodeContext& context, op::AttrValue& value, Status& error) {
  return ReadFields(in, [&](uint32_t tag) {
    switch (tag) {
      case BytesField(kString):
        return ReadSimple<std::string>([&](std::string& v) { return ReadBytes(in, v); }, value);
      case IntField(kInt):
        return ReadSimple<int64_t>([&](int64_t& v) { return ReadInt(in, v); }, value);
      case IntField(kBool):
        return ReadSimple<bool>([&](bool& v) { return ReadBool(in, v); }, value);
      case kFloatTag:
        return ReadFloatAttr(in, value);
      case IntField(kType):
        return ReadDTypeAttr(in, value, error);
      case BytesField(kTensor):
        return ReadTensorAttr(in, context, value, error);
      default:
        return ReadOtherAttr(in, tag, context, value, error);
    }
  });
}

void AppendAttr(const op::AttrValue& value, std::string& to) {
  if (const auto* s = value.As<std::string>()) {
    AppendBytes(kString, *s, to);
  } else if (const auto* i = value.As<int64_t>()) {
    AppendInt(kInt, *i, to);
  } else if (const auto* b = value.As<bool>()) {
    AppendInt(kBool, *b ? 1 : 0, to);
  } else if (const auto* t = value.As<DType>()) {
    AppendInt(kType, static_cast<int>(*t), to);
  } else {
    tensorflow::AttrValue proto;
    AttrToProto(value, proto);
    proto.AppendToString(&to);
  }
}

StatusOr<op::AttrValue> AttrFromProto(tensorflow::AttrValue& proto, DecodeContext& context) {
  using tensorflow::AttrValue;
  switch (proto.value_case()) {
    case AttrValue::kS:
      return op::AttrValue(std::move(*proto.mutable_s()));
    case AttrValue::kI:
      return op::AttrValue(int64_t{proto.i()});
    case AttrValue::kF:
      return op::AttrValue(proto.f());
    case AttrValue::kB:
      return op::AttrValue(proto.b());
    case AttrValue::kType: {
      RHEO_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(proto.type()));
      return op::AttrValue(dtype);
    }
    case AttrValue::kShape: {
      RHEO_ASSIGN_OR_RETURN(PartialShape shape, PartialShapeFromProto(proto.shape()));
      return op::AttrValue(std::move(shape));
    }
    case AttrValue::kTensor: {
      RHEO_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(proto.tensor(), context));
      return op::AttrValue(std::move(tensor));
    }
    case AttrValue::kFunc: {
      op::FuncRef func;
      RHEO_RETURN_IF_ERROR(FuncFromProto(*proto.mutable_func(), context, func));
      return op::AttrValue(std::move(func));
    }
    case AttrValue::kList:
      return ListFromProto(*proto.mutable_list(), context);
    case AttrValue::kPlaceholder:
      return op::AttrValue(op::Placeholder{std::move(*proto.mutable_placeholder())});
    case AttrValue::VALUE_NOT_SET:
      break;
  }
  return op::AttrValue();
}

void AttrToProto(const op::AttrValue& value, tensorflow::AttrValue& proto) {
  std::visit(AttrWriter{proto}, value.storage());
}

Status AttrsFromProto(ProtoAttrs& proto, DecodeContext& context, op::AttrMap& attrs) {
  for (auto& [name, value] : proto) {
    StatusOr<op::AttrValue> decoded = AttrFromProto(value, context);
    if (!decoded.ok()) return Prefix(decoded.status(), "attr '" + name + "': ");
    attrs.Set(name, *std::move(decoded));
  }
  return OkStatus();
}

void AttrsToProto(const op::AttrMap& attrs, ProtoAttrs& proto) {
  for (const auto& [name, value] : attrs) AttrToProto(value, proto[name]);
}

}  // namespace rheo::wire
