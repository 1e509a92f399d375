#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {
namespace {

std::vector<CaseVariant> BinaryVariants(Values a, Values b) {
  return {{"scalars", {Random({}, a), Random({}, b)}},
          {"same", {Random({2, 3}, a), Random({2, 3}, b)}},
          {"scalar_right", {Random({2, 3}, a), Random({}, b)}},
          {"scalar_left", {Random({}, a), Random({2, 3}, b)}},
          {"one_element", {Random({1, 1, 1}, a), Random({2, 3}, b)}},
          {"row", {Random({2, 3}, a), Random({3}, b)}},
          {"column", {Random({2, 1}, a), Random({2, 3}, b)}},
          {"outer", {Random({3, 1}, a), Random({4}, b)}},
          {"middle", {Random({2, 1, 3}, a), Random({2, 4, 1}, b)}},
          {"empty", {Random({0, 3}, a), Random({3}, b)}},
          {"empty_by_one", {Random({1, 3}, a), Random({0, 3}, b)}},
          {"large", {Random({300, 70}, a), Random({300, 70}, b)}, {}, {}, true},
          {"large_row", {Random({300, 70}, a), Random({70}, b)}, {}, {}, true},
          {"large_column", {Random({300, 1}, a), Random({300, 70}, b)}, {}, {}, true}};
}

OpCase Binary(std::string op, DTypes types, Values a = {}, Values b = {},
              Tolerance tolerance = {}) {
  OpCase c{.op = std::move(op),
           .types = ForTypes("T", types),
           .variants = BinaryVariants(a, b),
           .bad = {{"shapes", {Random({2, 3}), Random({2, 4})}},
                   {"ranks", {Random({2}), Random({3, 3})}}},
           .tolerance = tolerance};
  return c;
}

BadCall ByZero(DType dtype, StatusCode code = StatusCode::kInvalidArgument, bool differs = false) {
  return {"by_zero_" + DTypeName(dtype),
          {Random({3}), Literal(Tensor::Of<int32_t>({3}, {1, 0, 2}))},
          {{"T", dtype}},
          code,
          differs};
}

constexpr Values kDivisor = {.low = 0.6, .high = 4};
constexpr Values kWithZeros = {.low = 0, .high = 2};

}  // namespace

void AddBinaryCases(std::vector<OpCase>& cases) {
  constexpr Tolerance kNearZero = {.absolute = 1e-6};
  cases.push_back(Binary("AddV2", Numbers(), {}, {}, kNearZero));
  cases.push_back(
      Binary("Add", Floats() + SignedInts() + Complexes() + DTypes{DType::kUint8, DType::kString},
             {}, {}, kNearZero));
  cases.push_back(Binary("Sub", Numbers(), {}, {}, kNearZero));
  cases.push_back(Binary("Mul", Numbers(), {}, {}, kNearZero));
  cases.push_back(Binary("MulNoNan", FloatsAndComplexes(), {}, {}, kNearZero));
  cases.back().check_complex_gradient = false;
  cases.push_back(Binary("SquaredDifference",
                         Floats() + Complexes() + DTypes{DType::kInt32, DType::kInt64}, {}, {},
                         kNearZero));
  cases.back().check_complex_gradient = false;
  for (const char* op : {"Maximum", "Minimum"}) {
    OpCase c = Binary(op, Reals());
    c.variants.push_back({"specials",
                          {Random({7}, {.specials = true}), Random({7}, {.low = 1, .high = 2})},
                          {},
                          {0, 1}});
    cases.push_back(std::move(c));
  }
  OpCase div = Binary("Div", Numbers(), {}, kDivisor, kNearZero);
  for (const DType t : SignedInts() + UnsignedInts()) div.bad.push_back(ByZero(t));
  cases.push_back(std::move(div));
  cases.push_back(Binary("RealDiv", FloatsAndComplexes(), {}, kDivisor, kNearZero));
  cases.push_back(Binary("DivNoNan", FloatsAndComplexes(), {}, kDivisor, kNearZero));
  for (const char* op : {"FloorDiv", "FloorMod"}) {
    OpCase c = Binary(op, Reals(), {.low = -9, .high = 9}, kDivisor, {.absolute = 1e-5});
    c.variants.push_back(
        {"negative",
         {Random({8}, {.low = -9, .high = 9}), Random({8}, {.low = -4, .high = -0.6})},
         {},
         {0, 1, 4, 5, 6, 7}});
    c.bad.push_back(ByZero(DType::kInt32));
    c.bad.push_back(ByZero(DType::kInt64));
    cases.push_back(std::move(c));
  }
  OpCase truncate = Binary("TruncateDiv", Reals(), {.low = -9, .high = 9}, kDivisor);
  truncate.bad.push_back(ByZero(DType::kInt32, StatusCode::kInvalidArgument, true));
  cases.push_back(std::move(truncate));
  for (const char* op : {"Mod", "TruncateMod"}) {
    cases.push_back(Binary(op, FullFloats() + DTypes{DType::kInt32, DType::kInt64},
                           {.low = -9, .high = 9}, kDivisor, {.absolute = 1e-5}));
  }
  OpCase pow = Binary("Pow", FloatsAndComplexes(), {.low = 0.2, .high = 3}, {.low = -2, .high = 3},
                      kNearZero);
  cases.push_back(pow);
  pow = Binary("Pow", SignedInts(), {}, {.low = 0, .high = 3});
  pow.bad.push_back(
      {"negative_exponent", {Random({3}), Literal(Tensor::Of<int32_t>({3}, {1, -1, 2}))}});
  cases.push_back(std::move(pow));
  for (const char* op : {"Xlogy", "Xdivy", "Xlog1py"}) {
    cases.push_back(Binary(op, FloatsAndComplexes(), {.gap = 0.1}, kDivisor, kNearZero));
    OpCase zeros = Binary(op, FullFloats(), {}, kWithZeros);
    zeros.variants = {
        {"zeros",
         {Literal(Tensor::Of<float>({3}, {0, 0, 2})), Literal(Tensor::Of<float>({3}, {0, 1, 0}))}}};
    zeros.bad.clear();
    zeros.check_gradient = false;
    cases.push_back(std::move(zeros));
  }
  cases.push_back(Binary("Atan2", Floats(), {.gap = 0.1}, {.gap = 0.1}, kNearZero));
  cases.push_back(Binary("NextAfter", FullFloats()));
  OpCase complex = Binary("Complex", FullFloats());
  complex.types = {{{"T", DType::kFloat}, {"Tout", DType::kComplex64}},
                   {{"T", DType::kDouble}, {"Tout", DType::kComplex128}}};
  cases.push_back(std::move(complex));
  cases.push_back(
      {.op = "AddN",
       .types = ForTypes("T", Numbers()),
       .variants = {{"one", {Random({2, 3})}, {{"N", 1}}},
                    {"two", {Random({2, 3}), Random({2, 3})}, {{"N", 2}}},
                    {"five",
                     {Random({4}), Random({4}), Random({4}), Random({4}), Random({4})},
                     {{"N", 5}}},
                    {"empty", {Random({0}), Random({0})}, {{"N", 2}}},
                    {"large", {Random({300, 70}), Random({300, 70})}, {{"N", 2}}, {}, true}},
       .bad = {{"shapes", {Random({2}), Random({3})}, {{"N", 2}}}},
       .tolerance = {.absolute = 1e-6}});
}

}  // namespace rheo::ops
