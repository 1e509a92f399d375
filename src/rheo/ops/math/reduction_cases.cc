#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {
namespace {

std::vector<CaseVariant> ReductionVariants(Values v) {
  const Shape cube = {2, 3, 4};
  return {{"all", {Random(cube, v), Ints({0, 1, 2})}},
          {"none", {Random(cube, v), Ints({})}},
          {"first", {Random(cube, v), Ints({0})}},
          {"middle", {Random(cube, v), Ints({1})}},
          {"last", {Random(cube, v), Ints({-1})}},
          {"outer_two", {Random(cube, v), Ints({0, 1})}},
          {"ends", {Random(cube, v), Ints({2, 0})}},
          {"scalar_axis", {Random(cube, v), Int(1)}},
          {"of_scalar", {Random({}, v), Ints({})}},
          {"of_ones", {Random({1, 1}, v), Ints({0, 1})}},
          {"four", {Random({2, 3, 2, 3}, v), Ints({1, 3})}},
          {"of_nothing", {Random({0, 3}, v), Ints({0})}},
          {"to_nothing", {Random({0, 3}, v), Ints({1})}},
          {"large_all", {Random({300, 210}, v), Ints({0, 1})}, {}, {}, true},
          {"large_rows", {Random({300, 210}, v), Ints({1})}, {}, {}, true},
          {"large_columns", {Random({210, 300}, v), Ints({0})}, {}, {}, true}};
}

std::vector<BadCall> BadAxes() {
  return {{"axis_too_large", {Random({2, 3}), Ints({2})}},
          {"axis_too_small", {Random({2, 3}), Ints({-3})}},
          {"axis_twice", {Random({2, 3}), Ints({1, 1})}},
          {"axis_twice_negative", {Random({2, 3}), Ints({1, -1})}}};
}

OpCase Reduction(std::string op, DTypes types, Values v = {}) {
  return {.op = std::move(op),
          .types = ForTypes("T", types),
          .attrs = {{}, {{"keep_dims", true}}, {{"Tidx", DType::kInt64}}},
          .variants = ReductionVariants(v),
          .bad = BadAxes(),
          .tolerance = {.absolute = 5e-5}};
}

OpCase Scan(std::string op, Values v) {
  const Shape cube = {2, 3, 4};
  return {
      .op = std::move(op),
      .types = Product(ForTypes("T", Numbers()), ForTypes("Tidx", {DType::kInt32, DType::kInt64})),
      .attrs = {{},
                {{"exclusive", true}},
                {{"reverse", true}},
                {{"exclusive", true}, {"reverse", true}}},
      .variants = {{"vector", {Random({5}, v), Int(0)}},
                   {"first", {Random(cube, v), Int(0)}},
                   {"middle", {Random(cube, v), Int(1)}},
                   {"last", {Random(cube, v), Int(-1)}},
                   {"empty", {Random({0, 3}, v), Int(0)}},
                   {"large", {Random({70, 300}, v), Int(0)}, {}, {}, true}},
      .bad = {{"axis_too_large", {Random({2, 3}), Int(2)}},
              {"axis_too_small", {Random({2, 3}), Int(-3)}},
              {"axis_is_a_vector", {Random({2, 3}), Ints({0})}}},
      .tolerance = {.absolute = 1e-5}};
}

OpCase Arg(std::string op, DTypes output_types) {
  const Values v = {.low = 0, .high = 60, .distinct = true};
  const Shape cube = {2, 3, 4};
  OpCase c{.op = std::move(op),
           .types = Product(ForTypes("T", Reals() + DTypes{DType::kBool}),
                            ForTypes("output_type", output_types)),
           .variants = {{"first", {Random(cube, v), Int(0)}},
                        {"middle", {Random(cube, v), Int(1)}},
                        {"last", {Random(cube, v), Int(-1)}},
                        {"vector", {Random({5}, v), Int(0)}},
                        {"ties", {Random({3, 8}, {.low = 0, .high = 1}), Int(1)}},
                        {"to_nothing", {Random({0, 3}, v), Int(1)}},
                        {"large", {Random({300, 70}), Int(1)}, {}, {}, true}},
           .bad = {{"axis_too_large", {Random({2, 3}), Int(2)}},
                   {"axis_too_small", {Random({2, 3}), Int(-3)}},
                   {"axis_is_a_vector", {Random({2, 3}), Ints({0, 1})}},
                   {"of_nothing", {Random({0, 3}), Int(0)}},
                   {"of_scalar", {Random({}), Int(0)}}}};
  const Values specials = {.specials = true};
  c.variants.push_back({"specials", {Random({7}, specials), Int(0)}, {}, {0}});
  return c;
}

}  // namespace

void AddReductionCases(std::vector<OpCase>& cases) {
  cases.push_back(Reduction("Sum", Numbers()));
  cases.push_back(Reduction("Mean", Numbers()));
  cases.push_back(Reduction("Prod", Numbers(), {.low = -1.5, .high = 1.5, .gap = 0.3}));
  cases.push_back(Reduction("EuclideanNorm", Numbers()));
  cases.back().check_complex_gradient = false;
  for (const char* op : {"Max", "Min"}) {
    OpCase c = Reduction(op, Reals(), {.low = 0, .high = 40, .distinct = true});
    c.variants.push_back({"specials", {Random({7}, {.specials = true}), Ints({0})}, {}, {0, 1}});
    cases.push_back(std::move(c));
  }
  for (const char* op : {"All", "Any"}) {
    OpCase c = Reduction(op, {DType::kBool});
    c.types = {{}};
    cases.push_back(std::move(c));
  }
  cases.push_back(Scan("Cumsum", {}));
  cases.push_back(Scan("Cumprod", {.low = -1.5, .high = 1.5, .gap = 0.5}));
  cases.back().check_complex_gradient = false;
  cases.push_back(Arg("ArgMax", {DType::kInt64, DType::kInt32, DType::kInt16, DType::kUint16}));
  cases.push_back(Arg("ArgMin", {DType::kInt64, DType::kInt32}));
}

}  // namespace rheo::ops
