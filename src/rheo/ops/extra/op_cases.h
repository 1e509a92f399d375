// The cases of the family's ops.
#ifndef RHEO_OPS_EXTRA_OP_CASES_H_
#define RHEO_OPS_EXTRA_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> ExtraOpCases();

}  // namespace rheo::ops

#endif  // RHEO_OPS_EXTRA_OP_CASES_H_
