#include "rheo/ops/random/register.h"

#include "rheo/op/shape_context.h"
#include "rheo/ops/random/kernels.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

// Input 0 holds the shape.
Status ShapeInput(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status KeyCounterShapes(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 1));
  c.set_output(0, PartialShape{1});
  c.set_output(1, PartialShape{2});
  if (c.num_outputs() > 2) c.set_output(2, PartialShape(Shape{}));
  return OkStatus();
}

struct NamedShape {
  std::string_view op;
  Status (*shape_fn)(ShapeContext&);
};

constexpr NamedShape kShapes[] = {
    {"RandomShuffle", &op::UnchangedShape},
    {"RandomStandardNormal", &ShapeInput},
    {"RandomUniform", &ShapeInput},
    {"RandomUniformInt", &ShapeInput},
    {"StatelessRandomGetAlg", &op::ScalarShape},
    {"StatelessRandomGetKeyCounter", &KeyCounterShapes},
    {"StatelessRandomGetKeyCounterAlg", &KeyCounterShapes},
    {"StatelessRandomNormal", &ShapeInput},
    {"StatelessRandomNormalV2", &ShapeInput},
    {"StatelessRandomUniform", &ShapeInput},
    {"StatelessRandomUniformFullInt", &ShapeInput},
    {"StatelessRandomUniformFullIntV2", &ShapeInput},
    {"StatelessRandomUniformInt", &ShapeInput},
    {"StatelessRandomUniformIntV2", &ShapeInput},
    {"StatelessRandomUniformV2", &ShapeInput},
    {"StatelessTruncatedNormal", &ShapeInput},
    {"StatelessTruncatedNormalV2", &ShapeInput},
    {"TruncatedNormal", &ShapeInput},
};

}  // namespace

Status RegisterRandomSchemas(op::OpRegistry& registry) {
  for (const NamedShape& s : kShapes) RHEO_RETURN_IF_ERROR(registry.SetShapeFn(s.op, s.shape_fn));
  return OkStatus();
}

void RegisterRandomKernels(kernel::KernelRegistry& registry) {
  TableKernels kernels(registry);
  AddStatefulRandomKernels(kernels);
  AddStatelessRandomKernels(kernels);
  AddRandomShuffleKernels(kernels);
}

void RegisterRandomGradients(autodiff::GradientRegistry& registry) {
  for (const NamedShape& s : kShapes) registry.AddNotDifferentiable(s.op);
}

std::vector<std::string_view> RandomOps() {
  std::vector<std::string_view> ops;
  for (const NamedShape& s : kShapes) ops.push_back(s.op);
  return ops;
}

}  // namespace rheo::ops
