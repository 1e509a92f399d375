#include "rheo/ops/math/cast.h"

namespace rheo::ops {

UnaryLoop CastFromSigned(DType src, DType dst) {
  return CastLoopFromAny<TypeList<int8_t, int16_t, int32_t, int64_t>>(src, dst);
}

}  // namespace rheo::ops
