#include "rheo/collective/merge.h"

#include <type_traits>

#include "rheo/tensor/float_types.h"

namespace rheo::collective {
namespace {

using kernel::MergeOp;

// Calls `body` with a value of the dtype's type. False when it is not mergeable.
template <typename Body>
bool ForType(DType dtype, Body body) {
  switch (dtype) {
    case DType::kFloat:
      return body(float()), true;
    case DType::kDouble:
      return body(double()), true;
    case DType::kHalf:
      return body(Half()), true;
    case DType::kBfloat16:
      return body(Bfloat16()), true;
    case DType::kInt32:
      return body(int32_t()), true;
    case DType::kInt64:
      return body(int64_t()), true;
    default:
      return false;
  }
}

// The type that arithmetic on T is done in: unsigned for integers, which then may wrap.
template <typename T>
auto WideOf(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return static_cast<float>(value);
  }
}

struct AddOf {
  template <typename T>
  T operator()(T x, T y) const {
    return static_cast<T>(WideOf(x) + WideOf(y));
  }
};
struct MulOf {
  template <typename T>
  T operator()(T x, T y) const {
    return static_cast<T>(WideOf(x) * WideOf(y));
  }
};
template <typename T>
bool IsNan(T x) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    const auto wide = WideOf(x);
    return wide != wide;
  }
}
struct MaxOf {
  template <typename T>
  T operator()(T x, T y) const {
    return IsNan(x) || x >= y ? x : y;
  }
};
struct MinOf {
  template <typename T>
  T operator()(T x, T y) const {
    return IsNan(x) || x <= y ? x : y;
  }
};

template <typename T, typename Op>
void Loop(Op op, int64_t count, const void* own, void* into) {
  const T* const x = static_cast<const T*>(own);
  T* const y = static_cast<T*>(into);
  for (int64_t i = 0; i < count; ++i) y[i] = op(x[i], y[i]);
}

}  // namespace

Status CheckMergeable(DType dtype) {
  if (ForType(dtype, [](auto) {})) return OkStatus();
  return Unimplemented("values of dtype {} cannot be reduced", DTypeName(dtype));
}

void Merge(MergeOp op, DType dtype, int64_t count, const void* own, void* into) {
  ForType(dtype, [&]<typename T>(T) {
    switch (op) {
      case MergeOp::kAdd:
        return Loop<T>(AddOf(), count, own, into);
      case MergeOp::kMul:
        return Loop<T>(MulOf(), count, own, into);
      case MergeOp::kMax:
        return Loop<T>(MaxOf(), count, own, into);
      case MergeOp::kMin:
        return Loop<T>(MinOf(), count, own, into);
    }
  });
}

void Divide(DType dtype, int64_t count, int divisor, void* values) {
  ForType(dtype, [&]<typename T>(T) {
    T* const x = static_cast<T*>(values);
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_integral_v<T>) {
        x[i] = static_cast<T>(x[i] / static_cast<T>(divisor));
      } else {
        x[i] = static_cast<T>(
            static_cast<decltype(WideOf(T()))>(x[i]) /
            static_cast<decltype(WideOf(T()))>(static_cast<T>(static_cast<float>(divisor))));
      }
    }
  });
}

}  // namespace rheo::collective
