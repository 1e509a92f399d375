// Quotients and remainders. Integers refuse a divisor of zero with INVALID_ARGUMENT.
#include <algorithm>
#include <cmath>

#include "rheo/ops/common/arithmetic.h"
#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/math/kernels.h"

namespace rheo::ops {
namespace {

using IntegerOrFullFloat = TypeList<float, double, int32_t, int64_t>;

struct TruncateDivOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return TruncatedQuotient(x, y);
    } else {
      return std::trunc(x / y);
    }
  }
};

struct DivOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return TruncatedQuotient(x, y);
    } else {
      return x / y;
    }
  }
};

struct FloorDivOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(x / y);
    } else {
      const T quotient = TruncatedQuotient(x, y);
      if constexpr (std::is_signed_v<T>) {
        if (TruncatedRemainder(x, y) != 0 && ((x < 0) != (y < 0))) return quotient - 1;
      }
      return quotient;
    }
  }
};

// As FloorDivOf for 16-bit floats, whose quotient is rounded before it is floored.
template <typename T>
struct RoundedFloorDivOf {
  float operator()(float x, float y) const { return std::floor(static_cast<float>(T(x / y))); }
};

struct TruncateModOf {
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(x, y);
    } else {
      return TruncatedRemainder(x, y);
    }
  }
};

struct FloorModOf {
  template <typename T>
  T operator()(T x, T y) const {
    const T rest = TruncateModOf{}(x, y);
    if constexpr (std::is_signed_v<T> || std::is_floating_point_v<T>) {
      if (rest != T(0) && ((rest < T(0)) != (y < T(0)))) return rest + y;
    }
    return rest;
  }
};

struct DivNoNanOf {
  template <typename T>
  T operator()(T x, T y) const {
    return y == T(0) ? T(0) : x / y;
  }
};

template <typename T>
bool HasZero(const Tensor& t) {
  const std::span<const T> values = t.flat<T>();
  return std::find(values.begin(), values.end(), T(0)) != values.end();
}

// Every divisor is used unless the output is empty.
template <typename F, typename T>
Status IntegerDivision(KernelContext& context) {
  if (context.input(0).num_elements() > 0 && HasZero<T>(context.input(1))) {
    return InvalidArgument("Integer division by zero");
  }
  return BinaryKernel<F, T, T, 2000>(context);
}

template <typename List, typename F>
void AddDivision(kernel::KernelRegistry& registry, std::string_view op, F) {
  ForEachType<List>([&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      AddKernel<T>(registry, op, &IntegerDivision<F, T>);
    } else {
      AddKernel<T>(registry, op, &BinaryKernel<F, T, T>);
    }
  });
}

}  // namespace

void RegisterDivisionKernels(kernel::KernelRegistry& registry) {
  AddDivision<NumberTypes>(registry, "Div", DivOf());
  AddDivision<FloatComplexTypes>(registry, "RealDiv", DivOf());
  AddDivision<RealTypes>(registry, "TruncateDiv", TruncateDivOf());
  AddDivision<TypeList<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                       uint32_t, uint64_t>>(registry, "FloorDiv", FloorDivOf());
  AddBinary<TypeList<Half>>(registry, "FloorDiv", RoundedFloorDivOf<Half>());
  AddBinary<TypeList<Bfloat16>>(registry, "FloorDiv", RoundedFloorDivOf<Bfloat16>());
  AddDivision<RealTypes>(registry, "FloorMod", FloorModOf());
  AddDivision<IntegerOrFullFloat>(registry, "Mod", TruncateModOf());
  AddDivision<IntegerOrFullFloat>(registry, "TruncateMod", TruncateModOf());
  AddBinary<FloatComplexTypes>(registry, "DivNoNan", DivNoNanOf());
}

}  // namespace rheo::ops
