#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/nn/op_cases_internal.h"

namespace rheo::ops {

void AddLossCases(std::vector<OpCase>& cases) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    cases.push_back({.op = op,
                     .types = ForTypes("T", Floats()),
                     .variants = {{"vector", {Random({5})}},
                                  {"matrix", {Random({3, 4})}},
                                  {"cube", {Random({2, 3, 4})}},
                                  {"one_class", {Random({3, 1})}},
                                  {"big_logits", {Random({3, 4}, {.low = -200, .high = 200})}},
                                  {"no_rows", {Random({0, 3})}},
                                  {"large", {Random({300, 100})}, {}, {}, true}},
                     .bad = {{"scalar", {Random({})}, {}, StatusCode::kInvalidArgument, true}},
                     .tolerance = {.absolute = 1e-6}});
  }
  const Values label = {.low = 0, .high = 1};
  cases.push_back(
      {.op = "SoftmaxCrossEntropyWithLogits",
       .types = ForTypes("T", Floats()),
       .variants = {{"same", {Random({3, 4}), Random({3, 4}, label)}},
                    {"one_label_row", {Random({3, 4}), Random({1, 4}, label)}},
                    {"one_logit_row", {Random({1, 4}), Random({3, 4}, label)}},
                    {"label_vector", {Random({3, 4}), Random({4}, label)}},
                    {"no_rows", {Random({0, 4}), Random({0, 4}, label)}},
                    {"large", {Random({300, 100}), Random({300, 100}, label)}, {}, {}, true}},
       .bad = {{"shapes", {Random({3, 4}), Random({3, 5})}},
               {"vectors", {Random({4}), Random({4})}},
               {"cubes", {Random({2, 3, 4}), Random({2, 3, 4})}}},
       .tolerance = {.absolute = 1e-5},
       .gradient_inputs = {1}});
  // By the logits it is the gradient for labels whose sum is 1 only.
  const Tensor normalized = Tensor::Of<double>({3, 2}, {0.25, 0.75, 1, 0, 0.5, 0.5});
  cases.push_back({.op = "SoftmaxCrossEntropyWithLogits",
                   .types = ForTypes("T", {DType::kDouble}),
                   .variants = {{"normalized", {Random({3, 2}), Literal(normalized)}}},
                   .gradient_inputs = {0}});
  cases.push_back(
      {.op = "SparseSoftmaxCrossEntropyWithLogits",
       .types =
           Product(ForTypes("T", Floats()), ForTypes("Tlabels", {DType::kInt64, DType::kInt32})),
       .variants =
           {{"matrix", {Random({3, 4}), Ints({2, 0, 3})}},
            {"one_class", {Random({2, 1}), Ints({0, 0})}},
            {"no_rows", {Random({0, 4}), Ints({})}},
            {"large", {Random({300, 100}), Random({300}, {.low = 0, .high = 99})}, {}, {}, true}},
       .bad = {{"label_too_large", {Random({3, 4}), Ints({2, 4, 3})}},
               {"label_negative", {Random({3, 4}), Ints({2, -1, 3})}},
               {"rows", {Random({3, 4}), Ints({2, 1})}},
               {"logits_vector", {Random({4}), Ints({2})}},
               {"labels_scalar", {Random({1, 4}), Int(2)}},
               {"no_classes", {Random({2, 0}), Ints({0, 0})}}},
       .tolerance = {.absolute = 1e-5}});
  cases.push_back({.op = "L2Loss",
                   .types = ForTypes("T", Floats()),
                   .variants = {{"scalar", {Random({})}},
                                {"matrix", {Random({3, 4})}},
                                {"empty", {Random({0})}},
                                {"large", {Random({300, 210})}, {}, {}, true}}});
}

}  // namespace rheo::ops
