#include "rheo/ops/math/cast.h"

namespace rheo::ops {

UnaryLoop CastFromUnsigned(DType src, DType dst) {
  return CastLoopFromAny<TypeList<uint8_t, uint16_t, uint32_t, uint64_t>>(src, dst);
}

}  // namespace rheo::ops
