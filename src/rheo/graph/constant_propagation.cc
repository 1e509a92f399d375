#include "rheo/graph/constant_propagation.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace rheo::graph {
namespace {

// Larger tensors are never shapes.
constexpr int64_t kMaxElements = 1024;

using Ints = std::vector<int64_t>;

// A small tensor of integers with its shape.
struct IntTensor {
  Shape shape;
  Ints values;
};

template <typename T>
Ints Widen(const Tensor& tensor) {
  const auto values = tensor.flat<T>();
  return {values.begin(), values.end()};
}

std::optional<IntTensor> IntsOf(const Tensor* tensor) {
  if (tensor == nullptr || tensor->num_elements() > kMaxElements) return std::nullopt;
  switch (tensor->dtype()) {
    case DType::kInt8:
      return IntTensor{tensor->shape(), Widen<int8_t>(*tensor)};
    case DType::kInt16:
      return IntTensor{tensor->shape(), Widen<int16_t>(*tensor)};
    case DType::kInt32:
      return IntTensor{tensor->shape(), Widen<int32_t>(*tensor)};
    case DType::kInt64:
      return IntTensor{tensor->shape(), Widen<int64_t>(*tensor)};
    case DType::kUint8:
      return IntTensor{tensor->shape(), Widen<uint8_t>(*tensor)};
    case DType::kUint16:
      return IntTensor{tensor->shape(), Widen<uint16_t>(*tensor)};
    case DType::kUint32:
      return IntTensor{tensor->shape(), Widen<uint32_t>(*tensor)};
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> ScalarOf(const Tensor* tensor) {
  const std::optional<IntTensor> ints = IntsOf(tensor);
  if (!ints || ints->values.size() != 1) return std::nullopt;
  return ints->values[0];
}

// Unknown when a value does not fit T: then the kernel's result is not what we would compute.
template <typename T>
std::optional<Tensor> Narrow(const IntTensor& ints) {
  Tensor tensor(kDTypeOf<T>, ints.shape);
  auto out = tensor.mutable_flat<T>();
  for (size_t i = 0; i < ints.values.size(); ++i) {
    if (!std::in_range<T>(ints.values[i])) return std::nullopt;
    out[i] = static_cast<T>(ints.values[i]);
  }
  return tensor;
}

std::optional<Tensor> ToTensor(DType dtype, const IntTensor& ints) {
  switch (dtype) {
    case DType::kInt8:
      return Narrow<int8_t>(ints);
    case DType::kInt16:
      return Narrow<int16_t>(ints);
    case DType::kInt32:
      return Narrow<int32_t>(ints);
    case DType::kInt64:
      return Narrow<int64_t>(ints);
    case DType::kUint8:
      return Narrow<uint8_t>(ints);
    case DType::kUint16:
      return Narrow<uint16_t>(ints);
    case DType::kUint32:
      return Narrow<uint32_t>(ints);
    default:
      return std::nullopt;
  }
}

IntTensor VectorOf(Ints values) {
  Shape shape{static_cast<int64_t>(values.size())};
  return {.shape = std::move(shape), .values = std::move(values)};
}

IntTensor ScalarTensor(int64_t value) { return {.shape = Shape{}, .values = {value}}; }

// What a node's evaluation sees.
struct Inputs {
  const Node& node;
  std::span<const PartialShape> shapes;
  std::span<const Tensor* const> constants;

  int64_t IntAttr(std::string_view name) const { return node.attrs().GetOr<int64_t>(name, 0); }
};

using IntResult = std::optional<IntTensor>;

IntResult ShapeValue(const PartialShape& shape) {
  if (!shape.IsFullyDefined()) return std::nullopt;
  return VectorOf(Ints(shape.dims().begin(), shape.dims().end()));
}

IntResult SizeValue(const Inputs& in) {
  if (!in.shapes[0].IsFullyDefined()) return std::nullopt;
  const int64_t size = CheckedProduct(in.shapes[0].dims());
  if (size < 0) return std::nullopt;
  return ScalarTensor(size);
}

IntResult RankValue(const Inputs& in) {
  if (!in.shapes[0].has_rank()) return std::nullopt;
  return ScalarTensor(in.shapes[0].rank());
}

// The inputs [0, count) one behind the other; they are equal in shape where `same_shape`.
std::optional<Ints> Joined(const Inputs& in, size_t count, bool same_shape) {
  Ints joined;
  std::optional<Shape> shape;
  for (size_t i = 0; i < count; ++i) {
    const IntResult part = IntsOf(in.constants[i]);
    if (!part || part->shape.rank() > 1) return std::nullopt;
    if (same_shape && shape && !(*shape == part->shape)) return std::nullopt;
    shape = part->shape;
    joined.insert(joined.end(), part->values.begin(), part->values.end());
    if (joined.size() > kMaxElements) return std::nullopt;
  }
  return joined;
}

// Of scalars along the first axis.
IntResult PackValue(const Inputs& in) {
  const int64_t axis = in.IntAttr("axis");
  if (axis != 0 && axis != -1) return std::nullopt;
  for (const Tensor* constant : in.constants) {
    if (constant == nullptr || constant->rank() != 0) return std::nullopt;
  }
  std::optional<Ints> values = Joined(in, in.constants.size(), /*same_shape=*/true);
  if (!values) return std::nullopt;
  return VectorOf(*std::move(values));
}

// Of vectors.
IntResult ConcatValue(const Inputs& in) {
  if (in.constants.empty()) return std::nullopt;
  const size_t count = in.constants.size() - 1;
  const std::optional<int64_t> axis = ScalarOf(in.constants[count]);
  if (!axis || (*axis != 0 && *axis != -1)) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    if (in.constants[i] == nullptr || in.constants[i]->rank() != 1) return std::nullopt;
  }
  std::optional<Ints> values = Joined(in, count, /*same_shape=*/false);
  if (!values) return std::nullopt;
  return VectorOf(*std::move(values));
}

IntResult RangeValue(const Inputs& in) {
  const std::optional<int64_t> start = ScalarOf(in.constants[0]);
  const std::optional<int64_t> limit = ScalarOf(in.constants[1]);
  const std::optional<int64_t> delta = ScalarOf(in.constants[2]);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  Ints values;
  int64_t value = *start;
  while (*delta > 0 ? value < *limit : value > *limit) {
    if (values.size() == kMaxElements) return std::nullopt;
    values.push_back(value);
    if (__builtin_add_overflow(value, *delta, &value)) break;
  }
  return VectorOf(std::move(values));
}

// The first position of a slice of `size` elements, or the bound behind the last one.
int64_t SliceBound(int64_t position, int64_t size, int64_t stride) {
  if (position < 0) position += size;
  return stride > 0 ? std::clamp<int64_t>(position, 0, size)
                    : std::clamp<int64_t>(position, -1, size - 1);
}

// Of a vector, by one range or one position.
IntResult StridedSliceValue(const Inputs& in) {
  const IntResult vector = IntsOf(in.constants[0]);
  const std::optional<int64_t> begin = ScalarOf(in.constants[1]);
  const std::optional<int64_t> end = ScalarOf(in.constants[2]);
  const std::optional<int64_t> stride = ScalarOf(in.constants[3]);
  if (!vector || vector->shape.rank() != 1 || !begin || !end || !stride) return std::nullopt;
  if (in.IntAttr("ellipsis_mask") != 0 || in.IntAttr("new_axis_mask") != 0) return std::nullopt;
  const auto size = static_cast<int64_t>(vector->values.size());
  if ((in.IntAttr("shrink_axis_mask") & 1) != 0) {
    const int64_t position = *begin < 0 ? *begin + size : *begin;
    if (position < 0 || position >= size) return std::nullopt;
    return ScalarTensor(vector->values[static_cast<size_t>(position)]);
  }
  if (*stride == 0 || *stride == std::numeric_limits<int64_t>::min()) return std::nullopt;
  const bool open_begin = (in.IntAttr("begin_mask") & 1) != 0;
  const bool open_end = (in.IntAttr("end_mask") & 1) != 0;
  const int64_t first = *stride > 0 ? 0 : size - 1;
  const int64_t behind = *stride > 0 ? size : -1;
  int64_t i = open_begin ? first : SliceBound(*begin, size, *stride);
  const int64_t stop = open_end ? behind : SliceBound(*end, size, *stride);
  Ints values;
  while (*stride > 0 ? i < stop : i > stop) {
    values.push_back(vector->values[static_cast<size_t>(i)]);
    if (__builtin_add_overflow(i, *stride, &i)) break;
  }
  return VectorOf(std::move(values));
}

IntResult CastValue(const Inputs& in) { return IntsOf(in.constants[0]); }

// The evaluation of a node with one output.
IntResult SingleValue(const Inputs& in) {
  const std::string& op = in.node.op();
  if (op == "Shape") return ShapeValue(in.shapes[0]);
  if (op == "Size") return SizeValue(in);
  if (op == "Rank") return RankValue(in);
  if (op == "Pack") return PackValue(in);
  if (op == "ConcatV2") return ConcatValue(in);
  if (op == "Cast") return CastValue(in);
  if (op == "Range") return RangeValue(in);
  if (op == "StridedSlice") return StridedSliceValue(in);
  return std::nullopt;
}

std::vector<Tensor> ShapesOfAll(const Inputs& in) {
  std::vector<Tensor> outputs(in.shapes.size());
  for (size_t i = 0; i < in.shapes.size(); ++i) {
    const IntResult value = ShapeValue(in.shapes[i]);
    if (!value) continue;
    if (auto tensor = ToTensor(in.node.output_types()[i], *value)) outputs[i] = *std::move(tensor);
  }
  return outputs;
}

}  // namespace

std::vector<Tensor> KnownOutputs(const Node& node, std::span<const PartialShape> shapes,
                                 std::span<const Tensor* const> constants) {
  const Inputs in{.node = node, .shapes = shapes, .constants = constants};
  if (node.op() == "Const") {
    const op::AttrValue* value = node.attrs().Find("value");
    const Tensor* tensor = value == nullptr ? nullptr : value->As<Tensor>();
    if (tensor == nullptr || tensor->dtype() != node.output_types()[0]) return {};
    return {*tensor};
  }
  if (node.op() == "Identity") {
    if (constants[0] == nullptr) return {};
    return {*constants[0]};
  }
  if (node.op() == "ShapeN") return ShapesOfAll(in);
  const IntResult value = SingleValue(in);
  if (!value) return {};
  std::optional<Tensor> tensor = ToTensor(node.output_types()[0], *value);
  if (!tensor) return {};
  return {*std::move(tensor)};
}

}  // namespace rheo::graph
