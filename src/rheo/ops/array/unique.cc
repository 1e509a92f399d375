// Unique and its forms, ListDiff and Where: ops whose output's size depends on the values.
#include <unordered_map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/view.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

using UniqueTypes = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t,
                             uint8_t, uint16_t, uint32_t, uint64_t, bool, std::string>;

// What is hashed and compared in place of T.
template <typename T>
auto KeyOf(const T& value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return static_cast<float>(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string_view(value);
  } else {
    return value;
  }
}
template <typename T>
using Key = decltype(KeyOf(std::declval<const T&>()));

// Whether the value equals nothing, itself included: a NaN is never a key of a hash table.
template <typename T>
bool IsUnequalToAll(const T& value) {
  const auto key = KeyOf(value);
  return key != key;
}

// For each slice along an axis, the number of the first equal one, in order of appearance.
struct Numbering {
  std::vector<int64_t> first;    // where each distinct slice was first seen
  std::vector<int64_t> numbers;  // of each slice
};

template <typename T>
Numbering NumberElements(std::span<const T> values) {
  Numbering result;
  result.numbers.reserve(values.size());
  absl::flat_hash_map<Key<T>, int64_t> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto next = static_cast<int64_t>(result.first.size());
    const int64_t number =
        IsUnequalToAll(values[i]) ? next : seen.try_emplace(KeyOf(values[i]), next).first->second;
    if (number == next) result.first.push_back(static_cast<int64_t>(i));
    result.numbers.push_back(number);
  }
  return result;
}

// A tensor as [outer, size, inner] around one axis.
struct Slabs {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};
Slabs SlabsOf(const Shape& shape, int axis) {
  Slabs s{.outer = 1, .size = shape.dim(axis), .inner = 1};
  for (int i = 0; i < axis; ++i) s.outer *= shape.dim(i);
  for (int i = axis + 1; i < shape.rank(); ++i) s.inner *= shape.dim(i);
  return s;
}

template <typename T>
Numbering NumberSlices(std::span<const T> values, const Slabs& s) {
  const auto element = [&](int64_t slice, int64_t k) {
    const int64_t o = k / s.inner;
    return KeyOf(values[static_cast<size_t>((o * s.size + slice) * s.inner + k % s.inner)]);
  };
  const int64_t width = s.outer * s.inner;
  Numbering result;
  std::unordered_multimap<size_t, int64_t> seen;  // hash of a distinct slice → its number
  for (int64_t slice = 0; slice < s.size; ++slice) {
    size_t hash = 0;
    for (int64_t k = 0; k < width; ++k) hash = hash * 31 + absl::Hash<Key<T>>()(element(slice, k));
    int64_t number = -1;
    const auto [begin, end] = seen.equal_range(hash);
    for (auto it = begin; it != end && number < 0; ++it) {
      const int64_t other = result.first[static_cast<size_t>(it->second)];
      bool equal = true;
      for (int64_t k = 0; k < width && equal; ++k) equal = element(slice, k) == element(other, k);
      if (equal) number = it->second;
    }
    if (number < 0) {
      number = static_cast<int64_t>(result.first.size());
      seen.emplace(hash, number);
      result.first.push_back(slice);
    }
    result.numbers.push_back(number);
  }
  return result;
}

template <typename Index>
Status SetIntegers(KernelContext& c, int output, const std::vector<int64_t>& values) {
  RHEO_ASSIGN_OR_RETURN(Tensor * out,
                        c.AllocateOutput(output, Shape{static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, out->mutable_flat<Index>().begin());
  return OkStatus();
}
Status SetIndices(KernelContext& c, int output, const std::vector<int64_t>& values) {
  return c.output_type(output) == DType::kInt32 ? SetIntegers<int32_t>(c, output, values)
                                                : SetIntegers<int64_t>(c, output, values);
}

// Outputs y (the distinct slices along `axis`), idx, and the counts where there is a third output.
template <typename T>
Status SetUniqueOutputs(KernelContext& c, const Numbering& numbering, int axis) {
  const Tensor& in = c.input(0);
  const Slabs s = SlabsOf(in.shape(), axis);
  Shape shape = in.shape();
  const auto distinct = static_cast<int64_t>(numbering.first.size());
  shape.set_dim(axis, distinct);
  RHEO_ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, std::move(shape)));
  const T* const from = in.flat<T>().data();
  T* to = y->mutable_flat<T>().data();
  for (int64_t o = 0; o < s.outer; ++o) {
    for (const int64_t slice : numbering.first) {
      to = std::copy_n(from + (o * s.size + slice) * s.inner, s.inner, to);
    }
  }
  RHEO_RETURN_IF_ERROR(SetIndices(c, 1, numbering.numbers));
  if (c.num_outputs() < 3) return OkStatus();
  std::vector<int64_t> counts(numbering.first.size(), 0);
  for (const int64_t number : numbering.numbers) ++counts[static_cast<size_t>(number)];
  return SetIndices(c, 2, counts);
}

