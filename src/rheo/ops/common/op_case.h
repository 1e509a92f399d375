// OpCase: one description per op that drives the comparison with TensorFlow, the check of error
// codes, the numeric gradient, the benchmark and the coverage table.
//
// To describe an op, add an OpCase to the family's list (`std::vector<OpCase> MathOpCases()`):
//
//   OpCase{.op = "AddV2",
//          .types = ForTypes("T", {DType::kFloat, DType::kInt32}),
//          .variants = {{"same", {Random({2, 3}), Random({2, 3})}},
//                       {"broadcast", {Random({2, 1}), Random({3})}},
//                       {"empty", {Random({0, 3}), Random({3})}}},
//          .bad = {{"shapes", {Random({2}), Random({3})}}}}
//
// Every variant runs with every entry of `types` and of `attrs`. Values are the same in each run.
#ifndef RHEO_OPS_COMMON_OP_CASE_H_
#define RHEO_OPS_COMMON_OP_CASE_H_

#include <optional>
#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/op/attr_value.h"
#include "rheo/op/op_registry.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

// The values of a generated input. Unsigned dtypes take what of the range is not negative; integers
// take whole numbers, bool false and true, strings short texts, complex both parts from the range.
struct Values {
  double low = -4;
  double high = 4;
  double gap = 0;         // no value nearer to zero than this
  bool distinct = false;  // every element another value, evenly spread in random order (max, top-k)
  bool specials = false;  // floating: infinities, NaN and signed zeros among them
};

// One input of a variant: random values of a shape, or the given tensor.
struct InputSpec {
  Shape shape;
  Values values;
  // Converted to the dtype that the node's types ask for when it is numeric.
  std::optional<Tensor> literal;
  // The dtype where the schema leaves it open and no type attr in `types` says it.
  DType dtype = DType::kInvalid;
  // The input is a variable (a reference or a resource, as the schema says) that holds the value.
  bool variable = false;
};

InputSpec Random(Shape shape, Values values = {});
InputSpec Literal(Tensor value);
// A literal int32 scalar or vector; becomes int64 where the op wants it.
InputSpec Int(int value);
InputSpec Ints(const std::vector<int32_t>& values);
// A literal float scalar, converted to what the op wants.
InputSpec Float(float value);
// A variable of random values; what it holds after the call is compared too.
InputSpec Var(Shape shape, Values values = {});

// One call of a case. (No name of namespace rheo: a file that sees both would take the wrong one.)
struct CaseVariant {
  std::string name;
  std::vector<InputSpec> inputs;
  op::AttrMap attrs;  // over those of the case
  // Run for these entries of `types` only (index); empty: all.
  std::vector<int> only_types;
  // Large variants are benchmarked, and compared with TensorFlow for the first entry of `types`
  // only.
  bool large = false;
  bool check_gradient = true;  // see OpCase
};

// Inputs that must fail; run with the first entry of `types`, and no other attrs than its own.
struct BadCall {
  std::string name;
  std::vector<InputSpec> inputs;
  op::AttrMap attrs;
  StatusCode code = StatusCode::kInvalidArgument;
  // TensorFlow answers otherwise (a bug of its own); not compared.
  bool differs_from_tensorflow = false;
};

// |ours - theirs| <= absolute + relative * |theirs|. 0: the default of the dtype (float 1e-5,
// double 1e-9, half 2e-3, bfloat16 2e-2, integers exact).
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct OpCase {
  std::string op;
  // The type attrs (and what goes with them) of each combination to run.
  std::vector<op::AttrMap> types = {{}};
  std::vector<op::AttrMap> attrs = {{}};
  std::vector<CaseVariant> variants;
  std::vector<BadCall> bad;
  Tolerance tolerance;
  // Checked for double (and complex double) inputs, when the op has a registered gradient.
  bool check_gradient = true;
  // False for ops whose gradient in TensorFlow, and so here, is that of real numbers only.
  bool check_complex_gradient = true;
  std::vector<int> gradient_inputs;  // flattened positions; empty: all floating inputs
  // False: only shapes and dtypes of the outputs are compared (random numbers, order not fixed).
  bool compare_values = true;
};

// {{attr: t}} for each t.
std::vector<op::AttrMap> ForTypes(std::string_view attr, const std::vector<DType>& types);
// Every combination of the two lists.
std::vector<op::AttrMap> Product(const std::vector<op::AttrMap>& a,
                                 const std::vector<op::AttrMap>& b);
// Those of `types` that TensorFlow's `op` may have, and has a CPU kernel for.
std::vector<op::AttrMap> WithKernels(std::string_view op, const std::vector<op::AttrMap>& types);

// One runnable case: attrs complete, inputs made.
struct ConcreteCase {
  std::string name;  // "AddV2/float/broadcast", unique within the op
  std::string op;
  op::AttrMap attrs;
  std::vector<Tensor> inputs;       // of variables what they hold before
  std::vector<bool> variables;      // by input
  std::optional<StatusCode> error;  // what the call must fail with
  bool differs_from_tensorflow = false;
  bool large = false;
  bool compare_values = true;
  Tolerance tolerance;
  bool check_gradient = false;
  std::vector<int> gradient_inputs;
};

// All runnable cases of `c`. INVALID_ARGUMENT naming the variant when the description does not fit
// the op's schema.
StatusOr<std::vector<ConcreteCase>> Expand(const OpCase& c, const op::OpRegistry& ops);

// A tensor of random values, the same for the same seed.
Tensor RandomTensor(DType dtype, const Shape& shape, const Values& values, uint64_t seed);

class KernelRunner;
// One call: the op's outputs, then what its variables hold. The variables are fresh ones of
// runner.resources(), which forgets what else it had.
StatusOr<std::vector<Tensor>> RunCase(const ConcreteCase& c, KernelRunner& runner);
// True when some input is a variable.
bool HasVariables(const ConcreteCase& c);

// Runs every case of `cases`: all must succeed, bad calls fail with their code. The text lists what
// did not, one a line; empty when all is well.
std::string CheckOpCases(const std::vector<OpCase>& cases, KernelRunner& runner);

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_OP_CASE_H_
