// The optimizers' ops are so alike that their cases follow from their signatures: variables first,
// then scalars by well-known names, a gradient, and for sparse forms the rows it belongs to.
#include "rheo/ops/training/op_cases.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "rheo/ops/common/dtype_sets.h"
#include "rheo/ops/common/table_kernels.h"
#include "rheo/ops/training/register.h"

namespace rheo::ops {
namespace {

constexpr int64_t kWidth = 4;

const std::map<std::string_view, float> kScalars = {
    {"alpha", 0.1f},       {"beta", 0.9f},         {"beta1", 0.9f},    {"beta2", 0.99f},
    {"beta1_power", 0.9f}, {"beta2_power", 0.98f}, {"epsilon", 1e-3f}, {"l1", 0.01f},
    {"l2", 0.02f},         {"l2_shrinkage", 0.3f}, {"logbase", 1.0f},  {"lr", 0.1f},
    {"lr_power", -0.5f},   {"momentum", 0.8f},     {"rho", 0.9f},      {"sign_decay", 0.7f},
};

// Slots that stand for squares are positive, and greater than the square of the mean's (mg).
Values SlotValues(std::string_view name) {
  if (name == "mg") return {.low = 0, .high = 1};
  const auto of_any_sign = {"var", "m", "mom", "linear", "gradient_accumulator"};
  if (std::ranges::find(of_any_sign, name) != of_any_sign.end()) return {.low = -1, .high = 1};
  return {.low = 2, .high = 4};
}

op::OpSchema SchemaOf(std::string_view op) {
  StatusOr<op::OpSchema> schema = op::ParseSignature([&] {
    const std::string_view line = TableLinesOf(op::PublicOpTable(), op);
    return line.substr(0, line.find('\n'));
  }());
  if (schema.ok()) return *std::move(schema);
  std::fprintf(stderr, "no signature of '%.*s'\n", static_cast<int>(op.size()), op.data());
  std::abort();
}

// The inputs when the variables have `rows` rows and the gradient's shape is as given.
std::vector<InputSpec> Inputs(const op::OpSchema& schema, int64_t rows, const Shape& gradient,
                              const std::vector<int32_t>& indices) {
  std::vector<InputSpec> inputs;
  for (const op::ArgSpec& arg : schema.inputs) {
    if (arg.is_ref || arg.type == DType::kResource) {
      inputs.push_back(Var(Shape{rows, kWidth}, SlotValues(arg.name)));
    } else if (arg.name == "grad" || arg.name == "delta") {
      inputs.push_back(Random(gradient, {.gap = 0.1}));
    } else if (arg.name == "indices") {
      inputs.push_back(Ints(indices));
    } else if (arg.name == "global_step") {
      inputs.push_back(Int(7));
    } else {
      inputs.push_back(Float(kScalars.at(arg.name)));
    }
  }
  return inputs;
}

OpCase CaseOf(std::string_view name) {
  const op::OpSchema schema = SchemaOf(name);
  const bool sparse = schema.FindAttr("Tindices") != nullptr;
  std::vector<op::AttrMap> types = ForTypes("T", FloatsAndComplexes());
  if (sparse) types = Product(types, ForTypes("Tindices", {DType::kInt32, DType::kInt64}));
  OpCase c{.op = std::string(name), .types = WithKernels(name, types)};
  c.tolerance = {.absolute = 1e-7};
  for (const char* flag : {"use_nesterov", "multiply_linear_by_lr"}) {
    if (schema.FindAttr(flag) != nullptr) c.attrs.push_back({{flag, true}});
  }
  if (schema.FindAttr("update_slots") != nullptr) c.attrs.push_back({{"update_slots", false}});
  if (sparse) {
    const Shape two_rows{2, kWidth};
    c.variants = {{"rows", Inputs(schema, 3, two_rows, {2, 0})},
                  {"no_rows", Inputs(schema, 3, Shape{0, kWidth}, {})}};
    c.bad = {{"row_out_of_range", Inputs(schema, 3, two_rows, {2, 3})},
             {"width", Inputs(schema, 3, Shape{2, kWidth + 1}, {2, 0})},
             {"count", Inputs(schema, 3, two_rows, {2, 0, 1})}};
  } else {
    c.variants = {{"matrix", Inputs(schema, 3, Shape{3, kWidth}, {})},
                  {"empty", Inputs(schema, 0, Shape{0, kWidth}, {})}};
    c.bad = {{"shape", Inputs(schema, 3, Shape{2, kWidth}, {})}};
  }
  return c;
}

bool IsShort(const op::AttrMap& attrs) {
  const auto t = attrs.GetOr<DType>("T", DType::kInvalid);
  return t == DType::kHalf || t == DType::kBfloat16;
}

// The case of the types that are 16-bit floats, or of the others.
OpCase WithShort(OpCase c, bool are_short) {
  std::erase_if(c.types, [&](const op::AttrMap& attrs) { return IsShort(attrs) != are_short; });
  return c;
}

}  // namespace

std::vector<OpCase> TrainingOpCases() {
  std::vector<OpCase> cases;
  for (const std::string_view op : TrainingOps()) {
    OpCase c = CaseOf(op);
    if (op.find("Ftrl") == std::string_view::npos) {
      cases.push_back(std::move(c));
      continue;
    }
    // TensorFlow computes these in 16 bits, which the differences of the rule make visible.
    OpCase rough = WithShort(c, true);
    rough.tolerance.absolute = 0.1;
    cases.push_back(WithShort(std::move(c), false));
    cases.push_back(std::move(rough));
  }
  return cases;
}

}  // namespace rheo::ops
