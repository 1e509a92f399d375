// The cases of the array family's ops.
#ifndef RHEO_OPS_ARRAY_OP_CASES_H_
#define RHEO_OPS_ARRAY_OP_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

std::vector<OpCase> ArrayOpCases();

// The parts, one per file.
void AddShapeCases(std::vector<OpCase>& cases);   // shape_cases.cc
void AddMoveCases(std::vector<OpCase>& cases);    // move_cases.cc
void AddIndexCases(std::vector<OpCase>& cases);   // index_cases.cc
void AddUniqueCases(std::vector<OpCase>& cases);  // unique_cases.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_ARRAY_OP_CASES_H_
