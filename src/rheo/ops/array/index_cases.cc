// Taking and combining by index.
#include "rheo/ops/array/op_cases.h"

namespace rheo::ops {
namespace {

using DTypes = std::vector<DType>;

const DTypes kLayouts = {DType::kFloat, DType::kDouble, DType::kInt32,     DType::kUint8,
                         DType::kHalf,  DType::kString, DType::kComplex128};
const DTypes kNumbers = {DType::kFloat,     DType::kDouble,    DType::kHalf,   DType::kBfloat16,
                         DType::kInt8,      DType::kInt16,     DType::kInt32,  DType::kInt64,
                         DType::kUint8,     DType::kUint16,    DType::kUint32, DType::kUint64,
                         DType::kComplex64, DType::kComplex128};
const DTypes kReals = {DType::kFloat, DType::kDouble, DType::kHalf,   DType::kBfloat16,
                       DType::kInt8,  DType::kInt16,  DType::kInt32,  DType::kInt64,
                       DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64};
const DTypes kIndices = {DType::kInt32, DType::kInt64};

InputSpec Table(Shape shape, const std::vector<int32_t>& values) {
  return Literal(Tensor::Vector<int32_t>(values).Reshaped(std::move(shape)));
}

void AddGathers(std::vector<OpCase>& cases) {
  cases.push_back({.op = "Gather",
                   .types = Product(ForTypes("Tparams", kLayouts), ForTypes("Tindices", kIndices)),
                   .variants = {{"rows", {Random({4, 3}), Ints({2, 0, 2})}},
                                {"one", {Random({4, 3}), Int(1)}},
                                {"matrix", {Random({4}), Table({2, 2}, {3, 0, 1, 1})}},
                                {"none", {Random({4, 3}), Ints({})}}},
                   .bad = {{"range", {Random({4, 3}), Ints({0, 4})}},
                           {"negative", {Random({4, 3}), Ints({-1})}}}});
  OpCase v2{.op = "GatherV2",
            .types = Product(ForTypes("Tparams", kLayouts),
                             Product(ForTypes("Tindices", kIndices), {{{"Taxis", DType::kInt32}}})),
            .variants = {{"rows", {Random({4, 3}), Ints({2, 0, 2}), Int(0)}},
                         {"columns", {Random({4, 3}), Ints({2, 0}), Int(1)}},
                         {"middle", {Random({2, 3, 4}), Table({2, 2}, {2, 0, 1, 1}), Int(-2)}},
                         {"one", {Random({4, 3}), Int(1), Int(1)}},
                         {"large",
                          {Random({500, 40}), Table({300}, std::vector<int32_t>(300, 7)), Int(0)},
                          {},
                          {},
                          true}},
            .bad = {{"range", {Random({4, 3}), Ints({3}), Int(1)}},
                    {"axis", {Random({4, 3}), Ints({0}), Int(2)}}}};
  cases.push_back(std::move(v2));
  cases.push_back({.op = "GatherV2",
                   .types = {{{"Tparams", DType::kDouble},
                              {"Tindices", DType::kInt32},
                              {"Taxis", DType::kInt32}}},
                   .variants = {{"batch",
                                 {Random({2, 3, 4}), Table({2, 2}, {2, 0, 1, 1}), Int(1)},
                                 {{"batch_dims", 1}}},
                                {"batch_outer",
                                 {Random({2, 3, 4}), Table({2, 2}, {3, 0, 1, 1}), Int(2)},
                                 {{"batch_dims", 1}}}},
                   .bad = {{"batch_sizes",
                            {Random({2, 3}), Table({3, 1}, {0, 0, 0}), Int(1)},
                            {{"batch_dims", 1}}}}});
  cases.push_back({.op = "GatherNd",
                   .types = Product(ForTypes("Tparams", kLayouts), ForTypes("Tindices", kIndices)),
                   .variants = {{"elements", {Random({3, 4}), Table({2, 2}, {2, 3, 0, 1})}},
                                {"rows", {Random({3, 4}), Table({2, 1}, {2, 0})}},
                                {"one", {Random({3, 4}), Ints({1, 1})}},
                                {"whole", {Random({3, 4}), Table({2, 0}, {})}}},
                   .bad = {{"range", {Random({3, 4}), Table({1, 2}, {2, 4})}},
                           {"depth", {Random({3}), Table({1, 2}, {0, 0})}}}});
}

void AddScatters(std::vector<OpCase>& cases) {
  DTypes summable = kNumbers;
  summable.push_back(DType::kString);
  cases.push_back(
      {.op = "ScatterNd",
       .types = Product(ForTypes("T", summable), ForTypes("Tindices", kIndices)),
       .variants = {{"elements", {Table({3, 1}, {4, 1, 4}), Random({3}), Ints({6})}},
                    {"rows", {Table({2, 1}, {0, 2}), Random({2, 3}), Ints({4, 3})}},
                    {"pairs", {Table({2, 2}, {0, 2, 1, 0}), Random({2}), Ints({2, 3})}}},
       .bad = {{"range", {Table({1, 1}, {6}), Random({1}), Ints({6})}},
               {"updates", {Table({2, 1}, {0, 1}), Random({3}), Ints({6})}}}});
  for (const char* op : {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
                         "TensorScatterMin", "TensorScatterMax", "ScatterNdNonAliasingAdd"}) {
    const std::string_view name = op;
    const bool real = name == "TensorScatterMin" || name == "TensorScatterMax";
    cases.push_back(
        {.op = op,
         .types = Product(ForTypes("T", real ? kReals : kNumbers), ForTypes("Tindices", kIndices)),
         .variants = {{"elements", {Random({5}), Table({2, 1}, {4, 1}), Random({2})}},
                      {"rows", {Random({4, 3}), Table({2, 1}, {0, 2}), Random({2, 3})}}},
         .bad = {{"range", {Random({5}), Table({1, 1}, {5}), Random({1})}}}});
  }
}

void AddSegments(std::vector<OpCase>& cases) {
  for (const char* op : {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"}) {
    const std::string_view name = op;
    const bool real = name == "SegmentMin" || name == "SegmentMax";
    const Values small = {.low = 1, .high = 2};
    cases.push_back(
        {.op = op,
         .types = Product(ForTypes("T", real ? kReals : kNumbers), ForTypes("Tindices", kIndices)),
         .variants = {{"rows", {Random({5, 2}, small), Ints({0, 0, 1, 3, 3})}},
                      {"vector", {Random({3}, small), Ints({0, 1, 1})}}},
         .bad = {{"order", {Random({3}), Ints({0, 2, 1})}},
                 {"length", {Random({3}), Ints({0, 1})}}}});
  }
  for (const char* op :
       {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax"}) {
    const std::string_view name = op;
    const bool real = name == "UnsortedSegmentMin" || name == "UnsortedSegmentMax";
    // The extreme of nothing is the other end of the numbers, which has no slope.
    const bool finite = !real;
    const Values small = {.low = 1, .high = 2};
    cases.push_back(
        {.op = op,
         .types = Product(ForTypes("T", real ? kReals : kNumbers), ForTypes("Tindices", kIndices)),
         .variants = {{.name = "rows",
                       .inputs = {Random({5, 2}, small), Ints({3, 0, -1, 3, 0}), Int(4)},
                       .check_gradient = finite},
                      {.name = "matrix",
                       .inputs = {Random({2, 2}, small), Table({2, 2}, {0, 1, 1, 2}), Int(4)},
                       .check_gradient = finite},
                      {"full", {Random({5, 2}, small), Ints({1, 0, -1, 1, 0}), Int(2)}}},
         .bad = {{"range", {Random({3}), Ints({0, 4, 1}), Int(4)}},
                 {"shapes", {Random({3}), Ints({0, 1}), Int(4)}},
                 {"negative", {Random({3}), Ints({0, 1, 1}), Int(-1)}}}});
  }
}

void AddPartitions(std::vector<OpCase>& cases) {
  cases.push_back(
      {.op = "DynamicPartition",
       .types = ForTypes("T", kLayouts),
       .variants = {{"rows", {Random({4, 2}), Ints({1, 0, 2, 1})}, {{"num_partitions", 3}}},
                    {"matrix",
                     {Random({2, 2}), Table({2, 2}, {0, 1, 1, 0})},
                     {{"num_partitions", 2}}}},
       .bad = {{"range", {Random({2}), Ints({0, 2})}, {{"num_partitions", 2}}},
               {"shapes", {Random({2}), Ints({0, 1, 1})}, {{"num_partitions", 2}}}}});
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    cases.push_back({.op = op,
                     .types = ForTypes("T", kLayouts),
                     .variants = {{"two",
                                   {Ints({0, 3}), Ints({2, 1}), Random({2, 3}), Random({2, 3})},
                                   {{"N", 2}}},
                                  {"mixed_ranks",
                                   {Int(1), Table({1, 2}, {0, 2}), Random({2}), Random({1, 2, 2})},
                                   {{"N", 2}}}},
                     .bad = {{"shapes", {Ints({0, 1}), Random({3})}, {{"N", 1}}},
                             {"negative", {Ints({0, -1}), Random({2})}, {{"N", 1}}}}});
  }
}

}  // namespace

void AddIndexCases(std::vector<OpCase>& cases) {
  AddGathers(cases);
  AddScatters(cases);
  AddSegments(cases);
  AddPartitions(cases);
}

}  // namespace rheo::ops
