#include "rheo/devices/sim/kernels.h"

namespace rheo::devices::sim {

void RegisterKernels(kernel::KernelRegistry& registry) {
  RegisterConstKernel(registry);
  RegisterBinaryKernels(registry);
  RegisterMatMulKernels(registry);
  RegisterVariableKernels(registry);
}

}  // namespace rheo::devices::sim
