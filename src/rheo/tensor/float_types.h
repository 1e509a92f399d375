// Half and Bfloat16: 16-bit floats that compute in float. Conversions round to nearest even.
#ifndef RHEO_TENSOR_FLOAT_TYPES_H_
#define RHEO_TENSOR_FLOAT_TYPES_H_

#include <bit>
#include <cstdint>

namespace rheo {

// IEEE binary16.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  // Implicit on purpose: arithmetic is float arithmetic, rounded when stored.
  Half(float value) : bits(FromFloat(value)) {}     // NOLINT(google-explicit-constructor)
  operator float() const { return ToFloat(bits); }  // NOLINT(google-explicit-constructor)
  static Half FromBits(uint16_t b) {
    Half h;
    h.bits = b;
    return h;
  }

 private:
  static uint16_t FromFloat(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    const uint16_t sign = static_cast<uint16_t>((f >> 16) & 0x8000);
    const uint32_t magnitude = f & 0x7fffffff;
    if (magnitude > 0x7f800000) {  // NaN: keep it quiet
      return static_cast<uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
    }
    if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);  // rounds to infinity
    if (magnitude < 0x38800000) {  // subnormal half or zero: let the float adder round
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
    }
    const uint32_t odd = (magnitude >> 13) & 1;
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
  }
  static float ToFloat(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
    const uint32_t exponent = (h >> 10) & 0x1f;
    const uint32_t mantissa = h & 0x3ff;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
    if (exponent == 0) {
      const float value = static_cast<float>(mantissa) * 0x1p-24f;
      return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
};

// The upper half of a float.
struct Bfloat16 {
  uint16_t bits = 0;

  Bfloat16() = default;
  Bfloat16(float value) : bits(FromFloat(value)) {}  // NOLINT(google-explicit-constructor)
  operator float() const {                           // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static Bfloat16 FromBits(uint16_t b) {
    Bfloat16 h;
    h.bits = b;
    return h;
  }

 private:
  static uint16_t FromFloat(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    if ((f & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((f >> 16) | 0x40);
    return static_cast<uint16_t>((f + 0x7fff + ((f >> 16) & 1)) >> 16);
  }
};

}  // namespace rheo

#endif  // RHEO_TENSOR_FLOAT_TYPES_H_
