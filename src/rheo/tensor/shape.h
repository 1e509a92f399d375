// Shape: the dimensions of a tensor. PartialShape: what is known of them before a step runs.
#ifndef RHEO_TENSOR_SHAPE_H_
#define RHEO_TENSOR_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "absl/container/inlined_vector.h"
#include "rheo/base/status.h"

namespace rheo {

using Dims = absl::InlinedVector<int64_t, 4>;

inline constexpr int64_t kUnknownDim = -1;
inline constexpr int kMaxRank = 254;

// Fully known dimensions, each >= 0, whose product fits int64. A scalar has rank 0.
class Shape {
 public:
  Shape() = default;
  // Preconditions as for Create; for literals in our own code.
  Shape(std::initializer_list<int64_t> dims)
      : dims_(dims) {}  // NOLINT(google-explicit-constructor)
  explicit Shape(std::span<const int64_t> dims) : dims_(dims.begin(), dims.end()) {}

  // INVALID_ARGUMENT for a negative dim, more than kMaxRank dims or a product beyond int64.
  static StatusOr<Shape> Create(std::span<const int64_t> dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }
  int64_t num_elements() const {
    // Unsigned: with a dim of 0 behind large ones the product overflows on its way to 0.
    uint64_t n = 1;
    for (const int64_t d : dims_) n *= static_cast<uint64_t>(d);
    return static_cast<int64_t>(n);
  }
  void set_dim(int i, int64_t size) { dims_[static_cast<size_t>(i)] = size; }
  void AddDim(int64_t size) { dims_.push_back(size); }
  void InsertDim(int i, int64_t size) { dims_.insert(dims_.begin() + i, size); }
  void RemoveDim(int i) { dims_.erase(dims_.begin() + i); }

  // "[2,3]"; "[]" for a scalar.
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.dims_ == b.dims_; }

 private:
  Dims dims_;
};

// A shape of unknown rank, or with some dims kUnknownDim.
class PartialShape {
 public:
  // Unknown rank.
  PartialShape() = default;
  PartialShape(std::initializer_list<int64_t> dims)  // NOLINT(google-explicit-constructor)
      : known_rank_(true), dims_(dims) {}
  explicit PartialShape(std::span<const int64_t> dims)
      : known_rank_(true), dims_(dims.begin(), dims.end()) {}
  PartialShape(const Shape& shape)  // NOLINT(google-explicit-constructor)
      : PartialShape(shape.dims()) {}
  static PartialShape OfRank(int rank) {
    PartialShape s;
    s.known_rank_ = true;
    s.dims_.assign(static_cast<size_t>(rank), kUnknownDim);
    return s;
  }

  bool has_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), dims_.size()}; }
  void set_dim(int i, int64_t size) { dims_[static_cast<size_t>(i)] = size; }
  void AddDim(int64_t size) { dims_.push_back(size); }
  bool IsFullyDefined() const;
  // The same dims as a Shape; precondition IsFullyDefined().
  Shape ToShape() const { return Shape(dims()); }
  // True when some Shape fits both.
  bool IsCompatibleWith(const PartialShape& other) const;
  // What is known from either; INVALID_ARGUMENT when they contradict.
  StatusOr<PartialShape> Merge(const PartialShape& other) const;

  // "[2,?]"; "<unknown>" without a rank.
  std::string ToString() const;

  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  bool known_rank_ = false;
  Dims dims_;
};

// Product of `dims`; nullopt-like -1 when it does not fit int64. Dims must be >= 0.
int64_t CheckedProduct(std::span<const int64_t> dims);

}  // namespace rheo

#endif  // RHEO_TENSOR_SHAPE_H_
