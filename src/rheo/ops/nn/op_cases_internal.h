// The groups of cases of the family, one file each.
#ifndef RHEO_OPS_NN_OP_CASES_INTERNAL_H_
#define RHEO_OPS_NN_OP_CASES_INTERNAL_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

void AddActivationCases(std::vector<OpCase>& cases);
void AddLossCases(std::vector<OpCase>& cases);
void AddBiasCases(std::vector<OpCase>& cases);
void AddConvCases(std::vector<OpCase>& cases);
void AddTopKCases(std::vector<OpCase>& cases);

}  // namespace rheo::ops

#endif  // RHEO_OPS_NN_OP_CASES_INTERNAL_H_
