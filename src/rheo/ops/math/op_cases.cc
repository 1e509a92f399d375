#include "rheo/ops/math/op_cases.h"

#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {

std::vector<OpCase> MathOpCases() {
  std::vector<OpCase> cases;
  AddUnaryCases(cases);
  AddBinaryCases(cases);
  AddComparisonCases(cases);
  AddReductionCases(cases);
  AddMatMulCases(cases);
  AddSelectCases(cases);
  AddCastCases(cases);
  AddBroadcastCases(cases);
  return cases;
}

}  // namespace rheo::ops
