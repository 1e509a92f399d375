// Registries: all operations, kernels and gradients that are built in.
#ifndef RHEO_RUNTIME_REGISTRIES_H_
#define RHEO_RUNTIME_REGISTRIES_H_

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/base/status.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/op/op_registry.h"
#include "rheo/ops/io/file_policy.h"
#include "rheo/wire/variant_decoders.h"

namespace rheo::runtime {

struct Registries {
  op::OpRegistry ops;
  kernel::KernelRegistry kernels;
  autodiff::GradientRegistry gradients;
  wire::VariantDecoders variants;
};

// Adds the public operations and everything the op families bring; each family is one line. The
// kernels that touch files keep to `files`.
Status RegisterAll(Registries& registries,
                   const ops::FilePolicy& files = ops::FilePolicy::Everywhere());

// What RegisterAll gives, made on first use and never changed. Thread-safe.
const Registries& BuiltIn();

// The kernels of TensorFlow's CPU build, for placing on TensorFlow peers; parsed on first use.
const op::KernelCatalog& TensorFlowKernels();

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_REGISTRIES_H_
