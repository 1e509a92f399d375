#include "rheo/ops/math/cast.h"

namespace rheo::ops {

UnaryLoop CastFromFloating(DType src, DType dst) { return CastLoopFromAny<FloatTypes>(src, dst); }

}  // namespace rheo::ops
