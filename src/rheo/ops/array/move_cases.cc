// Joining, cutting, reordering, padding.
#include "rheo/ops/array/op_cases.h"

namespace rheo::ops {
namespace {

using DTypes = std::vector<DType>;

const DTypes kLayouts = {DType::kFloat, DType::kDouble, DType::kInt32,     DType::kUint8,
                         DType::kHalf,  DType::kString, DType::kComplex128};
const DTypes kIndices = {DType::kInt32, DType::kInt64};

InputSpec Bools(std::initializer_list<bool> values) {
  return Literal(Tensor::Of<bool>({static_cast<int64_t>(values.size())}, values));
}

// Rows of two.
InputSpec Pairs(const std::vector<int32_t>& values) {
  return Literal(
      Tensor::Vector<int32_t>(values).Reshaped({static_cast<int64_t>(values.size()) / 2, 2}));
}

void AddJoins(std::vector<OpCase>& cases) {
  cases.push_back(
      {.op = "ConcatV2",
       .types = Product(ForTypes("T", kLayouts), ForTypes("Tidx", kIndices)),
       .variants =
           {{"rows", {Random({2, 3}), Random({1, 3}), Int(0)}, {{"N", 2}}},
            {"columns", {Random({2, 3}), Random({2, 1}), Random({2, 2}), Int(-1)}, {{"N", 3}}},
            {"empty_part", {Random({2, 0}), Random({2, 1}), Int(1)}, {{"N", 2}}},
            {"middle", {Random({2, 2, 2}), Random({2, 3, 2}), Int(1)}, {{"N", 2}}},
            {"large", {Random({200, 70}), Random({200, 30}), Int(1)}, {{"N", 2}}, {}, true}},
       .bad = {{"sizes", {Random({2, 3}), Random({3, 3}), Int(1)}, {{"N", 2}}},
               {"axis", {Random({2, 3}), Random({2, 3}), Int(2)}, {{"N", 2}}},
               {"scalars", {Random({}), Random({}), Int(0)}, {{"N", 2}}}}});
  cases.push_back({.op = "Concat",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"rows", {Int(0), Random({2, 3}), Random({1, 3})}, {{"N", 2}}},
                                {"columns", {Int(1), Random({2, 3}), Random({2, 1})}, {{"N", 2}}}},
                   .bad = {{"sizes", {Int(1), Random({2, 3}), Random({3, 3})}, {{"N", 2}}}}});
  cases.push_back(
      {.op = "ConcatOffset",
       .types = ForTypes("shape_type", kIndices),
       .variants = {{"three", {Int(1), Ints({2, 2}), Ints({2, 3}), Ints({2, 5})}, {{"N", 3}}},
                    {"negative", {Int(-1), Ints({2, 2}), Ints({2, 3})}, {{"N", 2}}}},
       .bad = {{"sizes", {Int(1), Ints({2, 2}), Ints({3, 3})}, {{"N", 2}}},
               {"axis", {Int(2), Ints({2, 2}), Ints({2, 3})}, {{"N", 2}}}}});
  cases.push_back({.op = "Pack",
                   .types = ForTypes("T", kLayouts),
                   .attrs = {{}, {{"axis", 1}}, {{"axis", -1}}},
                   .variants = {{"two", {Random({2, 3}), Random({2, 3})}, {{"N", 2}}},
                                {"one", {Random({2, 3})}, {{"N", 1}}},
                                {"empty", {Random({0, 3}), Random({0, 3})}, {{"N", 2}}}},
                   .bad = {{"shapes", {Random({2}), Random({3})}, {{"N", 2}}},
                           {"axis", {Random({2}), Random({2})}, {{"N", 2}, {"axis", 2}}}}});
}

