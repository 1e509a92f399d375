#include "rheo/ops/state/op_cases.h"

namespace rheo::ops {

std::vector<OpCase> StateOpCases() {
  std::vector<OpCase> cases;
  AddVariableCases(cases);
  AddScatterUpdateCases(cases);
  return cases;
}

}  // namespace rheo::ops
