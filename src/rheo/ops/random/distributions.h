// How the words of Philox blocks become numbers, and the loop that fills a tensor with them.
//
// A distribution gives kGroup numbers of type T from the blocks that begin at a given one; the next
// group begins kStride blocks later. So every number has its place in the sequence, whichever
// thread computes it.
#ifndef RHEO_OPS_RANDOM_DISTRIBUTIONS_H_
#define RHEO_OPS_RANDOM_DISTRIBUTIONS_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <span>
#include <type_traits>

#include "rheo/kernel/kernel_context.h"
#include "rheo/ops/random/philox.h"

namespace rheo::ops {

inline uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// In [0, 1): the word's low bits as the fraction of a number in [1, 2), minus 1.
inline float UnitFloat(uint32_t w) {
  return std::bit_cast<float>(0x3f800000 | (w & 0x7fffff)) - 1.0F;
}
inline double UnitDouble(uint32_t a, uint32_t b) {
  return std::bit_cast<double>(0x3ff0000000000000 | uint64_t{a & 0xfffff} << 32 | b) - 1.0;
}

// Two normals at once from two uniforms (Box and Muller, 1958), the sine first.
struct NormalPair {
  float sine, cosine;
};
inline NormalPair BoxMuller(uint32_t a, uint32_t b) {
  const float u = std::max(UnitFloat(a), 1e-7F);
  const auto angle = static_cast<float>(2 * std::numbers::pi * UnitFloat(b));
  const float radius = std::sqrt(-2.0F * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}
struct NormalPairDouble {
  double sine, cosine;
};
inline NormalPairDouble BoxMullerDouble(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1) {
  const double u = std::max(UnitDouble(a0, a1), 1e-7);
  const double angle = 2 * std::numbers::pi * UnitDouble(b0, b1);
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

template <typename T>
struct Uniform {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr uint64_t kStride = 1;
  void operator()(Philox philox, T* out) const {
    const Philox::Block s = philox.Next();
    if constexpr (std::is_same_v<T, double>) {
      out[0] = UnitDouble(s[0], s[1]);
      out[1] = UnitDouble(s[2], s[3]);
    } else {
      for (size_t i = 0; i < 4; ++i) out[i] = Unit(s[i]);
    }
  }

 private:
  static T Unit(uint32_t w) {
    if constexpr (std::is_same_v<T, Half>) {
      return Half(Half::FromBits(static_cast<uint16_t>(0x3c00 | (w & 0x3ff))) - 1.0F);
    } else if constexpr (std::is_same_v<T, Bfloat16>) {
      return Bfloat16(Bfloat16::FromBits(static_cast<uint16_t>(0x3f80 | (w & 0x7f))) - 1.0F);
    } else {
      return UnitFloat(w);
    }
  }
};

// Whole numbers in [low, low + range), or of all values when range is 0.
template <typename T>
struct UniformInt {
  using U = std::make_unsigned_t<T>;
  static constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  static constexpr uint64_t kStride = 1;

  T low = 0;
  U range = 0;

  void operator()(Philox philox, T* out) const {
    const Philox::Block s = philox.Next();
    if constexpr (sizeof(T) == 8) {
      out[0] = Place(Join(s[0], s[1]));
      out[1] = Place(Join(s[2], s[3]));
    } else {
      for (size_t i = 0; i < 4; ++i) out[i] = Place(s[i]);
    }
  }

 private:
  T Place(U word) const {
    return range == 0 ? static_cast<T>(word) : static_cast<T>(static_cast<U>(low) + word % range);
  }
};

template <typename T>
struct Normal {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr uint64_t kStride = 1;
  void operator()(Philox philox, T* out) const {
    const Philox::Block s = philox.Next();
    if constexpr (std::is_same_v<T, double>) {
      const NormalPairDouble pair = BoxMullerDouble(s[0], s[1], s[2], s[3]);
      out[0] = pair.sine;
      out[1] = pair.cosine;
    } else {
      for (size_t i = 0; i < 4; i += 2) {
        const NormalPair pair = BoxMuller(s[i], s[i + 1]);
        out[i] = T(pair.sine);
        out[i + 1] = T(pair.cosine);
      }
    }
  }
};

// Normals nearer to zero than 2; the others are thrown away, for which each group has blocks of its
// own to draw from.
template <typename T>
struct TruncatedNormal {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr uint64_t kStride = uint64_t{64} * kGroup;
  void operator()(Philox philox, T* out) const {
    int filled = 0;
    const auto keep = [&](auto x) {
      if (filled < kGroup && std::abs(x) < 2) out[filled++] = T(x);
    };
    while (filled < kGroup) {
      const Philox::Block s = philox.Next();
      if constexpr (std::is_same_v<T, double>) {
        const NormalPairDouble pair = BoxMullerDouble(s[0], s[1], s[2], s[3]);
        keep(pair.sine);
        keep(pair.cosine);
      } else {
        for (size_t i = 0; i < 4; i += 2) {
          const NormalPair pair = BoxMuller(s[i], s[i + 1]);
          keep(pair.sine);
          keep(pair.cosine);
        }
      }
    }
  }
};

// Fills `out` with the numbers of `distribution` from the blocks of `start` on.
template <typename Distribution, typename T>
void FillRandom(const kernel::KernelContext& context, const Philox& start,
                const Distribution& distribution, std::span<T> out) {
  constexpr int kGroup = Distribution::kGroup;
  constexpr int64_t kCostNs = int64_t{40} * kGroup;
  const auto size = static_cast<int64_t>(out.size());
  const int64_t groups = (size + kGroup - 1) / kGroup;
  context.ParallelFor(groups, kCostNs, [&](int64_t begin, int64_t end) {
    Philox philox = start.Skipped(static_cast<uint64_t>(begin) * Distribution::kStride);
    for (int64_t group = begin; group < end; ++group) {
      T* const to = out.data() + group * kGroup;
      if (size - group * kGroup >= kGroup) {
        distribution(philox, to);
      } else {
        T last[kGroup];
        distribution(philox, last);
        std::copy_n(last, size - group * kGroup, to);
      }
      philox.Skip(Distribution::kStride);
    }
  });
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_DISTRIBUTIONS_H_