void AddCuts(std::vector<OpCase>& cases) {
  cases.push_back({.op = "Split",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"rows", {Int(0), Random({4, 3})}, {{"num_split", 2}}},
                                {"columns", {Int(-1), Random({2, 6})}, {{"num_split", 3}}},
                                {"one", {Int(0), Random({4})}, {{"num_split", 1}}}},
                   .bad = {{"uneven", {Int(0), Random({5})}, {{"num_split", 2}}},
                           {"axis", {Int(1), Random({4})}, {{"num_split", 2}}}}});
  cases.push_back(
      {.op = "SplitV",
       .types = Product(ForTypes("T", kLayouts), ForTypes("Tlen", kIndices)),
       .variants = {{"rows", {Random({5, 2}), Ints({2, 3}), Int(0)}, {{"num_split", 2}}},
                    {"rest", {Random({2, 6}), Ints({1, -1, 2}), Int(1)}, {{"num_split", 3}}},
                    {"empty", {Random({3}), Ints({0, 3}), Int(0)}, {{"num_split", 2}}}},
       .bad = {{"sum", {Random({5}), Ints({2, 2}), Int(0)}, {{"num_split", 2}}},
               {"negative", {Random({5}), Ints({-2, 7}), Int(0)}, {{"num_split", 2}}},
               {"two_unknown", {Random({5}), Ints({-1, -1}), Int(0)}, {{"num_split", 2}}}}});
  cases.push_back({.op = "Unpack",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"rows", {Random({2, 3})}, {{"num", 2}}},
                                {"columns", {Random({2, 3})}, {{"num", 3}, {"axis", -1}}},
                                {"vector", {Random({3})}, {{"num", 3}}}},
                   .bad = {{"num", {Random({2, 3})}, {{"num", 3}}},
                           {"axis", {Random({2})}, {{"num", 2}, {"axis", 1}}}}});
  cases.push_back({.op = "Slice",
                   .types = Product(ForTypes("T", kLayouts), ForTypes("Index", kIndices)),
                   .variants = {{"box", {Random({3, 4, 5}), Ints({1, 0, 2}), Ints({2, 3, 2})}},
                                {"to_the_end", {Random({3, 4}), Ints({1, 2}), Ints({-1, -1})}},
                                {"rows", {Random({3, 4}), Ints({1, 0}), Ints({2, 4})}},
                                {"all", {Random({3}), Ints({0}), Ints({3})}},
                                {"nothing", {Random({3}), Ints({3}), Ints({0})}},
                                {"scalar", {Random({}), Ints({}), Ints({})}}},
                   .bad = {{"begin", {Random({3}), Ints({4}), Ints({0})}},
                           {"size", {Random({3}), Ints({1}), Ints({3})}},
                           {"negative", {Random({3}), Ints({-1}), Ints({1})}},
                           {"length", {Random({3}), Ints({0, 0}), Ints({1, 1})}}}});
}

