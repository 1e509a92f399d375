// Compares the registered gradient of an op with the slope that its kernel shows.
#ifndef RHEO_TESTS_OP_CASES_GRADIENT_CHECK_H_
#define RHEO_TESTS_OP_CASES_GRADIENT_CHECK_H_

#include <string>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/common/op_case.h"
#include "rheo/runtime/registries.h"

namespace rheo::ops {

// True for a case whose gradient can be checked: no error expected, an input of doubles or complex
// doubles, and a gradient that is registered and not "not differentiable".
bool HasCheckableGradient(const ConcreteCase& c, const runtime::Registries& registries);

// For L = Σ weights · outputs, moves each element of each double input by a small step both ways
// and compares (L₊ - L₋) / 2ε with what AddGradients says. OK when they agree.
Status CheckGradient(const ConcreteCase& c, const runtime::Registries& registries,
                     KernelRunner& runner);

}  // namespace rheo::ops

#endif  // RHEO_TESTS_OP_CASES_GRADIENT_CHECK_H_
