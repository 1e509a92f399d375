// Sets of dtypes for the descriptions of cases.
#ifndef RHEO_OPS_COMMON_DTYPE_SETS_H_
#define RHEO_OPS_COMMON_DTYPE_SETS_H_

#include <initializer_list>
#include <vector>

#include "rheo/tensor/dtype.h"

namespace rheo::ops {

using DTypes = std::vector<DType>;

inline DTypes operator+(DTypes a, const DTypes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline DTypes FullFloats() { return {DType::kFloat, DType::kDouble}; }
inline DTypes Floats() { return FullFloats() + DTypes{DType::kHalf, DType::kBfloat16}; }
inline DTypes Complexes() { return {DType::kComplex64, DType::kComplex128}; }
inline DTypes SignedInts() { return {DType::kInt32, DType::kInt64, DType::kInt8, DType::kInt16}; }
inline DTypes UnsignedInts() {
  return {DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64};
}
inline DTypes FloatsAndComplexes() { return Floats() + Complexes(); }
inline DTypes Reals() { return Floats() + SignedInts() + UnsignedInts(); }
inline DTypes Numbers() { return Reals() + Complexes(); }

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_DTYPE_SETS_H_
