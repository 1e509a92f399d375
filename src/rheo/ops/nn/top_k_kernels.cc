// TopK and TopKV2: the k largest of each row, largest first; of equal ones the earlier first.
#include <algorithm>
#include <numeric>
#include <vector>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/nn/kernels.h"

namespace rheo::ops {
namespace {

StatusOr<int64_t> ReadK(const Tensor& k) {
  if (k.rank() != 0) return InvalidArgument("k must be scalar, got shape {}", k.shape().ToString());
  const int64_t value = k.dtype() == DType::kInt16   ? k.scalar<int16_t>()
                        : k.dtype() == DType::kInt32 ? k.scalar<int32_t>()
                                                     : k.scalar<int64_t>();
  return value;
}

// A type that holds all values of T and sorts like it; few types, so that few sorts are compiled.
template <typename T>
struct KeyType {
  using type = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>;
};
template <typename T>
requires std::is_floating_point_v<Wide<T>>
struct KeyType<T> {
  using type = double;
};

// Moves the places of the k largest keys to the front of `order`.
template <typename Key>
void SortTop(const std::vector<Key>& keys, int64_t k, std::vector<int64_t>& order) {
  order.resize(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
    const Key u = keys[static_cast<size_t>(a)];
    const Key v = keys[static_cast<size_t>(b)];
    return u > v || (u == v && a < b);
  });
}
template <typename T>
struct RowSorter {
  std::vector<typename KeyType<T>::type> keys;
  std::vector<int64_t> order;

  void Sort(const T* x, int64_t n, int64_t k) {
    keys.assign(x, x + n);
    SortTop(keys, k, order);
  }
};

template <typename Index>
void CopyIndices(const std::vector<int64_t>& order, int64_t k, int64_t at, Tensor& indices) {
  Index* z = indices.mutable_flat<Index>().data() + at;
  for (int64_t i = 0; i < k; ++i) z[i] = static_cast<Index>(order[static_cast<size_t>(i)]);
}

void SetIndices(const std::vector<int64_t>& order, int64_t k, int64_t at, Tensor& indices) {
  switch (indices.dtype()) {
    case DType::kInt16:
      return CopyIndices<int16_t>(order, k, at, indices);
    case DType::kInt32:
      return CopyIndices<int32_t>(order, k, at, indices);
    default:
      return CopyIndices<int64_t>(order, k, at, indices);
  }
}

template <typename T>
void TopRows(KernelContext& context, int64_t n, int64_t k, Tensor& values, Tensor& indices) {
  const T* x = context.input(0).flat<T>().data();
  T* v = values.mutable_flat<T>().data();
  const int64_t rows = context.input(0).num_elements() / n;
  context.ParallelFor(rows, 20 + 8 * n, [&](int64_t begin, int64_t end) {
    RowSorter<T> sorter;
    for (int64_t r = begin; r < end; ++r) {
      sorter.Sort(x + r * n, n, k);
      for (int64_t i = 0; i < k; ++i) {
        v[r * k + i] = x[r * n + sorter.order[static_cast<size_t>(i)]];
      }
      SetIndices(sorter.order, k, r * k, indices);
    }
  });
}

using RowsFn = void (*)(KernelContext&, int64_t, int64_t, Tensor&, Tensor&);

class TopKKernel final : public kernel::Kernel {
 public:
  // `k` < 0: it is input 1.
  TopKKernel(RowsFn rows, int64_t k) : rows_(rows), k_(k) {}

  Status Compute(KernelContext& context) override {
    int64_t k = k_;
    if (context.num_inputs() > 1) {
      RHEO_ASSIGN_OR_RETURN(k, ReadK(context.input(1)));
    }
    const Tensor& input = context.input(0);
    if (k < 0) return InvalidArgument("Need k >= 0, got {}", k);
    if (input.rank() < 1) {
      return InvalidArgument("input must be >= 1-D, got shape {}", input.shape().ToString());
    }
    const int64_t n = input.dim(input.rank() - 1);
    if (n < k) {
      return InvalidArgument("input must have at least k columns. Had {}, needed {}", n, k);
    }
    Shape shape = input.shape();
    shape.set_dim(shape.rank() - 1, k);
    RHEO_ASSIGN_OR_RETURN(Tensor * values, context.AllocateOutput(0, shape));
    RHEO_ASSIGN_OR_RETURN(Tensor * indices, context.AllocateOutput(1, shape));
    if (values->num_elements() > 0) rows_(context, n, k, *values, *indices);
    return OkStatus();
  }

 private:
  const RowsFn rows_;
  const int64_t k_;
};

kernel::KernelFactory TopKFactory(RowsFn rows) {
  return [rows](const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
    return std::make_unique<TopKKernel>(rows, init.attrs.GetOr<int64_t>("k", -1));
  };
}

}  // namespace

void RegisterTopKKernels(kernel::KernelRegistry& registry) {
  ForEachType<RealTypes>([&]<typename T>() {
    registry.Add({.op = "TopKV2",
                  .types = {{"T", {kDTypeOf<T>}},
                            {"index_type", {DType::kInt16, DType::kInt32, DType::kInt64}}},
                  .host_memory_args = {"k"},
                  .factory = TopKFactory(&TopRows<T>)});
    registry.Add(
        {.op = "TopK", .types = {{"T", {kDTypeOf<T>}}}, .factory = TopKFactory(&TopRows<T>)});
  });
}

}  // namespace rheo::ops