void AddStridedSlices(std::vector<OpCase>& cases) {
  const auto slice = [](std::string name, Shape shape, std::vector<int32_t> begin,
                        std::vector<int32_t> end, std::vector<int32_t> strides,
                        op::AttrMap masks = {}) {
    return CaseVariant{std::move(name),
                       {Random(std::move(shape)), Ints(begin), Ints(end), Ints(strides)},
                       std::move(masks)};
  };
  const std::vector<CaseVariant> variants = {
      slice("plain", {5, 6}, {1, 2}, {4, 6}, {1, 1}),
      slice("rows", {5, 6}, {1}, {4}, {1}),
      slice("steps", {7, 6}, {0, 1}, {7, 6}, {3, 2}),
      slice("backwards", {5, 4}, {-1, 3}, {-6, 0}, {-1, -2}),
      slice("masked", {5, 4}, {9, 1}, {9, 9}, {1, 1}, {{"begin_mask", 1}, {"end_mask", 3}}),
      slice("masked_backwards", {5}, {0}, {0}, {-2}, {{"begin_mask", 1}, {"end_mask", 1}}),
      slice("ellipsis", {2, 3, 4, 5}, {1, 0, 2}, {2, 0, 4}, {1, 1, 1}, {{"ellipsis_mask", 2}}),
      slice("new_axis", {3, 4}, {0, 1, 0}, {0, 3, 4}, {1, 1, 1}, {{"new_axis_mask", 1}}),
      slice("new_axis_after_ellipsis", {3, 4}, {0, 0}, {0, 0}, {1, 1},
            {{"ellipsis_mask", 1}, {"new_axis_mask", 2}}),
      slice("shrink", {3, 4}, {-1, 0}, {0, 2}, {1, 1}, {{"shrink_axis_mask", 1}}),
      slice("shrink_all", {3}, {1}, {2}, {1}, {{"shrink_axis_mask", 1}}),
      slice("shrink_last", {3, 4}, {0, 2}, {0, 0}, {1, 1},
            {{"ellipsis_mask", 1}, {"shrink_axis_mask", 2}}),
      slice("nothing", {3, 4}, {2}, {1}, {1}),
      slice("beyond", {3, 4}, {-9, 1}, {9, 99}, {1, 1}),
      slice("no_positions", {2, 2}, {}, {}, {})};
  cases.push_back({.op = "StridedSlice",
                   .types = Product(ForTypes("T", kLayouts), ForTypes("Index", kIndices)),
                   .variants = variants,
                   .bad = {{"stride_zero", {Random({3}), Ints({0}), Ints({1}), Ints({0})}},
                           {"too_many", {Random({3}), Ints({0, 0}), Ints({1, 1}), Ints({1, 1})}},
                           {"lengths", {Random({3}), Ints({0}), Ints({1, 1}), Ints({1})}},
                           {"shrink_out",
                            {Random({3}), Ints({3}), Ints({4}), Ints({1})},
                            {{"shrink_axis_mask", 1}}},
                           {"shrink_backwards",
                            {Random({3}), Ints({1}), Ints({2}), Ints({-1})},
                            {{"shrink_axis_mask", 1}}},
                           {"two_ellipses",
                            {Random({3, 4}), Ints({0, 0}), Ints({1, 1}), Ints({1, 1})},
                            {{"ellipsis_mask", 3}}}}});
  cases.push_back(
      {.op = "StridedSliceGrad",
       .types = Product(ForTypes("T", {DType::kFloat, DType::kDouble, DType::kInt32}),
                        ForTypes("Index", kIndices)),
       .variants = {{"steps",
                     {Ints({5, 4}), Ints({0, 1}), Ints({5, 4}), Ints({2, 2}), Random({3, 2})}},
                    {"shrink",
                     {Ints({3, 4}), Ints({1}), Ints({2}), Ints({1}), Random({4})},
                     {{"shrink_axis_mask", 1}}}},
       .bad = {{"shape", {Ints({5}), Ints({0}), Ints({5}), Ints({2}), Random({2})}}}});
  cases.push_back(
      {.op = "TensorStridedSliceUpdate",
       .types = ForTypes("T", kLayouts),
       .variants = {{"steps",
                     {Random({5, 4}), Ints({0, 1}), Ints({5, 4}), Ints({2, 2}), Random({3, 2})}}},
       .bad = {{"shape", {Random({5}), Ints({0}), Ints({5}), Ints({2}), Random({2})}}}});
}

