#include "rheo/ops/math/cast.h"

namespace rheo::ops {

UnaryLoop CastFromOther(DType src, DType dst) {
  return CastLoopFromAny<TypeList<bool, std::complex<float>, std::complex<double>>>(src, dst);
}

}  // namespace rheo::ops
