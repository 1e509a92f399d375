// Sums of gradients: whole tensors, and rows by index.
#include <algorithm>
#include <utility>

#include "rheo/ops/common/rows.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/common/type_lists.h"
#include "rheo/ops/data_flow/accumulator.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;

using SumTypes = TypeList<float, double, Half>;

template <typename F, typename... Ts>
void ForSumType(TypeList<Ts...>, DType dtype, F&& f) {
  ((dtype == kDTypeOf<Ts> ? f.template operator()<Ts>() : void()), ...);
}

template <typename T>
T Divided(T value, int64_t by) {
  if constexpr (std::is_same_v<T, double>) {
    return value / static_cast<double>(by);
  } else {
    return static_cast<T>(static_cast<float>(value) / static_cast<float>(by));
  }
}

class DenseSum final : public GradientSum {
 public:
  Status Add(const KernelContext& context, const std::vector<Tensor>& gradient) override {
    const Tensor& g = gradient[0];
    if (!sum_.has_value()) {
      sum_ = g;
      return OkStatus();
    }
    if (!(g.shape() == sum_.shape())) {
      return InvalidArgument("Shape mismatch: expected {}, got {}", sum_.shape().ToString(),
                             g.shape().ToString());
    }
    RHEO_ASSIGN_OR_RETURN(sum_, AddTensors(context, sum_, g));
    return OkStatus();
  }

  StatusOr<std::vector<Tensor>> Result(const KernelContext& context, const AccumulatorSpec& spec,
                                       int64_t count) override {
    if (spec.reduction == Reduction::kSum || count == 1) return std::vector<Tensor>{sum_};
    RHEO_ASSIGN_OR_RETURN(Tensor mean, context.AllocateTemp(sum_.dtype(), sum_.shape()));
    ForSumType(SumTypes{}, sum_.dtype(), [&]<typename T>() {
      std::ranges::transform(std::as_const(sum_).flat<T>(), mean.mutable_flat<T>().begin(),
                             [&](T x) { return Divided(x, count); });
    });
    return std::vector<Tensor>{std::move(mean)};
  }

 private:
  Tensor sum_;
};

// Rows in order of index, if every gradient brings them so.
class SparseSum final : public GradientSum {
 public:
  Status Add(const KernelContext& context, const std::vector<Tensor>& gradient) override {
    const auto indices = gradient[0].flat<int64_t>();
    const Tensor& values = gradient[1];
    if (!values_.has_value()) {
      indices_.assign(indices.begin(), indices.end());
      counts_.assign(indices.size(), 1);
      values_ = values;
      return OkStatus();
    }
    if (values.rank() != values_.rank()) {
      return InvalidArgument("Shape mismatch: expected values rank {}, got {}", values_.rank(),
                             values.rank());
    }
    for (int i = 1; i < values.rank(); ++i) {
      if (values.dim(i) == values_.dim(i)) continue;
      return InvalidArgument("Shape mismatch: expected values dim {} to be {}, got {}", i,
                             values_.dim(i), values.dim(i));
    }
    return Merge(context, indices, values);
  }

  StatusOr<std::vector<Tensor>> Result(const KernelContext& context, const AccumulatorSpec& spec,
                                       int64_t) override {
    Tensor values = values_;
    if (spec.reduction == Reduction::kMean) {
      RHEO_ASSIGN_OR_RETURN(values, context.AllocateTemp(values_.dtype(), values_.shape()));
      ForSumType(SumTypes{}, values_.dtype(), [&]<typename T>() {
        const auto from = std::as_const(values_).flat<T>();
        const auto to = values.mutable_flat<T>();
        const size_t width = counts_.empty() ? 0 : to.size() / counts_.size();
        for (size_t i = 0; i < to.size(); ++i) to[i] = Divided(from[i], counts_[i / width]);
      });
    }
    std::vector<int64_t> shape(spec.shape.dims().begin(), spec.shape.dims().end());
    if (shape.empty()) {
      shape.push_back(-1);
      for (int i = 1; i < values.rank(); ++i) shape.push_back(values.dim(i));
    }
    return std::vector<Tensor>{Tensor::Vector<int64_t>(indices_), std::move(values),
                               Tensor::Vector<int64_t>(shape)};
  }

 private:
  // A row of the new sum: of the old one, of the gradient, or of both (-1: not of that).
  struct Row {
    int64_t old_row = -1;
    int64_t new_row = -1;
  };

