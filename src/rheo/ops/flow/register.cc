#include "rheo/ops/flow/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/flow/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

// Every output as input 0.
Status SwitchShapes(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

// What two shapes have in common.
PartialShape CommonShape(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || a.rank() != b.rank()) return {};
  PartialShape common = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) common.set_dim(i, kUnknownDim);
  }
  return common;
}

// Output 0: what all of inputs `first`… have in common.
void SetCommonShape(ShapeContext& c, int first) {
  PartialShape common = c.input(first);
  for (int i = first + 1; i < c.num_inputs(); ++i) common = CommonShape(common, c.input(i));
  c.set_output(0, common);
}

Status MergeShapes(ShapeContext& c) {
  SetCommonShape(c, 0);
  c.set_output(1, PartialShape(Shape{}));
  return OkStatus();
}

Status RefSelectShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 0));
  SetCommonShape(c, 1);
  return OkStatus();
}

// A loop variable may change its shape from one iteration to the next; only a value that enters as
// a constant is sure to keep it.
Status EnterShape(ShapeContext& c) {
  if (c.attrs().GetOr<bool>("is_constant", false)) c.set_output(0, c.input(0));
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"Abort", &op::NoOutputs},
    {"ControlTrigger", &op::NoOutputs},
    {"Enter", &EnterShape},
    {"Exit", &op::UnchangedShape},
    {"LoopCond", &op::UnchangedShape},
    {"Merge", &MergeShapes},
    {"NextIteration", &op::UnchangedShape},
    {"Recv", &op::UnknownShape},
    {"RefEnter", &op::UnchangedShape},
    {"RefExit", &op::UnchangedShape},
    {"RefIdentity", &op::UnchangedShape},
    {"RefMerge", &MergeShapes},
    {"RefNextIteration", &op::UnchangedShape},
    {"RefSelect", &RefSelectShape},
    {"RefSwitch", &SwitchShapes},
    {"Send", &op::NoOutputs},
    {"Switch", &SwitchShapes},
    {"_Arg", &op::UnknownShape},
    {"_DeviceArg", &op::UnknownShape},
    {"_DeviceRetval", &op::NoOutputs},
    {"_HostRecv", &op::UnknownShape},
    {"_HostSend", &op::NoOutputs},
    {"_Recv", &op::UnknownShape},
    {"_Retval", &op::NoOutputs},
    {"_Send", &op::NoOutputs},
    {"_SwitchN", &SwitchShapes},
};

}  // namespace

Status RegisterFlowSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterFlowKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddControlFlowKernels(kernels);
  AddTransferKernels(kernels);
  AddArgumentKernels(kernels);
}

std::vector<std::string_view> FlowOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
