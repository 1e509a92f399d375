// The cases of the training family's ops.
#ifndef RHEO_OPS_TRAINING_OP_CASES_H_
#define RHEO_OPS_TRAINING_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> TrainingOpCases();

}  // namespace rheo::ops

#endif  // RHEO_OPS_TRAINING_OP_CASES_H_
