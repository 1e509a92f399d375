// The cases of the random family's ops: with seeds given, the numbers are TensorFlow's.
#ifndef RHEO_OPS_RANDOM_OP_CASES_H_
#define RHEO_OPS_RANDOM_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> RandomOpCases();

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_OP_CASES_H_
