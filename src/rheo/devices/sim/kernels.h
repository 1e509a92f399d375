// The kernels of simulated GPUs: few, to let programs run where a GPU is asked for. What only moves
// values or looks at shapes (Identity, Reshape, ReadVariableOp, …) needs no kernel of its own.
#ifndef RHEO_DEVICES_SIM_KERNELS_H_
#define RHEO_DEVICES_SIM_KERNELS_H_

#include "rheo/kernel/kernel_registry.h"

namespace rheo::devices::sim {

// Const, Add, AddV2, Sub, Mul, MatMul, AssignAddVariableOp, AssignSubVariableOp and
// ResourceApplyGradientDescent, of floating types (and int64 where it makes sense), as type GPU.
void RegisterKernels(kernel::KernelRegistry& registry);

// The parts, one per file.
void RegisterConstKernel(kernel::KernelRegistry& registry);
void RegisterBinaryKernels(kernel::KernelRegistry& registry);
void RegisterMatMulKernels(kernel::KernelRegistry& registry);
void RegisterVariableKernels(kernel::KernelRegistry& registry);

}  // namespace rheo::devices::sim

#endif  // RHEO_DEVICES_SIM_KERNELS_H_
