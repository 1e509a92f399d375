// The OpCases of all families together.
#ifndef RHEO_TESTS_OP_CASES_ALL_CASES_H_
#define RHEO_TESTS_OP_CASES_ALL_CASES_H_

#include <vector>

#include "rheo/ops/common/op_case.h"

namespace rheo::ops {

// Those of every folder of src/rheo/ops that has an op_cases.h: what its function
// `<Folder>OpCases()` gives, by folder name. CMakeLists.txt here writes the list.
std::vector<OpCase> AllOpCases();

}  // namespace rheo::ops

#endif  // RHEO_TESTS_OP_CASES_ALL_CASES_H_
