#include "rheo/tensor/shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace rheo {
namespace {

std::string JoinDims(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += dims[i] == kUnknownDim ? std::string("?") : fmt::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace

int64_t CheckedProduct(std::span<const int64_t> dims) {
  int64_t product = 1;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  for (const int64_t d : dims) {
    if (__builtin_mul_overflow(product, d, &product)) return -1;
  }
  return product;
}

StatusOr<Shape> Shape::Create(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return InvalidArgument("a shape has {} dimensions; the limit is {}", dims.size(), kMaxRank);
  }
  for (const int64_t d : dims) {
    if (d < 0) return InvalidArgument("shape {} has the negative dimension {}", JoinDims(dims), d);
  }
  if (CheckedProduct(dims) < 0) {
    return InvalidArgument("shape {} has more than 2^63-1 elements", JoinDims(dims));
  }
  return Shape(dims);
}

std::string Shape::ToString() const { return JoinDims(dims()); }

bool PartialShape::IsFullyDefined() const {
  return known_rank_ && std::find(dims_.begin(), dims_.end(), kUnknownDim) == dims_.end();
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  if (rank() != other.rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (dim(i) != kUnknownDim && other.dim(i) != kUnknownDim && dim(i) != other.dim(i)) {
      return false;
    }
  }
  return true;
}

StatusOr<PartialShape> PartialShape::Merge(const PartialShape& other) const {
  if (!IsCompatibleWith(other)) {
    return InvalidArgument("shapes {} and {} are not compatible", ToString(), other.ToString());
  }
  if (!known_rank_) return other;
  PartialShape merged = *this;
  if (!other.known_rank_) return merged;
  for (int i = 0; i < rank(); ++i) {
    if (dim(i) == kUnknownDim) merged.set_dim(i, other.dim(i));
  }
  return merged;
}

std::string PartialShape::ToString() const {
  return known_rank_ ? JoinDims(dims()) : std::string("<unknown>");
}

}  // namespace rheo
