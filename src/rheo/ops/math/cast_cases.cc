#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {

void AddCastCases(std::vector<OpCase>& cases) {
  const DTypes all = Numbers() + DTypes{DType::kBool};
  OpCase c{.op = "Cast",
           .types = Product(ForTypes("SrcT", all), ForTypes("DstT", all)),
           .variants = {{"scalar", {Random({})}},
                        {"matrix", {Random({3, 4}, {.low = -100, .high = 300})}},
                        {"empty", {Random({0, 3})}}}};
  cases.push_back(std::move(c));
  std::vector<op::AttrMap> cutting;
  for (const DType t : {DType::kBfloat16, DType::kHalf}) {
    cutting.push_back({{"SrcT", DType::kFloat}, {"DstT", t}, {"Truncate", true}});
  }
  cases.push_back({.op = "Cast",
                   .types = cutting,
                   .variants = {{"cut", {Random({40})}}},
                   .check_gradient = false});
}

}  // namespace rheo::ops
