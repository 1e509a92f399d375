// The OpCases of the family (ops/common/op_case.h).
#ifndef RHEO_OPS_NN_OP_CASES_H_
#define RHEO_OPS_NN_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> NnOpCases();

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_OP_CASES_H_