  std::vector<Row> Match(std::span<const int64_t> indices) const {
    std::vector<Row> rows;
    size_t i = 0;
    size_t j = 0;
    while (i < indices_.size() || j < indices.size()) {
      const bool take_old =
          j == indices.size() || (i < indices_.size() && indices_[i] <= indices[j]);
      const bool take_new =
          i == indices_.size() || (j < indices.size() && indices[j] <= indices_[i]);
      Row row;
      if (take_old) row.old_row = static_cast<int64_t>(i++);
      if (take_new) row.new_row = static_cast<int64_t>(j++);
      rows.push_back(row);
    }
    return rows;
  }

  Status Merge(const KernelContext& context, std::span<const int64_t> indices,
               const Tensor& values) {
    const std::vector<Row> rows = Match(indices);
    const Shape row_shape = WithoutFirst(values_.shape());
    const int64_t width = row_shape.num_elements();
    RHEO_ASSIGN_OR_RETURN(
        Tensor merged,
        context.AllocateTemp(values_.dtype(),
                             WithFirst(static_cast<int64_t>(rows.size()), row_shape)));
    std::vector<int64_t> merged_indices;
    std::vector<int64_t> merged_counts;
    for (size_t r = 0; r < rows.size(); ++r) {
      const Row& row = rows[r];
      const int64_t at = static_cast<int64_t>(r) * width;
      merged_indices.push_back(row.old_row >= 0 ? indices_[static_cast<size_t>(row.old_row)]
                                                : indices[static_cast<size_t>(row.new_row)]);
      merged_counts.push_back((row.old_row >= 0 ? counts_[static_cast<size_t>(row.old_row)] : 0) +
                              (row.new_row >= 0 ? 1 : 0));
      if (row.old_row >= 0) {
        CopyElements(values_, row.old_row * width, merged, at, width);
      } else {
        CopyElements(values, row.new_row * width, merged, at, width);
      }
      if (row.old_row < 0 || row.new_row < 0) continue;
      ForSumType(SumTypes{}, values.dtype(), [&]<typename T>() {
        const T* from = values.flat<T>().data() + row.new_row * width;
        T* to = merged.mutable_flat<T>().data() + at;
        for (int64_t i = 0; i < width; ++i) to[i] = static_cast<T>(to[i] + from[i]);
      });
    }
    indices_ = std::move(merged_indices);
    counts_ = std::move(merged_counts);
    values_ = std::move(merged);
    return OkStatus();
  }

  std::vector<int64_t> indices_;
  std::vector<int64_t> counts_;  // of gradients that had the row
  Tensor values_;
};

}  // namespace

std::unique_ptr<GradientSum> MakeDenseSum() { return std::make_unique<DenseSum>(); }
std::unique_ptr<GradientSum> MakeSparseSum() { return std::make_unique<SparseSum>(); }

Status CheckSparseGradient(const AccumulatorSpec& spec, const std::vector<Tensor>& gradient,
                           bool has_known_shape) {
  const Tensor& indices = gradient[0];
  const Tensor& values = gradient[1];
  const auto shape = gradient[2].flat<int64_t>();
  if (indices.rank() != 1) {
    return InvalidArgument("Input indices should be vector but received shape: {}",
                           indices.shape().ToString());
  }
  if (values.rank() < 1) {
    return InvalidArgument("Values cannot be 0-dimensional.");
  }
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "Number of values must match first dimension of indices. Got {} values, indices shape: {}",
        values.dim(0), indices.shape().ToString());
  }
  const PartialShape& declared = spec.shape;
  if (declared.rank() <= 0) return OkStatus();
  if (has_known_shape && static_cast<int64_t>(shape.size()) < declared.rank()) {
    return InvalidArgument("Shape mismatch: expected shape rank at least {}, got {}",
                           declared.rank(), shape.size());
  }
  if (values.rank() < declared.rank()) {
    return InvalidArgument("Shape mismatch: expected values rank at least {}, got {}",
                           declared.rank(), values.rank());
  }
  for (int i = 0; i < declared.rank(); ++i) {
    const int64_t dim = declared.dim(i);
    if (dim == kUnknownDim) continue;
    if (has_known_shape && shape[static_cast<size_t>(i)] != dim) {
      return InvalidArgument("Shape mismatch: expected shape dim {} to be {}, got {}", i, dim,
                             shape[static_cast<size_t>(i)]);
    }
    if (i > 0 && values.dim(i) != dim) {
      return InvalidArgument("Shape mismatch: expected values dim {} to be {}, got {}", i, dim,
                             values.dim(i));
    }
  }
  const auto positions = indices.flat<int64_t>();
  for (size_t i = 0; declared.dim(0) != kUnknownDim && i < positions.size(); ++i) {
    if (positions[i] >= declared.dim(0)) {
      return InvalidArgument(
          "Shape mismatch: index of slice {} exceeded limits of shape; index is {} exceeded {}", i,
          positions[i], declared.dim(0));
    }
  }
  return OkStatus();
}

}  // namespace rheo::ops
