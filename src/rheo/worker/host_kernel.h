// HostKernel: runs a kernel that touches host memory only on a device with memory of its own.
#ifndef RHEO_WORKER_HOST_KERNEL_H_
#define RHEO_WORKER_HOST_KERNEL_H_

#include <memory>

#include "rheo/device/device.h"
#include "rheo/kernel/kernel.h"

namespace rheo::worker {

// `kernel`, told that the device it runs on has host memory: what it allocates is there, and what
// lies in the device's memory it may only hand on. For kernels registered for any device type
// (op::KernelRow: "DEFAULT"). Asynchronous kernels allocate nothing and are given back as they are.
// `device` outlives the kernel.
std::unique_ptr<kernel::Kernel> OnHost(std::unique_ptr<kernel::Kernel> kernel,
                                       device::Device& device, const op::NodeTypes& types);

}  // namespace rheo::worker

#endif  // RHEO_WORKER_HOST_KERNEL_H_
