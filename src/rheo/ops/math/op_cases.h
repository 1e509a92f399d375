// The OpCases of the family (ops/common/op_case.h).
#ifndef RHEO_OPS_MATH_OP_CASES_H_
#define RHEO_OPS_MATH_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> MathOpCases();

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_OP_CASES_H_
