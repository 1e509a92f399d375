// The cases of the state family's ops.
#ifndef RHEO_OPS_STATE_OP_CASES_H_
#define RHEO_OPS_STATE_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> StateOpCases();

// The parts, one per file.
void AddVariableCases(std::vector<OpCase>& cases);       // variable_cases.cc
void AddScatterUpdateCases(std::vector<OpCase>& cases);  // scatter_update_cases.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_STATE_OP_CASES_H_
