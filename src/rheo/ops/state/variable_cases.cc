#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/state/op_cases.h"

namespace rheo::ops {
namespace {

const Shape kMatrix{2, 3};

void AddAssignCases(std::vector<OpCase>& cases) {
  const DTypes all = Numbers() + DTypes{DType::kBool, DType::kString};
  const std::vector<CaseVariant> variants = {
      {"matrix", {Var(kMatrix), Random(kMatrix)}},
      {"scalar", {Var({}), Random({})}},
      {"empty", {Var({0, 2}), Random({0, 2})}},
      {"other_shape", {Var(kMatrix), Random({4})}, {{"validate_shape", false}}}};
  cases.push_back({.op = "Assign",
                   .types = WithKernels("Assign", ForTypes("T", all)),
                   .variants = variants,
                   .bad = {{"shape", {Var(kMatrix), Random({4})}}}});
  cases.push_back({.op = "AssignVariableOp",
                   .types = WithKernels("AssignVariableOp", ForTypes("dtype", all)),
                   .variants = variants,
                   .bad = {{"shape", {Var(kMatrix), Random({4})}, {{"validate_shape", true}}}}});
}

void AddUpdateCases(std::vector<OpCase>& cases) {
  const struct {
    const char* op;
    const char* attr;
  } updates[] = {{"AssignAdd", "T"},
                 {"AssignSub", "T"},
                 {"AssignAddVariableOp", "dtype"},
                 {"AssignSubVariableOp", "dtype"}};
  for (const auto& update : updates) {
    cases.push_back({.op = update.op,
                     .types = WithKernels(update.op, ForTypes(update.attr, Numbers())),
                     .variants = {{"matrix", {Var(kMatrix), Random(kMatrix)}},
                                  {"scalar", {Var({}), Random({})}},
                                  {"empty", {Var({0, 2}), Random({0, 2})}}},
                     .bad = {{"shape", {Var(kMatrix), Random({4})}}}});
  }
  for (const char* op : {"CountUpTo", "ResourceCountUpTo"}) {
    const Values three = {.low = 3, .high = 3};
    cases.push_back({.op = op,
                     .types = ForTypes("T", {DType::kInt32, DType::kInt64}),
                     .variants = {{"below", {Var({}, three)}, {{"limit", 10}}}},
                     .bad = {{.name = "reached",
                              .inputs = {Var({}, three)},
                              .attrs = {{"limit", 3}},
                              .code = StatusCode::kOutOfRange}}});
  }
}

void AddReadCases(std::vector<OpCase>& cases) {
  const DTypes all = Numbers() + DTypes{DType::kBool, DType::kString};
  cases.push_back({.op = "ReadVariableOp",
                   .types = ForTypes("dtype", all),
                   .variants = {{"matrix", {Var(kMatrix)}}, {"empty", {Var({0})}}}});
  // Its attr out_type says nothing of the variable.
  InputSpec floats = Var(kMatrix);
  floats.dtype = DType::kFloat;
  cases.push_back({.op = "VariableShape",
                   .types = ForTypes("out_type", {DType::kInt32, DType::kInt64}),
                   .variants = {{"matrix", {floats}}}});
  cases.push_back({.op = "VarIsInitializedOp", .variants = {{"matrix", {floats}}}});
  cases.push_back({.op = "IsVariableInitialized",
                   .types = ForTypes("dtype", all),
                   .variants = {{"matrix", {Var(kMatrix)}}}});
  const auto of_any =
      Product(ForTypes("dtype", all), ForTypes("Tindices", {DType::kInt32, DType::kInt64}));
  cases.push_back({.op = "ResourceGather",
                   .types = WithKernels("ResourceGather", of_any),
                   .variants = {{"rows", {Var({4, 3}), Ints({3, 0, 0})}},
                                {"one", {Var({4, 3}), Int(2)}},
                                {"none", {Var({4, 3}), Ints({})}},
                                {"batches",
                                 {Var({2, 3}), Literal(Tensor::Of<int32_t>({2, 2}, {0, 2, 1, 1}))},
                                 {{"batch_dims", 1}}}},
                   .bad = {{"out_of_range", {Var({4, 3}), Ints({4})}},
                           {"negative", {Var({4, 3}), Ints({-1})}},
                           {"scalar", {Var({}), Ints({0})}}}});
  cases.push_back(
      {.op = "ResourceGatherNd",
       .types = WithKernels("ResourceGatherNd", of_any),
       .variants = {{"elements", {Var({4, 3}), Literal(Tensor::Of<int32_t>({2, 2}, {0, 2, 3, 1}))}},
                    {"rows", {Var({4, 3}), Literal(Tensor::Of<int32_t>({2, 1}, {3, 0}))}}},
       .bad = {{"out_of_range", {Var({4, 3}), Literal(Tensor::Of<int32_t>({1, 1}, {4}))}}}});
}

}  // namespace

void AddVariableCases(std::vector<OpCase>& cases) {
  AddAssignCases(cases);
  AddUpdateCases(cases);
  AddReadCases(cases);
}

}  // namespace rheo::ops
