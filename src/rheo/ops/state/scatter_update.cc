// Updates of some rows or slices of a variable: the Scatter ops, by reference and by resource.
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/scatter.h"
#include "rheo/ops/common/stored_tensor.h"
#include "rheo/ops/state/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;

// Runs `scatter` on the variable of input 0, in a buffer of its own.
template <typename Scatter>
Status UpdateSome(KernelContext& c, Scatter&& scatter) {
  RHEO_ASSIGN_OR_RETURN(const StoredTensor variable, FindStored(c, 0));
  {
    StoredLock lock({&variable});
    RHEO_RETURN_IF_ERROR(variable.RequireInitialized());
    if (variable.tensor->dtype() != c.input(2).dtype()) {
      return InvalidArgument("Trying to update variable with wrong dtype. Expected {} got {}",
                             DTypeName(variable.tensor->dtype()), DTypeName(c.input(2).dtype()));
    }
    RHEO_RETURN_IF_ERROR(MakeUnique(c, *variable.tensor));
    RHEO_RETURN_IF_ERROR(scatter(*variable.tensor));
  }
  if (c.num_outputs() > 0) c.set_output_ref(0, c.shared_input_ref(0));
  return OkStatus();
}

template <ScatterKind kKind>
Status ScatterRows(KernelContext& c) {
  return UpdateSome(
      c, [&](Tensor& dest) { return ScatterRowsInto(kKind, dest, c.input(1), c.input(2)); });
}

template <ScatterKind kKind>
Status ScatterNd(const BadIndices& bad_indices, KernelContext& c) {
  return UpdateSome(c, [&](Tensor& dest) {
    return ScatterNdInto(kKind, dest, c.input(1), c.input(2), bad_indices);
  });
}

template <ScatterKind kKind>
void AddRowForms(TableKernels& kernels, const std::string& name) {
  kernels.Add("Scatter" + name, FunctionKernel(&ScatterRows<kKind>));
  kernels.Add("ResourceScatter" + name, FunctionKernel(&ScatterRows<kKind>));
}

template <ScatterKind kKind>
void AddNdForms(TableKernels& kernels, const std::string& name) {
  kernels.Add("ScatterNd" + name, AttrKernel(&ReadBadIndices, &ScatterNd<kKind>));
  kernels.Add("ResourceScatterNd" + name, AttrKernel(&ReadBadIndices, &ScatterNd<kKind>));
}

}  // namespace

void AddScatterUpdateKernels(TableKernels& kernels) {
  AddRowForms<ScatterKind::kUpdate>(kernels, "Update");
  AddRowForms<ScatterKind::kAdd>(kernels, "Add");
  AddRowForms<ScatterKind::kSub>(kernels, "Sub");
  AddRowForms<ScatterKind::kMul>(kernels, "Mul");
  AddRowForms<ScatterKind::kDiv>(kernels, "Div");
  AddRowForms<ScatterKind::kMin>(kernels, "Min");
  AddRowForms<ScatterKind::kMax>(kernels, "Max");
  AddNdForms<ScatterKind::kUpdate>(kernels, "Update");
  AddNdForms<ScatterKind::kAdd>(kernels, "Add");
  AddNdForms<ScatterKind::kSub>(kernels, "Sub");
}

}  // namespace rheo::ops
