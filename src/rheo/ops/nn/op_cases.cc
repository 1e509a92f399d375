#include "rheo/ops/nn/op_cases.h"

#include "rheo/ops/nn/op_cases_internal.h"

namespace rheo::ops {

std::vector<OpCase> NnOpCases() {
  std::vector<OpCase> cases;
  AddActivationCases(cases);
  AddLossCases(cases);
  AddBiasCases(cases);
  AddTopKCases(cases);
  AddConvCases(cases);
  return cases;
}

}  // namespace rheo::ops
