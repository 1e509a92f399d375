#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/math/op_cases_internal.h"

namespace rheo::ops {

void AddBroadcastCases(std::vector<OpCase>& cases) {
  cases.push_back({.op = "BroadcastTo",
                   .types = Product(ForTypes("T", Numbers() + DTypes{DType::kBool, DType::kString}),
                                    ForTypes("Tidx", {DType::kInt32, DType::kInt64})),
                   .variants = {{"same", {Random({2, 3}), Ints({2, 3})}},
                                {"scalar", {Random({}), Ints({2, 3})}},
                                {"scalar_to_scalar", {Random({}), Ints({})}},
                                {"row", {Random({3}), Ints({2, 3})}},
                                {"column", {Random({2, 1}), Ints({2, 3})}},
                                {"new_axes", {Random({2, 1, 3}), Ints({2, 2, 4, 3})}},
                                {"to_nothing", {Random({1, 3}), Ints({0, 3})}},
                                {"large", {Random({300, 1}), Ints({300, 70})}, {}, {}, true}},
                   .bad = {{"shapes", {Random({2}), Ints({3})}},
                           {"fewer_dimensions", {Random({2, 3}), Ints({3})}},
                           {"shrinking", {Random({2, 3}), Ints({1, 3})}},
                           {"negative", {Random({1}), Ints({-1})}}}});
  const auto pair = [](std::string name, std::vector<int32_t> a, std::vector<int32_t> b) {
    return CaseVariant{std::move(name), {Ints(a), Ints(b)}};
  };
  const std::vector<CaseVariant> pairs = {pair("same", {2, 3}, {2, 3}),
                                          pair("scalar", {2, 3}, {}),
                                          pair("scalars", {}, {}),
                                          pair("row", {2, 3}, {3}),
                                          pair("crossed", {2, 1, 3}, {4, 1}),
                                          pair("ones", {1, 1}, {1, 1}),
                                          pair("one_and_none", {1}, {}),
                                          pair("ones_between", {2, 1, 3}, {2, 1, 1}),
                                          pair("empty", {0, 3}, {1, 3})};
  const std::vector<BadCall> bad = {
      {"shapes", {Ints({2, 3}), Ints({2, 4})}},
      {"matrix", {Literal(Tensor::Of<int32_t>({1, 2}, {2, 3})), Ints({2, 3})}}};
  for (const char* op : {"BroadcastArgs", "BroadcastGradientArgs"}) {
    cases.push_back({.op = op,
                     .types = ForTypes("T", {DType::kInt32, DType::kInt64}),
                     .variants = pairs,
                     .bad = bad});
  }
}

}  // namespace rheo::ops
