#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {
namespace {

// Whole numbers of a small range, so that many are equal.
std::vector<CaseVariant> ComparisonVariants() {
  const Values v = {.low = 0, .high = 2};
  return {{"scalars", {Random({}, v), Random({}, v)}},
          {"same", {Random({4, 3}, v), Random({4, 3}, v)}},
          {"scalar_right", {Random({4, 3}, v), Random({}, v)}},
          {"row", {Random({4, 3}, v), Random({3}, v)}},
          {"outer", {Random({3, 1}, v), Random({4}, v)}},
          {"empty", {Random({0}, v), Random({1}, v)}},
          {"large", {Random({300, 70}, v), Random({300, 70}, v)}, {}, {}, true}};
}

}  // namespace

void AddComparisonCases(std::vector<OpCase>& cases) {
  const std::vector<BadCall> bad = {{"shapes", {Random({2, 3}), Random({2, 4})}}};
  for (const char* op : {"Less", "LessEqual", "Greater", "GreaterEqual"}) {
    OpCase c{
        .op = op, .types = ForTypes("T", Reals()), .variants = ComparisonVariants(), .bad = bad};
    c.variants.push_back({"specials",
                          {Random({7}, {.specials = true}), Random({7}, {.specials = true})},
                          {},
                          {0, 1}});
    cases.push_back(std::move(c));
  }
  for (const char* op : {"Equal", "NotEqual"}) {
    OpCase c{.op = op,
             .types = ForTypes("T", Numbers() + DTypes{DType::kString, DType::kBool}),
             .variants = ComparisonVariants(),
             .bad = bad};
    c.variants.push_back(
        {"not_fitting", {Random({2, 3}), Random({2, 4})}, {{"incompatible_shape_error", false}}});
    c.variants.push_back(
        {"fitting", {Random({2, 3}), Random({2, 3})}, {{"incompatible_shape_error", false}}});
    cases.push_back(std::move(c));
  }
  for (const char* op : {"LogicalAnd", "LogicalOr"}) {
    cases.push_back({.op = op, .variants = ComparisonVariants(), .bad = bad});
  }
  cases.push_back({.op = "ApproximateEqual",
                   .types = ForTypes("T", FullFloats()),
                   .attrs = {{{"tolerance", 0.5f}}, {}},
                   .variants = {{"scalars", {Random({}), Random({})}},
                                {"same", {Random({8}, {.high = 2}), Random({8}, {.high = 2})}}},
                   .bad = {{"shapes", {Random({2}), Random({3})}}}});
}

}  // namespace rheo::ops
