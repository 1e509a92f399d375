#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {
namespace {

// A matrix of rows × columns, stored transposed when asked.
InputSpec Matrix(int64_t rows, int64_t columns, bool transposed) {
  return Random(transposed ? Shape{columns, rows} : Shape{rows, columns}, {.low = -2, .high = 2});
}

void AddProduct(OpCase& c, std::string name, int64_t m, int64_t k, int64_t n, bool large = false) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      c.variants.push_back({name + (ta ? "_ta" : "") + (tb ? "_tb" : ""),
                            {Matrix(m, k, ta), Matrix(k, n, tb)},
                            {{"transpose_a", ta}, {"transpose_b", tb}},
                            {},
                            large});
    }
  }
}

OpCase MatMulCase() {
  OpCase c{.op = "MatMul",
           .types = ForTypes("T", Floats() + Complexes() + DTypes{DType::kInt32, DType::kInt64}),
           .bad = {{"inner", {Random({2, 3}), Random({2, 3})}},
                   {"rank_a", {Random({3}), Random({3, 2})}},
                   {"rank_b", {Random({2, 3}), Random({3})}},
                   {"rank_three", {Random({1, 2, 3}), Random({3, 2})}}},
           .tolerance = {.absolute = 1e-5}};
  AddProduct(c, "small", 2, 3, 4);
  AddProduct(c, "medium", 13, 33, 17);
  AddProduct(c, "vector", 1, 5, 3);
  AddProduct(c, "no_inner", 2, 0, 3);
  AddProduct(c, "no_rows", 0, 3, 2);
  AddProduct(c, "large", 130, 260, 70, true);
  return c;
}

std::vector<CaseVariant> BatchVariants(bool broadcasts) {
  const Values v = {.low = -2, .high = 2};
  std::vector<CaseVariant> variants = {
      {"matrices", {Random({2, 3}, v), Random({3, 4}, v)}},
      {"batch", {Random({5, 2, 3}, v), Random({5, 3, 4}, v)}},
      {"two_batches", {Random({2, 3, 2, 3}, v), Random({2, 3, 3, 4}, v)}},
      {"empty_batch", {Random({0, 2, 3}, v), Random({0, 3, 4}, v)}},
      {"no_inner", {Random({2, 2, 0}, v), Random({2, 0, 3}, v)}},
      {"large", {Random({8, 40, 50}, v), Random({8, 50, 30}, v)}, {}, {}, true}};
  if (broadcasts) {
    variants.push_back({"one_left", {Random({2, 3}, v), Random({4, 3, 4}, v)}});
    variants.push_back({"one_right", {Random({4, 2, 3}, v), Random({3, 4}, v)}});
    variants.push_back({"crossed", {Random({3, 1, 2, 3}, v), Random({2, 3, 4}, v)}});
  }
  return variants;
}

OpCase BatchCase(std::string op, std::vector<op::AttrMap> types, bool broadcasts) {
  OpCase c{.op = std::move(op),
           .types = std::move(types),
           .variants = BatchVariants(broadcasts),
           .bad = {{"inner", {Random({2, 2, 3}), Random({2, 2, 3})}},
                   {"batch", {Random({2, 2, 3}), Random({3, 3, 2})}},
                   {"vector", {Random({3}), Random({3, 2})}}},
           .tolerance = {.absolute = 1e-5}};
  const Values v = {.low = -2, .high = 2};
  const CaseVariant adjoints[] = {
      {"adj_x", {Random({2, 3, 2}, v), Random({2, 3, 4}, v)}, {{"adj_x", true}}},
      {"adj_y", {Random({2, 2, 3}, v), Random({2, 4, 3}, v)}, {{"adj_y", true}}},
      {"adj_both",
       {Random({2, 3, 2}, v), Random({2, 4, 3}, v)},
       {{"adj_x", true}, {"adj_y", true}}}};
  c.variants.insert(c.variants.end(), std::begin(adjoints), std::end(adjoints));
  return c;
}

}  // namespace

void AddMatMulCases(std::vector<OpCase>& cases) {
  cases.push_back(MatMulCase());
  const DTypes types = Floats() + Complexes() + DTypes{DType::kInt32, DType::kInt64};
  cases.push_back(BatchCase("BatchMatMul", ForTypes("T", types), false));
  cases.push_back(BatchCase("BatchMatMulV2", ForTypes("T", types + DTypes{DType::kInt16}), true));
  std::vector<op::AttrMap> same;
  for (const DType t : FullFloats() + Complexes() + DTypes{DType::kInt32, DType::kInt64}) {
    same.push_back({{"Ta", t}, {"Tb", t}, {"Tout", t}});
  }
  cases.push_back(BatchCase("BatchMatMulV3", std::move(same), true));
  const auto mixed = [](DType a, DType b, DType out) {
    return op::AttrMap{{"Ta", a}, {"Tb", b}, {"Tout", out}};
  };
  cases.push_back(BatchCase("BatchMatMulV3",
                            {mixed(DType::kInt8, DType::kUint8, DType::kInt32),
                             mixed(DType::kUint8, DType::kUint8, DType::kInt32),
                             mixed(DType::kBfloat16, DType::kInt8, DType::kBfloat16),
                             mixed(DType::kUint8, DType::kBfloat16, DType::kBfloat16),
                             mixed(DType::kBfloat16, DType::kBfloat16, DType::kBfloat16)},
                            true));
}

}  // namespace rheo::ops
