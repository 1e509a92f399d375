#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/nn/op_cases_internal.h"

namespace rheo::ops {
namespace {

constexpr Values kNonzero = {.low = -8, .high = 8, .gap = 0.1};

OpCase Activation(std::string op, DTypes types) {
  return {.op = std::move(op),
          .types = ForTypes("T", types),
          .variants =
              {{"scalar", {Random({}, kNonzero)}},
               {"matrix", {Random({2, 3}, kNonzero)}},
               {"empty", {Random({0, 3}, kNonzero)}},
               {"specials", {Random({6}, {.low = 0.5, .high = 2, .specials = true})}, {}, {0, 1}},
               {"large", {Random({257, 130}, kNonzero)}, {}, {}, true}},
          .tolerance = {.absolute = 1e-6}};
}

// f(gradients, features or outputs).
OpCase Gradient(std::string op, DTypes types) {
  return {.op = std::move(op),
          .types = ForTypes("T", types),
          .variants = {{"scalar", {Random({}), Random({}, kNonzero)}},
                       {"matrix", {Random({2, 3}), Random({2, 3}, kNonzero)}},
                       {"empty", {Random({0, 3}), Random({0, 3}, kNonzero)}},
                       {"large", {Random({257, 130}), Random({257, 130}, kNonzero)}, {}, {}, true}},
          .bad = {{"shapes", {Random({2, 3}), Random({3, 3})}}},
          .tolerance = {.absolute = 1e-6}};
}

}  // namespace

void AddActivationCases(std::vector<OpCase>& cases) {
  for (const char* op : {"Relu", "Relu6"}) cases.push_back(Activation(op, Reals()));
  for (const char* op : {"Elu", "Selu", "Softplus", "Softsign"}) {
    cases.push_back(Activation(op, Floats()));
  }
  for (const char* op : {"ReluGrad", "Relu6Grad"}) cases.push_back(Gradient(op, Reals()));
  for (const char* op : {"EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"}) {
    cases.push_back(Gradient(op, Floats()));
  }
  OpCase leaky = Activation("LeakyRelu", Floats());
  leaky.attrs = {{}, {{"alpha", 0.5f}}};
  cases.push_back(leaky);
  leaky = Gradient("LeakyReluGrad", Floats());
  leaky.attrs = {{}, {{"alpha", 0.5f}}};
  cases.push_back(leaky);
}

}  // namespace rheo::ops
