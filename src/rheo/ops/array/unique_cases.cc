// Ops whose output's size depends on the values, and ops that check values.
#include "rheo/ops/array/op_cases.h"

namespace rheo::ops {
namespace {

using DTypes = std::vector<DType>;

const DTypes kHashed = {DType::kInt32, DType::kFloat, DType::kHalf,  DType::kInt64,
                        DType::kUint8, DType::kBool,  DType::kString};
const DTypes kIndices = {DType::kInt32, DType::kInt64};

}  // namespace

void AddUniqueCases(std::vector<OpCase>& cases) {
  const Values few = {.low = 0, .high = 3};
  const std::vector<op::AttrMap> types =
      Product(ForTypes("T", kHashed), ForTypes("out_idx", kIndices));
  for (const char* op : {"Unique", "UniqueWithCounts"}) {
    cases.push_back({.op = op,
                     .types = types,
                     .variants = {{"many", {Random({12}, few)}}, {"none", {Random({0})}}},
                     .bad = {{"matrix", {Random({2, 2})}}}});
  }
  for (const char* op : {"UniqueV2", "UniqueWithCountsV2"}) {
    cases.push_back({.op = op,
                     .types = Product(types, {{{"Taxis", DType::kInt32}}}),
                     .variants = {{"vector", {Random({12}, few), Ints({})}},
                                  {"rows", {Random({8, 2}, {.low = 0, .high = 1}), Ints({0})}},
                                  {"columns", {Random({2, 8}, {.low = 0, .high = 1}), Ints({1})}}},
                     .bad = {{"axis", {Random({2, 2}), Ints({2})}}}});
  }
  cases.push_back({.op = "ListDiff",
                   .types = Product(ForTypes("T", {DType::kInt32, DType::kFloat, DType::kString}),
                                    ForTypes("out_idx", kIndices)),
                   .variants = {{"some", {Random({8}, few), Random({2}, few)}},
                                {"none", {Random({8}, few), Random({0})}}},
                   .bad = {{"matrix", {Random({2, 2}), Random({2})}}}});
  cases.push_back(
      {.op = "Where",
       .types = ForTypes("T", {DType::kBool, DType::kFloat, DType::kInt32, DType::kComplex64}),
       .variants = {{"matrix", {Random({3, 4}, {.low = 0, .high = 1})}},
                    {"vector", {Random({9}, {.low = 0, .high = 1})}},
                    {"empty", {Random({0, 3})}}},
       .bad = {{"scalar", {Random({})}}}});
  cases.push_back(
      {.op = "CheckNumerics",
       .types = ForTypes("T", {DType::kFloat, DType::kDouble, DType::kHalf}),
       .attrs = {{{"message", "m"}}},
       .variants = {{"fine", {Random({3})}}},
       .bad = {{"nan", {Literal(Tensor::Of<float>({2}, {1, 0.0F / 0.0F}))}, {{"message", "m"}}}}});
  cases.push_back({.op = "Assert",
                   .types = {{{"T", DTypes{DType::kFloat}}}},
                   .variants = {{"holds", {Literal(Tensor::Scalar(true)), Random({2})}}},
                   // The comparison fetches outputs, of which there are none.
                   .bad = {{.name = "fails",
                            .inputs = {Literal(Tensor::Scalar(false)), Random({2})},
                            .differs_from_tensorflow = true}}});
}

}  // namespace rheo::ops
