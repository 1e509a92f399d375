#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {
namespace {

std::vector<CaseVariant> UnaryVariants(Values v) {
  return {{"scalar", {Random({}, v)}},
          {"matrix", {Random({2, 3}, v)}},
          {"empty", {Random({0, 3}, v)}},
          {"large", {Random({257, 130}, v)}, {}, {}, true}};
}

// Infinities and NaN, for the full floats.
CaseVariant Specials() {
  return {"specials", {Random({6}, {.low = 0.5, .high = 2, .specials = true})}, {}, {0, 1}};
}

OpCase Unary(std::string op, DTypes types, Values v = {}, Tolerance tolerance = {}) {
  OpCase c{.op = std::move(op),
           .types = ForTypes("T", types),
           .variants = UnaryVariants(v),
           .tolerance = tolerance};
  if (types.front() == DType::kFloat) c.variants.push_back(Specials());
  return c;
}

// f(y, dy).
OpCase GradOf(std::string op, Values v = {}) {
  return {.op = std::move(op),
          .types = ForTypes("T", FloatsAndComplexes()),
          .variants = {{"scalar", {Random({}, v), Random({})}},
                       {"matrix", {Random({2, 3}, v), Random({2, 3})}},
                       {"empty", {Random({0}, v), Random({0})}}}};
}

// From complex numbers to their parts.
OpCase Part(std::string op) {
  return {.op = std::move(op),
          .types = {{{"T", DType::kComplex64}, {"Tout", DType::kFloat}},
                    {{"T", DType::kComplex128}, {"Tout", DType::kDouble}}},
          .variants = UnaryVariants({}),
          .tolerance = {.absolute = 1e-6}};
}

constexpr Values kPositive = {.low = 0.1, .high = 5};
constexpr Values kInside = {.low = -0.9, .high = 0.9};
constexpr Values kNonzero = {.gap = 0.2};
constexpr Values kModerate = {.low = -1.2, .high = 1.2};
constexpr Tolerance kNearZero = {.absolute = 1e-6};

}  // namespace

void AddUnaryCases(std::vector<OpCase>& cases) {
  const DTypes wide = FloatsAndComplexes();
  for (const char* op : {"Exp", "Expm1", "Sigmoid", "Tanh", "Sin", "Cos", "Sinh", "Cosh"}) {
    cases.push_back(Unary(op, wide, {.low = -3, .high = 3}, kNearZero));
  }
  for (const char* op : {"Log", "Log1p", "Sqrt", "Rsqrt"}) {
    cases.push_back(Unary(op, wide, kPositive, kNearZero));
  }
  for (const char* op : {"Reciprocal", "Inv"}) cases.push_back(Unary(op, wide, kNonzero));
  for (const char* op : {"Asin", "Acos", "Atan", "Atanh"}) {
    cases.push_back(Unary(op, wide, kInside, kNearZero));
  }
  cases.push_back(Unary("Tan", wide, kModerate, kNearZero));
  cases.push_back(Unary("Asinh", wide, {}, kNearZero));
  cases.push_back(Unary("Acosh", wide, {.low = 1.1, .high = 5}, kNearZero));
  const DTypes signed_numbers = Floats() + SignedInts() + Complexes();
  cases.push_back(Unary("Neg", signed_numbers));
  cases.push_back(Unary("Sign", signed_numbers, kNonzero));
  cases.push_back(Unary("Square", Numbers(), {}, kNearZero));
  cases.push_back(Unary("Abs", Floats() + SignedInts(), kNonzero));
  for (const char* op : {"Floor", "Ceil"}) cases.push_back(Unary(op, Floats()));
  OpCase round = Unary("Round", {DType::kInt32, DType::kInt64});
  round.compare_values = false;  // TensorFlow's kernel gives 0 for integers
  cases.push_back(round);
  round = Unary("Round", Floats());
  round.variants.push_back(
      {"halves", {Literal(Tensor::Of<float>({6}, {-1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 3.5f}))}});
  cases.push_back(round);
  round.op = "Rint";
  round.types = ForTypes("T", FullFloats());
  cases.push_back(round);
  for (const char* op : {"IsNan", "IsInf", "IsFinite"}) cases.push_back(Unary(op, Floats()));
  OpCase erf = Unary("Erf", Floats(), {}, kNearZero);
  erf.variants.back().only_types = {0};  // TensorFlow's erf of a double infinity is NaN
  cases.push_back(std::move(erf));
  cases.push_back(Unary("Erfc", Floats(), {.low = -2, .high = 2}, kNearZero));
  const DTypes gamma = {DType::kFloat, DType::kDouble, DType::kHalf};
  cases.push_back(Unary("Lgamma", gamma, kPositive, {.absolute = 1e-5}));
  cases.push_back(Unary("Digamma", gamma, kPositive, {.absolute = 1e-5}));
  cases.push_back(Unary("Erfinv", FullFloats(), kInside, kNearZero));
  cases.push_back(Unary("Ndtri", FullFloats(), {.low = 0.05, .high = 0.95}, {.absolute = 1e-5}));
  for (const char* op : {"SigmoidGrad", "TanhGrad"}) cases.push_back(GradOf(op, kInside));
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"}) {
    cases.push_back(GradOf(op, kPositive));
  }
  for (const char* op : {"Real", "Imag", "Angle", "ComplexAbs"}) cases.push_back(Part(op));
  cases.push_back(
      {.op = "Conj", .types = ForTypes("T", Complexes()), .variants = UnaryVariants({})});
  cases.push_back({.op = "LogicalNot", .variants = UnaryVariants({})});
}

}  // namespace rheo::ops
