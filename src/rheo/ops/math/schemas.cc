// Shape functions of the family.
#include "rheo/op/shape_context.h"
#include "rheo/ops/common/shape_functions.h"
#include "rheo/ops/math/matmul_shapes.h"
#include "rheo/ops/math/register.h"

namespace rheo::ops {
namespace {

using op::ShapeContext;

// Shapes that need not fit (incompatible_shape_error=false) leave the result open.
Status EqualityShape(ShapeContext& c) {
  if (c.attrs().GetOr("incompatible_shape_error", true)) return op::BroadcastBinaryShape(c);
  StatusOr<PartialShape> shape = ShapeContext::Broadcast(c.input(0), c.input(1));
  const bool may_differ = !c.input(0).IsCompatibleWith(c.input(1)) ||
                          !c.input(0).IsFullyDefined() || !c.input(1).IsFullyDefined();
  c.set_output(0, shape.ok() && !may_differ ? *std::move(shape) : PartialShape());
  return OkStatus();
}

Status SelectShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.input(1).Merge(c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.has_rank() && condition.rank() > 1) {
    RHEO_ASSIGN_OR_RETURN(shape, shape.Merge(condition));
  } else if (condition.rank() == 1 && shape.has_rank()) {
    if (shape.rank() == 0) {
      return InvalidArgument("a vector of conditions cannot choose between scalars");
    }
    RHEO_ASSIGN_OR_RETURN(const int64_t rows, MergeDims(condition.dim(0), shape.dim(0)));
    shape.set_dim(0, rows);
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status SelectV2Shape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(const PartialShape values, ShapeContext::Broadcast(c.input(1), c.input(2)));
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, ShapeContext::Broadcast(c.input(0), values));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ArgShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 0));
  const PartialShape& input = c.input(0);
  if (!input.has_rank()) return OkStatus();
  const int result_rank = std::max(input.rank() - 1, 0);
  const std::optional<std::vector<int64_t>> dimension = ConstantInts(c, 1);
  if (!dimension.has_value()) {
    c.set_output(0, PartialShape::OfRank(result_rank));
    return OkStatus();
  }
  const int64_t given = dimension->front();
  const int64_t axis = given < 0 ? given + input.rank() : given;
  if (axis < 0 || axis >= input.rank()) {
    return InvalidArgument("Dimension ({}) must be in the range [{}, {})", given, -input.rank(),
                           input.rank());
  }
  PartialShape output = PartialShape::OfRank(0);
  for (int i = 0; i < input.rank(); ++i) {
    if (i != axis) output.AddDim(input.dim(i));
  }
  c.set_output(0, std::move(output));
  return OkStatus();
}

Status BroadcastToShape(ShapeContext& c) {
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status BroadcastArgsShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 1));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  const int64_t a = DimOf(c.input(0), 0);
  const int64_t b = DimOf(c.input(1), 0);
  const bool known = a != kUnknownDim && b != kUnknownDim;
  c.set_output(0, PartialShape{known ? std::max(a, b) : kUnknownDim});
  return OkStatus();
}

Status BroadcastGradientArgsShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 1));
  RHEO_RETURN_IF_ERROR(c.RequireRank(1, 1));
  c.set_output(0, PartialShape{kUnknownDim});
  c.set_output(1, PartialShape{kUnknownDim});
  return OkStatus();
}

Status SetElementwiseShapes(op::OpRegistry& registry) {
  RHEO_RETURN_IF_ERROR(SetShapeFns(
      registry,
      {"Exp",     "Expm1",      "Log",   "Log1p",     "Sqrt",       "Rsqrt",  "Reciprocal",
       "Inv",     "Sigmoid",    "Tanh",  "Neg",       "Sign",       "Square", "Sin",
       "Cos",     "Tan",        "Asin",  "Acos",      "Atan",       "Sinh",   "Cosh",
       "Asinh",   "Acosh",      "Atanh", "Abs",       "Floor",      "Ceil",   "Round",
       "Rint",    "IsNan",      "IsInf", "IsFinite",  "Erf",        "Erfc",   "Lgamma",
       "Digamma", "Erfinv",     "Ndtri", "Real",      "Imag",       "Angle",  "ComplexAbs",
       "Conj",    "LogicalNot", "Cast",  "_HostCast", "ClipByValue"},
      op::UnchangedShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(
      registry,
      {"Add",      "AddV2",        "Sub",         "Mul",       "MulNoNan",    "SquaredDifference",
       "Maximum",  "Minimum",      "Div",         "RealDiv",   "TruncateDiv", "FloorDiv",
       "FloorMod", "Mod",          "TruncateMod", "DivNoNan",  "Pow",         "Xlogy",
       "Xlog1py",  "Xdivy",        "NextAfter",   "Atan2",     "Less",        "LessEqual",
       "Greater",  "GreaterEqual", "LogicalAnd",  "LogicalOr", "Complex"},
      op::BroadcastBinaryShape));
  return SetShapeFns(registry,
                     {"SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad",
                      "InvGrad", "AddN", "ApproximateEqual"},
                     MergedShape);
}

}  // namespace

Status RegisterMathSchemas(op::OpRegistry& registry) {
  RHEO_RETURN_IF_ERROR(SetElementwiseShapes(registry));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry, {"Equal", "NotEqual"}, EqualityShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("Select", SelectShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("SelectV2", SelectV2Shape));
  RHEO_RETURN_IF_ERROR(
      SetShapeFns(registry, {"Sum", "Mean", "Prod", "EuclideanNorm", "Max", "Min", "All", "Any"},
                  ReductionShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry, {"Cumsum", "Cumprod"}, op::UnchangedShape));
  RHEO_RETURN_IF_ERROR(SetShapeFns(registry, {"ArgMax", "ArgMin"}, ArgShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("MatMul", MatMulShape));
  RHEO_RETURN_IF_ERROR(
      SetShapeFns(registry, {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"}, BatchMatMulShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("BroadcastTo", BroadcastToShape));
  RHEO_RETURN_IF_ERROR(registry.SetShapeFn("BroadcastArgs", BroadcastArgsShape));
  return registry.SetShapeFn("BroadcastGradientArgs", BroadcastGradientArgsShape);
}

}  // namespace rheo::ops
