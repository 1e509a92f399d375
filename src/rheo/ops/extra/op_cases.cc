#include "rheo/ops/extra/op_cases.h"

#include "rheo/ops/common/dtype_sets.h"

namespace rheo::ops {
namespace {

OpCase HuberLossCase() {
  return {.op = "HuberLoss",
          .types = ForTypes("T", Floats()),
          .attrs = {{}, {{"delta", 2.5f}}},
          .variants = {{"scalar", {Random({}), Random({})}},
                       {"matrix", {Random({3, 4}), Random({3, 4})}},
                       {"empty", {Random({0, 3}), Random({0, 3})}},
                       {.name = "large",
                        .inputs = {Random({300, 210}), Random({300, 210})},
                        .large = true}},
          .bad = {{"shapes", {Random({2}), Random({3})}},
                  {"delta", {Random({2}), Random({2})}, {{"delta", -1.0f}}}}};
}

}  // namespace

std::vector<OpCase> ExtraOpCases() { return {HuberLossCase()}; }

}  // namespace rheo::ops
