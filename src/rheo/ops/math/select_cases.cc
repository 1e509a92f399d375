#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {

void AddSelectCases(std::vector<OpCase>& cases) {
  const DTypes movable = Numbers() + DTypes{DType::kBool, DType::kString};
  cases.push_back(
      {.op = "Select",
       .types = ForTypes("T", movable),
       .variants =
           {{"scalars", {Random({}), Random({}), Random({})}},
            {"scalar_condition", {Random({}), Random({2, 3}), Random({2, 3})}},
            {"rows", {Random({4}), Random({4, 3}), Random({4, 3})}},
            {"vector", {Random({5}), Random({5}), Random({5})}},
            {"elements", {Random({2, 3}), Random({2, 3}), Random({2, 3})}},
            {"empty", {Random({0}), Random({0, 3}), Random({0, 3})}},
            {"large", {Random({300, 70}), Random({300, 70}), Random({300, 70})}, {}, {}, true}},
       .bad = {{"branches", {Random({}), Random({2}), Random({3})}},
               {"rows", {Random({3}), Random({2, 3}), Random({2, 3})}},
               {"condition", {Random({2, 1}), Random({2, 3}), Random({2, 3})}}}});
  cases.push_back(
      {.op = "SelectV2",
       .types = ForTypes("T", movable),
       .variants = {{"scalars", {Random({}), Random({}), Random({})}},
                    {"same", {Random({2, 3}), Random({2, 3}), Random({2, 3})}},
                    {"scalar_condition", {Random({}), Random({2, 3}), Random({2, 3})}},
                    {"scalar_branch", {Random({2, 3}), Random({2, 3}), Random({})}},
                    {"both_scalar", {Random({2, 3}), Random({}), Random({})}},
                    {"column", {Random({2, 1}), Random({2, 3}), Random({3})}},
                    {"crossed", {Random({3, 1, 1}), Random({2, 1}), Random({4})}},
                    {"empty", {Random({0}), Random({1}), Random({})}},
                    {"large", {Random({300, 1}), Random({300, 70}), Random({70})}, {}, {}, true}},
       .bad = {{"branches", {Random({}), Random({2}), Random({3})}},
               {"condition", {Random({4}), Random({3}), Random({3})}}}});
  const Values low = {.low = -2, .high = -1};
  const Values high = {.low = 1, .high = 2};
  cases.push_back(
      {.op = "ClipByValue",
       .types = ForTypes("T", Floats() + SignedInts() + DTypes{DType::kUint8, DType::kUint16}),
       .variants = {{"scalars", {Random({}), Random({}, low), Random({}, high)}},
                    {"scalar_bounds", {Random({2, 3}), Random({}, low), Random({}, high)}},
                    {"tensor_bounds", {Random({2, 3}), Random({2, 3}, low), Random({2, 3}, high)}},
                    {"mixed_bounds", {Random({2, 3}), Random({2, 3}, low), Random({}, high)}},
                    {"empty", {Random({0}), Random({}, low), Random({}, high)}}},
       .bad = {{"bounds", {Random({2, 3}), Random({3}, low), Random({}, high)}}}});
}

}  // namespace rheo::ops
