#include "rheo/ops/array/op_cases.h"

namespace rheo::ops {

std::vector<OpCase> ArrayOpCases() {
  std::vector<OpCase> cases;
  AddShapeCases(cases);
  AddMoveCases(cases);
  AddIndexCases(cases);
  AddUniqueCases(cases);
  return cases;
}

}  // namespace rheo::ops
