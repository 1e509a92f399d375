#include "rheo/ops/functional/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/functional/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;
using Shapes = std::vector<PartialShape>;

// What attr output_shapes says. False when it is empty or missing.
bool SetShapesFromAttr(ShapeContext& c) {
  const StatusOr<Shapes> shapes = c.attrs().Get<Shapes>("output_shapes");
  if (!shapes.ok() || static_cast<int>(shapes->size()) != c.num_outputs()) return false;
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, (*shapes)[static_cast<size_t>(i)]);
  return c.num_outputs() > 0;
}

// The results of `function` for the inputs from `first` on; all unknown when nobody can tell.
StatusOr<Shapes> ResultShapes(const ShapeContext& c, const op::FuncRef& function, int first) {
  if (c.function_shapes() == nullptr) return Shapes(static_cast<size_t>(c.num_outputs()));
  RHEO_ASSIGN_OR_RETURN(
      Shapes shapes,
      c.function_shapes()(function, Shapes(c.inputs().begin() + first, c.inputs().end())));
  shapes.resize(static_cast<size_t>(c.num_outputs()));
  return shapes;
}

PartialShape Common(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || a.rank() != b.rank()) return {};
  PartialShape common = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) common.set_dim(i, kUnknownDim);
  }
  return common;
}

// What the results of all branches have in common.
Status SetBranchShapes(ShapeContext& c, const std::vector<op::FuncRef>& branches) {
  if (SetShapesFromAttr(c)) return OkStatus();
  Shapes common;
  for (size_t b = 0; b < branches.size(); ++b) {
    RHEO_ASSIGN_OR_RETURN(const Shapes shapes, ResultShapes(c, branches[b], 1));
    if (b == 0) common = shapes;
    for (size_t i = 0; i < common.size(); ++i) common[i] = Common(common[i], shapes[i]);
  }
  for (size_t i = 0; i < common.size(); ++i) c.set_output(static_cast<int>(i), common[i]);
  return OkStatus();
}

Status CallShapes(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const op::FuncRef function, c.attrs().Get<op::FuncRef>("f"));
  RHEO_ASSIGN_OR_RETURN(const Shapes shapes, ResultShapes(c, function, 0));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[static_cast<size_t>(i)]);
  return OkStatus();
}

Status IfShapes(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const op::FuncRef yes, c.attrs().Get<op::FuncRef>("then_branch"));
  RHEO_ASSIGN_OR_RETURN(const op::FuncRef no, c.attrs().Get<op::FuncRef>("else_branch"));
  return SetBranchShapes(c, {yes, no});
}

Status CaseShapes(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const auto branches, c.attrs().Get<std::vector<op::FuncRef>>("branches"));
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 0));
  return SetBranchShapes(c, branches);
}

// A loop variable may change its shape in every turn.
Status WhileShapes(ShapeContext& c) {
  SetShapesFromAttr(c);
  return OkStatus();
}

Status FakeParamShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.attrs().Get<PartialShape>("shape"));
  // The kernel makes something of unknown dims; what it is must not be relied on.
  c.set_output(0, shape.IsFullyDefined() ? shape : PartialShape());
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"Case", &CaseShapes},
    {"FakeParam", &FakeParamShape},
    {"If", &IfShapes},
    {"PartitionedCall", &CallShapes},
    {"StatefulPartitionedCall", &CallShapes},
    {"StatelessCase", &CaseShapes},
    {"StatelessIf", &IfShapes},
    {"StatelessWhile", &WhileShapes},
    {"ToBool", &op::ScalarShape},
    {"While", &WhileShapes},
    {"_If", &IfShapes},
    {"_While", &WhileShapes},
};

}  // namespace

Status RegisterFunctionalSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterFunctionalKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddCallKernels(kernels);
  AddWhileKernels(kernels);
}

// Gradients are not built through function calls.
void RegisterFunctionalGradients(autodiff::GradientRegistry& registry) {
  registry.AddNotDifferentiable("ToBool");
}

std::vector<std::string_view> FunctionalOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
