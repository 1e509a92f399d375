// The table of what is there per op: docs/operations.md.
#ifndef RHEO_TESTS_OP_CASES_COVERAGE_H_
#define RHEO_TESTS_OP_CASES_COVERAGE_H_

#include <string>
#include <string_view>

#include "rheo/runtime/registries.h"

namespace rheo::ops {

// Markdown: for each op with a kernel or a case, its CPU dtypes, those that TensorFlow has and we
// lack, shape function, gradient, and number of cases.
std::string CoverageTable(const runtime::Registries& registries);

// The lines that only one of the texts has, with "-" (old) or "+" (now) before them; empty when the
// texts are equal.
std::string LineDifferences(std::string_view old, std::string_view now);

}  // namespace rheo::ops

#endif  // RHEO_TESTS_OP_CASES_COVERAGE_H_
