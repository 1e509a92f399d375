#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/nn/op_cases_internal.h"

namespace rheo::ops {

void AddTopKCases(std::vector<OpCase>& cases) {
  const Values v = {.low = 0, .high = 60, .distinct = true};
  const std::vector<op::AttrMap> index_types =
      ForTypes("index_type", {DType::kInt32, DType::kInt64, DType::kInt16});
  cases.push_back({.op = "TopKV2",
                   .types = Product(ForTypes("T", Reals()), index_types),
                   .variants = {{"vector", {Random({6}, v), Int(3)}},
                                {"matrix", {Random({3, 5}, v), Int(2)}},
                                {"one", {Random({3, 5}, v), Int(1)}},
                                {"all", {Random({2, 3, 4}, v), Int(4)}},
                                {"none", {Random({3, 5}, v), Int(0)}},
                                {"ties", {Random({3, 9}, {.low = 0, .high = 1}), Int(5)}},
                                {"no_rows", {Random({0, 5}, v), Int(2)}},
                                {"large", {Random({100, 200}), Int(10)}, {}, {}, true}},
                   .bad = {{"too_many", {Random({3, 5}), Int(6)}},
                           {"negative", {Random({3, 5}), Int(-1)}},
                           {"scalar", {Random({}), Int(0)}},
                           {"k_vector", {Random({3, 5}), Ints({1, 2})}}},
                   .gradient_inputs = {0}});
  cases.push_back({.op = "TopK",
                   .types = ForTypes("T", Reals()),
                   .variants = {{"matrix", {Random({3, 5}, v)}, {{"k", 2}}}},
                   .bad = {{"too_many", {Random({3, 5})}, {{"k", 6}}}}});
  const Values class_number = {.low = 0, .high = 4};
  cases.push_back(
      {.op = "InTopK",
       .types = ForTypes("T", {DType::kInt32, DType::kInt64}),
       .variants = {{"distinct", {Random({8, 5}, v), Random({8}, class_number)}, {{"k", 2}}},
                    {"ties",
                     {Random({8, 5}, {.low = 1, .high = 1}), Random({8}, class_number)},
                     {{"k", 2}}},
                    {"out_of_range", {Random({3, 5}, v), Ints({-1, 5, 2})}, {{"k", 5}}},
                    {"specials", {Random({3, 5}, {.specials = true}), Ints({0, 1, 2})}, {{"k", 3}}},
                    {"no_rows", {Random({0, 5}), Ints({})}, {{"k", 2}}}},
       .bad = {{"rows", {Random({3, 5}), Ints({1, 2})}, {{"k", 2}}},
               {"vector", {Random({5}), Ints({1})}, {{"k", 2}}}}});
  cases.push_back(
      {.op = "InTopKV2",
       .types = ForTypes("T", {DType::kInt32, DType::kInt64}),
       .variants = {{"distinct", {Random({8, 5}, v), Random({8}, class_number), Int(2)}},
                    {"none", {Random({8, 5}, v), Random({8}, class_number), Int(0)}},
                    {"more_than_all", {Random({8, 5}, v), Random({8}, class_number), Int(9)}}},
       .bad = {{"k_vector", {Random({3, 5}), Ints({1, 2, 0}), Ints({1})}}}});
}

}  // namespace rheo::ops
