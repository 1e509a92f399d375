#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {

void AddCastCases(std::vector<OpCase>& cases) {
  const DTypes all = Numbers() + DTypes{DType::kBool};
  cases.push_back({.op = "Cast",
                   .types = Product(ForTypes("SrcT", all), ForTypes("DstT", all)),
                   .variants = {{"scalar", {Random({}, {.low = 0})}},
                                {"matrix", {Random({3, 4}, {.low = 0, .high = 120})}},
                                {"empty", {Random({0, 3})}}}});
  // Negative and too large numbers. (Of other floats, TensorFlow's answer depends on the position.)
  const DTypes wrapping = SignedInts() + UnsignedInts() + DTypes{DType::kFloat};
  cases.push_back({.op = "Cast",
                   .types = Product(ForTypes("SrcT", wrapping), ForTypes("DstT", all)),
                   .variants = {{"wide", {Random({20}, {.low = -100, .high = 300})}}}});
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
