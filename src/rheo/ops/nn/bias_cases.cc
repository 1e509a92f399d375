#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/nn/op_cases_internal.h"

namespace rheo::ops {
namespace {

const op::AttrMap kChannelsSecond = {{"data_format", "NCHW"}};

}  // namespace

void AddBiasCases(std::vector<OpCase>& cases) {
  OpCase add{.op = "BiasAdd",
             .types = ForTypes("T", Numbers()),
             .variants = {{"matrix", {Random({2, 3}), Random({3})}},
                          {"image", {Random({2, 3, 4, 5}), Random({5})}},
                          {"volume", {Random({2, 2, 3, 2, 5}), Random({5})}},
                          {"image_nchw", {Random({2, 5, 3, 4}), Random({5})}, kChannelsSecond},
                          {"line_nchw", {Random({2, 5, 3}), Random({5})}, kChannelsSecond},
                          {"no_rows", {Random({0, 3}), Random({3})}},
                          {"large", {Random({300, 70}), Random({70})}, {}, {}, true}},
             .bad = {{"size", {Random({2, 3}), Random({4})}},
                     {"bias_matrix", {Random({2, 3}), Random({3, 1})}},
                     {"vector", {Random({3}), Random({3})}},
                     {"size_nchw", {Random({2, 3, 4, 5}), Random({5})}, kChannelsSecond}},
             .tolerance = {.absolute = 1e-6}};
  cases.push_back(std::move(add));
  cases.push_back({.op = "BiasAddV1",
                   .types = ForTypes("T", Numbers()),
                   .variants = {{"matrix", {Random({2, 3}), Random({3})}},
                                {"image", {Random({2, 3, 4, 5}), Random({5})}}},
                   .bad = {{"size", {Random({2, 3}), Random({4})}}},
                   .tolerance = {.absolute = 1e-6}});
  cases.push_back({.op = "BiasAddGrad",
                   .types = ForTypes("T", Numbers()),
                   .variants = {{"matrix", {Random({2, 3})}},
                                {"image", {Random({2, 3, 4, 5})}},
                                {"image_nchw", {Random({2, 5, 3, 4})}, kChannelsSecond},
                                {"no_rows", {Random({0, 3})}},
                                {"large", {Random({300, 70})}, {}, {}, true}},
                   .bad = {{"vector", {Random({3})}}},
                   .tolerance = {.absolute = 1e-5}});
}

}  // namespace rheo::ops
