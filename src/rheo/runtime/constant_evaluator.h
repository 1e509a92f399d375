// Evaluates single nodes on the CPU, for constant folding.
#ifndef RHEO_RUNTIME_CONSTANT_EVALUATOR_H_
#define RHEO_RUNTIME_CONSTANT_EVALUATOR_H_

#include "rheo/kernel/kernel_registry.h"
#include "rheo/passes/passes.h"

namespace rheo::runtime {

// `kernels` outlives the evaluator.
passes::ConstantEvaluator MakeConstantEvaluator(const kernel::KernelRegistry& kernels);

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_CONSTANT_EVALUATOR_H_
