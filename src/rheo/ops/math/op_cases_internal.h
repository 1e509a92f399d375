// The groups of cases of the family, one file each.
#ifndef RHEO_OPS_MATH_OP_CASES_INTERNAL_H_
#define RHEO_OPS_MATH_OP_CASES_INTERNAL_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

void AddUnaryCases(std::vector<OpCase>& cases);
void AddBinaryCases(std::vector<OpCase>& cases);
void AddComparisonCases(std::vector<OpCase>& cases);
void AddReductionCases(std::vector<OpCase>& cases);
void AddMatMulCases(std::vector<OpCase>& cases);
void AddSelectCases(std::vector<OpCase>& cases);
void AddCastCases(std::vector<OpCase>& cases);
void AddBroadcastCases(std::vector<OpCase>& cases);

}  // namespace rheo::ops

#endif  // RHEO_OPS_MATH_OP_CASES_INTERNAL_H_
