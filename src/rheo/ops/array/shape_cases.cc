// Constants, identities, shapes, sequences.
#include "rheo/ops/array/op_cases.h"

namespace rheo::ops {
namespace {

using DTypes = std::vector<DType>;

// One of each size in memory, and what is not plain bytes.
const DTypes kLayouts = {DType::kFloat, DType::kDouble, DType::kInt32,      DType::kUint8,
                         DType::kHalf,  DType::kString, DType::kComplex128, DType::kBool};
const DTypes kIndices = {DType::kInt32, DType::kInt64};
const DTypes kNumbers = {DType::kFloat,     DType::kDouble,    DType::kHalf,   DType::kBfloat16,
                         DType::kInt8,      DType::kInt16,     DType::kInt32,  DType::kInt64,
                         DType::kUint8,     DType::kUint16,    DType::kUint32, DType::kUint64,
                         DType::kComplex64, DType::kComplex128};

}  // namespace

void AddShapeCases(std::vector<OpCase>& cases) {
  for (const char* op : {"Identity", "StopGradient", "PreventGradient", "Snapshot", "DeepCopy"}) {
    cases.push_back({.op = op,
                     .types = ForTypes("T", std::string_view(op) == "Snapshot"
                                                ? DTypes{DType::kFloat, DType::kDouble}
                                                : kLayouts),
                     .variants = {{"scalar", {Random({})}}, {"matrix", {Random({2, 3})}}},
                     .check_gradient = std::string_view(op) == "Identity"});
  }
  cases.push_back({.op = "IdentityN",
                   .types = {{{"T", DTypes{DType::kFloat, DType::kString}}}},
                   .variants = {{"two", {Random({2}), Random({3})}}}});
  cases.push_back({.op = "PlaceholderWithDefault",
                   .types = ForTypes("dtype", {DType::kDouble}),
                   .attrs = {{{"shape", PartialShape()}}},
                   .variants = {{"default", {Random({2})}}}});
  cases.push_back({.op = "EnsureShape",
                   .types = ForTypes("T", {DType::kFloat, DType::kDouble}),
                   .attrs = {{{"shape", PartialShape{2, kUnknownDim}}}},
                   .variants = {{"fits", {Random({2, 3})}}},
                   .bad = {{"size", {Random({3, 3})}, {{"shape", PartialShape{2, 3}}}},
                           {"rank", {Random({3})}, {{"shape", PartialShape{2, 3}}}}}});
  cases.push_back({.op = "Bitcast",
                   .types = {{{"T", DType::kFloat}, {"type", DType::kInt32}},
                             {{"T", DType::kFloat}, {"type", DType::kUint8}},
                             {{"T", DType::kUint8}, {"type", DType::kInt32}}},
                   .variants = {{"four", {Random({2, 4})}}},
                   .bad = {{"last_dim",
                            {Literal(Tensor::Of<uint8_t>({3}, {1, 2, 3}))},
                            {{"T", DType::kUint8}, {"type", DType::kInt32}}}}});
  const std::vector<CaseVariant> any_shape = {
      {"scalar", {Random({})}}, {"cube", {Random({2, 3, 4})}}, {"empty", {Random({2, 0})}}};
  for (const char* op : {"Shape", "Size"}) {
    cases.push_back({.op = op,
                     .types = Product(ForTypes("T", {DType::kFloat, DType::kString}),
                                      ForTypes("out_type", kIndices)),
                     .variants = any_shape});
  }
  cases.push_back({.op = "ShapeN",
                   .types = ForTypes("T", {DType::kFloat}),
                   .variants = {{"two", {Random({2}), Random({3, 4})}}}});
  cases.push_back({.op = "Rank", .types = ForTypes("T", kLayouts), .variants = any_shape});
  cases.push_back({.op = "Reshape",
                   .types = Product(ForTypes("T", kLayouts), ForTypes("Tshape", kIndices)),
                   .variants = {{"flat", {Random({2, 3}), Ints({6})}},
                                {"inferred", {Random({2, 3}), Ints({3, -1})}},
                                {"to_scalar", {Random({1, 1}), Ints({})}},
                                {"of_nothing", {Random({0, 3}), Ints({3, 0})}}},
                   .bad = {{"too_few", {Random({2, 3}), Ints({5})}},
                           {"not_a_multiple", {Random({2, 3}), Ints({4, -1})}},
                           {"two_unknown", {Random({2, 3}), Ints({-1, -1})}},
                           {"negative", {Random({2, 3}), Ints({-2, -3})}}}});
  cases.push_back({.op = "ExpandDims",
                   .types = Product(ForTypes("T", kLayouts), ForTypes("Tdim", kIndices)),
                   .variants = {{"front", {Random({2, 3}), Int(0)}},
                                {"middle", {Random({2, 3}), Int(1)}},
                                {"back", {Random({2, 3}), Int(-1)}},
                                {"scalar", {Random({}), Int(0)}}},
                   .bad = {{"axis", {Random({2}), Int(2)}}, {"below", {Random({2}), Int(-3)}}}});
  cases.push_back(
      {.op = "Squeeze",
       .types = ForTypes("T", kLayouts),
       .variants = {{"all", {Random({1, 2, 1, 3})}},
                    {"one", {Random({1, 2, 1})}, {{"squeeze_dims", std::vector<int64_t>{-1}}}},
                    {"none", {Random({2, 3})}}},
       .bad = {{"not_one", {Random({2, 1})}, {{"squeeze_dims", std::vector<int64_t>{0}}}},
               {"axis", {Random({2, 1})}, {{"squeeze_dims", std::vector<int64_t>{2}}}}}});
  cases.push_back(
      {.op = "Fill",
       .types = Product(ForTypes("T", kLayouts), ForTypes("index_type", kIndices)),
       .variants = {{"matrix", {Ints({2, 3}), Random({})}},
                    {"scalar", {Ints({}), Random({})}},
                    {"empty", {Ints({2, 0}), Random({})}},
                    {"large", {Ints({300, 70}), Random({})}, {}, {}, true}},
       .bad = {{"value", {Ints({2}), Random({2})}}, {"negative", {Ints({-1}), Random({})}}}});
  cases.push_back({.op = "ZerosLike",
                   .types = ForTypes("T", kLayouts),
                   .variants = {{"matrix", {Random({2, 3})}}, {"scalar", {Random({})}}}});
  DTypes with_one = kNumbers;
  with_one.push_back(DType::kBool);
  cases.push_back({.op = "OnesLike",
                   .types = ForTypes("T", with_one),
                   .variants = {{"matrix", {Random({2, 3})}}, {"empty", {Random({0})}}}});
  cases.push_back({.op = "Empty",
                   .types = ForTypes("dtype", kLayouts),
                   .attrs = {{{"init", true}}},
                   .variants = {{"matrix", {Ints({2, 3})}}},
                   .bad = {{"negative", {Ints({-1})}, {{"init", true}}}}});
  cases.push_back(
      {.op = "Range",
       .types = ForTypes("Tidx", {DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble,
                                  DType::kHalf, DType::kBfloat16}),
       .variants = {{"up", {Int(0), Int(7), Int(2)}},
                    {"down", {Int(5), Int(-3), Int(-2)}},
                    {"none", {Int(3), Int(3), Int(1)}},
                    {"tenths", {Float(0), Float(3), Float(0.1F)}, {}, {2, 3, 4, 5}}},
       .bad = {{"no_delta", {Int(0), Int(3), Int(0)}}, {"sign", {Int(0), Int(3), Int(-1)}}}});
  cases.push_back({.op = "LinSpace",
                   .types = ForTypes("T", {DType::kFloat, DType::kDouble}),
                   .variants = {{"five", {Float(0.5F), Float(10), Int(5)}},
                                {"one", {Float(0.5F), Float(10), Int(1)}}},
                   .bad = {{"none", {Float(0), Float(1), Int(0)}}},
                   .check_gradient = false});
  cases.push_back({.op = "OneHot",
                   .types = ForTypes("T", kLayouts),
                   .attrs = {{{"TI", DType::kInt32}}, {{"TI", DType::kInt64}, {"axis", 0}}},
                   .variants = {{"vector", {Ints({0, 2, -1, 5}), Int(3), Random({}), Random({})}},
                                {"scalar", {Int(1), Int(3), Random({}), Random({})}},
                                {"no_depth", {Ints({0}), Int(0), Random({}), Random({})}}},
                   .bad = {{"depth", {Ints({0}), Int(-1), Random({}), Random({})}}},
                   .check_gradient = false});
  cases.push_back({.op = "Diag",
                   .types = ForTypes("T", {DType::kFloat, DType::kDouble, DType::kComplex64}),
                   .variants = {{"vector", {Random({3})}}, {"matrix", {Random({2, 3})}}},
                   .bad = {{"scalar", {Random({})}}}});
  cases.push_back({.op = "DiagPart",
                   .types = ForTypes("T", {DType::kFloat, DType::kDouble, DType::kComplex64}),
                   .variants = {{"matrix", {Random({3, 3})}}, {"four", {Random({2, 3, 2, 3})}}},
                   .bad = {{"odd", {Random({2, 2, 2})}}, {"sizes", {Random({2, 3})}}}});
}

}  // namespace rheo::ops