void AddReorderings(std::vector<OpCase>& cases) {
  for (const char* op : {"Transpose", "ConjugateTranspose"}) {
    cases.push_back(
        {.op = op,
         .types = Product(ForTypes("T", kLayouts), ForTypes("Tperm", kIndices)),
         .variants = {{"matrix", {Random({2, 3}), Ints({1, 0})}},
                      {"cube", {Random({2, 3, 4}), Ints({2, 0, 1})}},
                      {"last_stays", {Random({2, 3, 4}), Ints({1, 0, 2})}},
                      {"nothing_moves", {Random({2, 1, 3}), Ints({1, 0, 2})}},
                      {"four", {Random({3, 2, 4, 5}), Ints({3, 1, 0, 2})}},
                      // TensorFlow's gradient refuses a negative axis.
                      {.name = "negative",
                       .inputs = {Random({2, 3}), Ints({-1, -2})},
                       .check_gradient = false},
                      {"vector", {Random({3}), Ints({0})}},
                      {"empty", {Random({0, 3}), Ints({1, 0})}},
                      {"large", {Random({150, 210}), Ints({1, 0})}, {}, {}, true},
                      {"large_cube", {Random({30, 40, 50}), Ints({2, 1, 0})}, {}, {}, true}},
         .bad = {{"length", {Random({2, 3}), Ints({0})}},
                 {"twice", {Random({2, 3}), Ints({0, 0})}},
                 {"axis", {Random({2, 3}), Ints({0, 2})}}}});
  }
  cases.push_back(
      {.op = "ReverseV2",
       .types = Product(ForTypes("T", kLayouts), ForTypes("Tidx", kIndices)),
       .variants = {{"one", {Random({2, 3}), Ints({1})}},
                    {"both", {Random({2, 3}), Ints({0, -1})}},
                    {"none", {Random({2, 3}), Ints({})}},
                    {"empty", {Random({0, 3}), Ints({0})}}},
       .bad = {{"twice", {Random({2, 3}), Ints({0, -2})}}, {"axis", {Random({2, 3}), Ints({2})}}}});
  cases.push_back({.op = "Reverse",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"one", {Random({2, 3}), Bools({false, true})}}},
                   .bad = {{"length", {Random({2, 3}), Bools({true})}}}});
  cases.push_back(
      {.op = "Tile",
       .types = Product(ForTypes("T", kLayouts), ForTypes("Tmultiples", kIndices)),
       .variants = {{"both", {Random({2, 3}), Ints({2, 3})}},
                    {"none", {Random({2, 3}), Ints({0, 3})}},
                    {"once", {Random({2, 3}), Ints({1, 1})}},
                    {"scalar", {Random({}), Ints({})}},
                    {"large", {Random({20, 30}), Ints({10, 7})}, {}, {}, true}},
       .bad = {{"length", {Random({2, 3}), Ints({2})}}, {"negative", {Random({2}), Ints({-1})}}}});
  cases.push_back({.op = "Roll",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"vector", {Random({5}), Int(2), Int(0)}},
                                {"back", {Random({5}), Int(-7), Int(0)}},
                                {"two", {Random({3, 4}), Ints({1, 2}), Ints({0, -1})}},
                                {"twice", {Random({3, 4}), Ints({1, 1}), Ints({1, 1})}}},
                   .bad = {{"axis", {Random({5}), Int(2), Int(1)}},
                           {"lengths", {Random({5}), Ints({2, 1}), Ints({0})}},
                           {"scalar", {Random({}), Int(2), Int(0)}}}});
  cases.push_back({.op = "InvertPermutation",
                   .types = ForTypes("T", kIndices),
                   .variants = {{"four", {Ints({2, 0, 3, 1})}}, {"none", {Ints({})}}},
                   .bad = {{"twice", {Ints({0, 0})}}, {"range", {Ints({0, 2})}}}});
}

void AddPads(std::vector<OpCase>& cases) {
  cases.push_back({.op = "Pad",
                   .types = Product(ForTypes("T", kLayouts), ForTypes("Tpaddings", kIndices)),
                   .variants = {{"matrix", {Random({2, 3}), Pairs({1, 0, 2, 1})}},
                                {"none", {Random({2, 3}), Pairs({0, 0, 0, 0})}},
                                {"empty", {Random({0, 2}), Pairs({1, 1, 0, 0})}}},
                   .bad = {{"negative", {Random({2}), Pairs({-1, 0})}},
                           {"length", {Random({2, 3}), Pairs({1, 0})}}}});
  cases.push_back({.op = "PadV2",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"matrix", {Random({2, 3}), Pairs({1, 0, 2, 1}), Random({})}}},
                   .bad = {{"value", {Random({2}), Pairs({1, 0}), Random({2})}}}});
  for (const char* mode : {"REFLECT", "SYMMETRIC"}) {
    cases.push_back({.op = "MirrorPad",
                     .types = ForTypes("T", kLayouts),
                     .attrs = {{{"mode", mode}}},
                     .variants = {{"matrix", {Random({3, 4}), Pairs({1, 2, 3, 0})}},
                                  {"none", {Random({2, 3}), Pairs({0, 0, 0, 0})}}},
                     .bad = {{"too_much", {Random({2}), Pairs({3, 0})}, {{"mode", mode}}},
                             {"negative", {Random({2}), Pairs({-1, 0})}, {{"mode", mode}}}}});
    cases.push_back({.op = "MirrorPadGrad",
                     .types = ForTypes("T", {DType::kFloat, DType::kDouble, DType::kInt32}),
                     .attrs = {{{"mode", mode}}},
                     .variants = {{"matrix", {Random({6, 7}), Pairs({1, 2, 3, 0})}}}});
  }
}

}  // namespace

void AddMoveCases(std::vector<OpCase>& cases) {
  AddJoins(cases);
  AddCuts(cases);
  AddStridedSlices(cases);
  AddReorderings(cases);
  AddPads(cases);
}

}  // namespace rheo::ops