template <typename T>
Status UniqueOfVector(KernelContext& c) {
  if (c.input(0).rank() != 1) {
    return InvalidArgument("unique expects a 1D vector, but got shape {}",
                           c.input(0).shape().ToString());
  }
  return SetUniqueOutputs<T>(c, NumberElements(c.input(0).flat<T>()), 0);
}

// Input 1 holds the axis, or nothing for a vector.
template <typename T>
Status UniqueV2(KernelContext& c) {
  const Tensor& in = c.input(0);
  RHEO_ASSIGN_OR_RETURN(const Dims axes, ReadIntVector(c.input(1), "axis"));
  if (axes.empty()) return UniqueOfVector<T>(c);
  if (axes.size() > 1) return InvalidArgument("axis does not support input tensors larger than 1");
  RHEO_ASSIGN_OR_RETURN(const int axis, ResolveAxis(axes[0], in.rank()));
  const Slabs slabs = SlabsOf(in.shape(), axis);
  const Numbering numbering = slabs.outer * slabs.inner == 1 ? NumberElements(in.flat<T>())
                                                             : NumberSlices(in.flat<T>(), slabs);
  return SetUniqueOutputs<T>(c, numbering, axis);
}

// The elements of input 0 that are not in input 1, and where they are.
template <typename T>
Status ListDiff(KernelContext& c) {
  for (int i = 0; i < 2; ++i) {
    if (c.input(i).rank() != 1) {
      return InvalidArgument("{} should be a 1D vector, but has shape {}", i == 0 ? "x" : "y",
                             c.input(i).shape().ToString());
    }
  }
  absl::flat_hash_set<Key<T>> excluded;
  for (const T& value : c.input(1).flat<T>()) {
    if (!IsUnequalToAll(value)) excluded.insert(KeyOf(value));
  }
  const std::span<const T> x = c.input(0).flat<T>();
  std::vector<int64_t> kept;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!excluded.contains(KeyOf(x[i]))) kept.push_back(static_cast<int64_t>(i));
  }
  RHEO_ASSIGN_OR_RETURN(Tensor * out,
                        c.AllocateOutput(0, Shape{static_cast<int64_t>(kept.size())}));
  T* to = out->mutable_flat<T>().data();
  for (const int64_t i : kept) *to++ = x[static_cast<size_t>(i)];
  return SetIndices(c, 1, kept);
}

// The positions of the elements that are not zero, in row-major order.
template <typename T>
Status Where(KernelContext& c) {
  const Tensor& in = c.input(0);
  if (in.rank() == 0) return InvalidArgument("a scalar has no positions");
  const std::span<const T> values = in.flat<T>();
  const auto is_true = [](const T& v) { return !(v == T(0)); };
  const int64_t count = std::ranges::count_if(values, is_true);
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{count, in.rank()}));
  const Dims strides = DenseStrides(in.shape().dims());
  int64_t* to = out->mutable_flat<int64_t>().data();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_true(values[i])) continue;
    int64_t rest = static_cast<int64_t>(i);
    for (const int64_t stride : strides) {
      *to++ = rest / stride;
      rest %= stride;
    }
  }
  return OkStatus();
}

}  // namespace

void AddUniqueKernels(TableKernels& kernels) {
  using WhereTypes =
      TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
               uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool>;
  const auto of_vector =
      ByType<UniqueTypes>("T", []<typename T>() { return FunctionKernel(&UniqueOfVector<T>); });
  const auto along_axis =
      ByType<UniqueTypes>("T", []<typename T>() { return FunctionKernel(&UniqueV2<T>); });
  kernels.Add("Unique", of_vector);
  kernels.Add("UniqueWithCounts", of_vector);
  kernels.Add("UniqueV2", along_axis);
  kernels.Add("UniqueWithCountsV2", along_axis);
  kernels.Add("ListDiff",
              ByType<UniqueTypes>("T", []<typename T>() { return FunctionKernel(&ListDiff<T>); }));
  kernels.Add("Where",
              ByType<WhereTypes>("T", []<typename T>() { return FunctionKernel(&Where<T>); }));
}

}  // namespace rheo::ops
