#include <string>

#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/state/op_cases.h"

namespace rheo::ops {
namespace {

const std::vector<op::AttrMap> kIndexTypes = ForTypes("Tindices", {DType::kInt32, DType::kInt64});
// Quotients of integers are compared exactly, so that nothing is divided by zero.
const Values kUpdates = {.low = 1, .high = 4};

void AddRowCases(std::vector<OpCase>& cases) {
  for (const char* what : {"Add", "Sub", "Mul", "Div", "Min", "Max", "Update"}) {
    for (const char* prefix : {"Scatter", "ResourceScatter"}) {
      const bool resource = prefix[0] == 'R';
      const std::string op = std::string(prefix) + what;
      const char* attr = resource ? "dtype" : "T";
      cases.push_back({.op = op,
                       .types = WithKernels(op, Product(ForTypes(attr, Numbers()), kIndexTypes)),
                       .variants = {{"rows", {Var({4, 3}), Ints({3, 0}), Random({2, 3}, kUpdates)}},
                                    {"twice", {Var({4}), Ints({1, 1, 2}), Random({3}, kUpdates)}},
                                    {"scalar", {Var({4, 3}), Ints({3, 0}), Random({}, kUpdates)}},
                                    {"one", {Var({4, 3}), Int(1), Random({3}, kUpdates)}},
                                    {"none", {Var({4, 3}), Ints({}), Random({0, 3}, kUpdates)}}},
                       .bad = {{"out_of_range", {Var({4, 3}), Ints({4}), Random({1, 3})}},
                               {"negative", {Var({4, 3}), Ints({-1}), Random({1, 3})}},
                               // TensorFlow's resource forms read what is not there.
                               {.name = "shape",
                                .inputs = {Var({4, 3}), Ints({1, 2}), Random({2, 2})},
                                .differs_from_tensorflow = resource}}});
    }
  }
}

void AddNdCases(std::vector<OpCase>& cases) {
  const InputSpec elements = Literal(Tensor::Of<int32_t>({2, 2}, {0, 2, 3, 1}));
  const InputSpec rows = Literal(Tensor::Of<int32_t>({2, 1}, {3, 0}));
  for (const char* what : {"Add", "Sub", "Update"}) {
    for (const char* prefix : {"ScatterNd", "ResourceScatterNd"}) {
      const std::string op = std::string(prefix) + what;
      cases.push_back(
          {.op = op,
           .types = WithKernels(op, Product(ForTypes("T", Numbers()), kIndexTypes)),
           .variants = {{"elements", {Var({4, 3}), elements, Random({2})}},
                        {"rows", {Var({4, 3}), rows, Random({2, 3})}}},
           .bad = {{"out_of_range",
                    {Var({4, 3}), Literal(Tensor::Of<int32_t>({1, 1}, {4})), Random({1, 3})}},
                   {"shape", {Var({4, 3}), rows, Random({2, 2})}}}});
    }
  }
}

}  // namespace

void AddScatterUpdateCases(std::vector<OpCase>& cases) {
  AddRowCases(cases);
  AddNdCases(cases);
}

}  // namespace rheo::ops
