#include "rheo/ops/nn/op_cases_internal.h"

namespace rheo::ops {
namespace {

op::AttrMap Window(std::vector<int64_t> strides, const char* padding,
                   std::vector<int64_t> dilations = {1, 1, 1, 1}) {
  return {
      {"strides", std::move(strides)}, {"padding", padding}, {"dilations", std::move(dilations)}};
}

}  // namespace

void AddConvCases(std::vector<OpCase>& cases) {
  const op::AttrMap valid = Window({1, 1, 1, 1}, "VALID");
  const op::AttrMap same = Window({1, 1, 1, 1}, "SAME");
  op::AttrMap padded = Window({1, 2, 1, 1}, "EXPLICIT");
  padded.Set("explicit_paddings", std::vector<int64_t>{0, 0, 1, 2, 0, 1, 0, 0});
  OpCase conv{
      .op = "Conv2D",
      .types = ForTypes("T", {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBfloat16}),
      .variants = {{"valid", {Random({2, 5, 6, 3}), Random({3, 2, 3, 4})}, valid},
                   {"same", {Random({2, 5, 6, 3}), Random({3, 2, 3, 4})}, same},
                   {"strided",
                    {Random({1, 7, 8, 2}), Random({3, 3, 2, 3})},
                    Window({1, 2, 3, 1}, "SAME")},
                   {"dilated",
                    {Random({1, 7, 8, 2}), Random({2, 3, 2, 3})},
                    Window({1, 1, 1, 1}, "VALID", {1, 2, 2, 1})},
                   {"padded", {Random({1, 4, 5, 2}), Random({2, 3, 2, 3})}, padded},
                   {"pointwise", {Random({2, 3, 4, 5}), Random({1, 1, 5, 2})}, same},
                   {"large", {Random({4, 32, 32, 16}), Random({3, 3, 16, 32})}, same, {}, true}},
      .bad = {{"depth", {Random({1, 4, 4, 3}), Random({2, 2, 2, 3})}, valid},
              {"too_small", {Random({1, 2, 2, 2}), Random({4, 4, 2, 3})}, valid},
              {"matrix", {Random({4, 4}), Random({2, 2, 2, 3})}, valid}},
      .tolerance = {.relative = 1e-4, .absolute = 1e-4},
      .check_gradient = false};
  cases.push_back(std::move(conv));
}

}  // namespace rheo::ops
