#include "rheo/runtime/registries.h"

#include <cstdlib>
#include <memory>

#include "rheo/base/log.h"
#include "rheo/devices/sim/kernels.h"
#include "rheo/ops/array/register.h"
#include "rheo/ops/collective/register.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/data_flow/register.h"
#include "rheo/ops/extra/register.h"
#include "rheo/ops/flow/register.h"
#include "rheo/ops/functional/register.h"
#include "rheo/ops/fused/register.h"
#include "rheo/ops/io/register.h"
#include "rheo/ops/list/register.h"
#include "rheo/ops/math/register.h"
#include "rheo/ops/nn/register.h"
#include "rheo/ops/random/register.h"
#include "rheo/ops/state/register.h"
#include "rheo/ops/training/register.h"

namespace rheo::runtime {
namespace {

struct Family {
  Status (*schemas)(op::OpRegistry&);
  void (*kernels)(kernel::KernelRegistry&);
  void (*gradients)(autodiff::GradientRegistry&);
};

// One line for each family of ops/.
constexpr Family kFamilies[] = {
    {ops::RegisterArraySchemas, ops::RegisterArrayKernels, ops::RegisterArrayGradients},
    {ops::RegisterCollectiveSchemas, ops::RegisterCollectiveKernels,
     ops::RegisterCollectiveGradients},
    {ops::RegisterDataFlowSchemas, ops::RegisterDataFlowKernels, ops::RegisterDataFlowGradients},
    {ops::RegisterExtraSchemas, ops::RegisterExtraKernels, ops::RegisterExtraGradients},
    {ops::RegisterFlowSchemas, ops::RegisterFlowKernels, ops::RegisterFlowGradients},
    {ops::RegisterFunctionalSchemas, ops::RegisterFunctionalKernels,
     ops::RegisterFunctionalGradients},
    {ops::RegisterFusedSchemas, ops::RegisterFusedKernels, ops::RegisterFusedGradients},
    {ops::RegisterListSchemas, ops::RegisterListKernels, ops::RegisterListGradients},
    {ops::RegisterMathSchemas, ops::RegisterMathKernels, ops::RegisterMathGradients},
    {ops::RegisterNnSchemas, ops::RegisterNnKernels, ops::RegisterNnGradients},
    {ops::RegisterRandomSchemas, ops::RegisterRandomKernels, ops::RegisterRandomGradients},
    {ops::RegisterStateSchemas, ops::RegisterStateKernels, ops::RegisterStateGradients},
    {ops::RegisterTrainingSchemas, ops::RegisterTrainingKernels, ops::RegisterTrainingGradients},
};

// One line for each device of devices/ that has kernels of its own.
constexpr void (*kDeviceKernels[])(kernel::KernelRegistry&) = {
    devices::sim::RegisterKernels,
};

}  // namespace

Status RegisterAll(Registries& registries, const ops::FilePolicy& files) {
  RHEO_RETURN_IF_ERROR(registries.ops.AddTable(op::PublicOpTable()));
  for (const Family& family : kFamilies) {
    RHEO_RETURN_IF_ERROR(family.schemas(registries.ops));
    family.kernels(registries.kernels);
    family.gradients(registries.gradients);
  }
  for (const auto add_kernels : kDeviceKernels) add_kernels(registries.kernels);
  RHEO_RETURN_IF_ERROR(ops::RegisterIoSchemas(registries.ops));
  ops::RegisterIoKernels(registries.kernels, std::make_shared<ops::FilePolicy>(files));
  RHEO_RETURN_IF_ERROR(
      registries.variants.Add(std::string(ops::TensorList::kTypeName), &ops::TensorListFromParts));
  return registries.variants.Add(std::string(ops::Optional::kTypeName), &ops::OptionalFromParts);
}

const Registries& BuiltIn() {
  // Never destroyed: graphs and kernels point into it until the process ends.
  static const Registries* const built_in = [] {
    auto* registries = new Registries();
    if (Status status = RegisterAll(*registries); !status.ok()) {
      // The tables are part of the program: this is a damaged build.
      RHEO_LOG(Error, "the built-in operations do not fit together: {}", Message(status));
      std::abort();
    }
    return registries;
  }();
  return *built_in;
}

const op::KernelCatalog& TensorFlowKernels() {
  static const op::KernelCatalog* const catalog = [] {
    StatusOr<op::KernelCatalog> parsed = op::KernelCatalog::Parse(op::TensorFlowKernelTable());
    if (!parsed.ok()) {
      RHEO_LOG(Error, "TensorFlow's kernel table: {}", Message(parsed.status()));
      std::abort();
    }
    return new op::KernelCatalog(*std::move(parsed));
  }();
  return *catalog;
}

}  // namespace rheo::runtime
