// SegmentSum and UnsortedSegmentSum, and the same with mean, product, minimum and maximum: rows of
// a tensor combined by number.
#include <limits>
#include <type_traits>

#include "rheo/ops/array/kernels.h"
#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/gather.h"
#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

enum class Combine { kSum, kMean, kProd, kMin, kMax };

// Where a combination starts.
template <Combine kCombine, typename T>
T Identity() {
  if constexpr (kCombine == Combine::kProd) {
    return T(1);
  } else if constexpr (kCombine == Combine::kSum || kCombine == Combine::kMean) {
    return T(0);
  } else if constexpr (std::is_same_v<T, Half>) {
    return Half::FromBits(kCombine == Combine::kMin ? 0x7bff : 0xfbff);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return Bfloat16::FromBits(kCombine == Combine::kMin ? 0x7f7f : 0xff7f);
  } else {
    return kCombine == Combine::kMin ? std::numeric_limits<T>::max()
                                     : std::numeric_limits<T>::lowest();
  }
}

template <Combine kCombine, typename T>
void Accumulate(T& into, const T& value) {
  if constexpr (kCombine == Combine::kMin) {
    if (value < into) into = value;
  } else if constexpr (kCombine == Combine::kMax) {
    if (into < value) into = value;
  } else {
    into = kCombine == Combine::kProd ? WrapMul(into, value) : WrapAdd(into, value);
  }
}

// Sets output 0 to `num_segments` combined rows of input 0: row i belongs to segment ids[i], -1 to
// none. `empty` fills segments without rows.
template <Combine kCombine, typename T>
Status CombineRows(KernelContext& c, const Dims& ids, int64_t num_segments, int id_rank, T empty) {
  const Tensor& data = c.input(0);
  Shape shape{num_segments};
  for (int i = id_rank; i < data.rank(); ++i) shape.AddDim(data.dim(i));
  RHEO_ASSIGN_OR_RETURN(shape, Shape::Create(shape.dims()));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(shape)));
  const std::span<T> sums = out->mutable_flat<T>();
  if (sums.empty()) return OkStatus();  // however many segments there are
  const int64_t width = ids.empty() ? 0 : data.num_elements() / static_cast<int64_t>(ids.size());
  std::vector<int64_t> counts(static_cast<size_t>(num_segments), 0);
  std::fill(sums.begin(), sums.end(), empty);
  const T* from = data.flat<T>().data();
  for (const int64_t id : ids) {
    const T* const row = from;
    from += width;
    if (id < 0) continue;
    T* const to = sums.data() + id * width;
    if (counts[static_cast<size_t>(id)]++ == 0) std::fill_n(to, width, Identity<kCombine, T>());
    for (int64_t j = 0; j < width; ++j) Accumulate<kCombine>(to[j], row[j]);
  }
  if constexpr (kCombine == Combine::kMean) {
    for (int64_t s = 0; s < num_segments; ++s) {
      const int64_t count = counts[static_cast<size_t>(s)];
      if (count < 2) continue;
      for (int64_t j = 0; j < width; ++j) {
        T& sum = sums[static_cast<size_t>(s * width + j)];
        sum = DividedBy(sum, count);
      }
    }
  }
  return OkStatus();
}

// Ids ascend and give the number of segments; segments without rows are zero (one for products).
template <Combine kCombine, typename T>
Status SortedSegments(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& segment_ids = c.input(1);
  if (segment_ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
  if (data.rank() < 1 || data.dim(0) != segment_ids.dim(0)) {
    return InvalidArgument("segment_ids should be the same size as dimension 0 of input.");
  }
  RHEO_ASSIGN_OR_RETURN(const Dims ids, ReadIntegers(segment_ids, "segment_ids"));
  int64_t last = 0;
  for (const int64_t id : ids) {
    if (id < 0) return InvalidArgument("segment ids must be >= 0");
    if (id < last) return InvalidArgument("segment ids are not increasing");
    last = id;
  }
  if (last == std::numeric_limits<int64_t>::max()) {
    return InvalidArgument("segment id {} is too large", last);
  }
  const int64_t num_segments = ids.empty() ? 0 : last + 1;
  return CombineRows<kCombine, T>(c, ids, num_segments, 1, T(kCombine == Combine::kProd ? 1 : 0));
}

template <Combine kCombine, typename T>
Status UnsortedSegments(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& segment_ids = c.input(1);
  RHEO_ASSIGN_OR_RETURN(const int64_t num_segments, ReadIntScalar(c.input(2), "num_segments"));
  if (num_segments < 0) {
    return InvalidArgument("num_segments must not be negative, but is {}", num_segments);
  }
  const std::span<const int64_t> id_dims = segment_ids.shape().dims();
  if (data.rank() < segment_ids.rank() ||
      !std::equal(id_dims.begin(), id_dims.end(), data.shape().dims().begin())) {
    return InvalidArgument("data.shape = {} does not start with segment_ids.shape = {}",
                           data.shape().ToString(), segment_ids.shape().ToString());
  }
  RHEO_ASSIGN_OR_RETURN(const Dims ids, ReadIntegers(segment_ids, "segment_ids"));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= num_segments) {
      return InvalidArgument("segment_ids{} = {} is out of range [0, {})",
                             PositionText(segment_ids.shape(), static_cast<int64_t>(i)), ids[i],
                             num_segments);
    }
  }
  return CombineRows<kCombine, T>(c, ids, num_segments, segment_ids.rank(),
                                  Identity<kCombine, T>());
}

template <Combine kCombine>
kernel::KernelFactory Sorted() {
  using Types = std::conditional_t<kCombine == Combine::kMin || kCombine == Combine::kMax,
                                   RealTypes, NumberTypes>;
  return ByType<Types>("T",
                       []<typename T>() { return FunctionKernel(&SortedSegments<kCombine, T>); });
}

template <Combine kCombine>
kernel::KernelFactory Unsorted() {
  using Types = std::conditional_t<kCombine == Combine::kMin || kCombine == Combine::kMax,
                                   RealTypes, NumberTypes>;
  return ByType<Types>("T",
                       []<typename T>() { return FunctionKernel(&UnsortedSegments<kCombine, T>); });
}

}  // namespace

void AddSegmentKernels(TableKernels& kernels) {
  kernels.Add("SegmentSum", Sorted<Combine::kSum>());
  kernels.Add("SegmentMean", Sorted<Combine::kMean>());
  kernels.Add("SegmentProd", Sorted<Combine::kProd>());
  kernels.Add("SegmentMin", Sorted<Combine::kMin>());
  kernels.Add("SegmentMax", Sorted<Combine::kMax>());
  kernels.Add("UnsortedSegmentSum", Unsorted<Combine::kSum>());
  kernels.Add("UnsortedSegmentProd", Unsorted<Combine::kProd>());
  kernels.Add("UnsortedSegmentMin", Unsorted<Combine::kMin>());
  kernels.Add("UnsortedSegmentMax", Unsorted<Combine::kMax>());
}

}  // namespace rheo::ops
