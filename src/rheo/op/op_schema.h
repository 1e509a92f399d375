// OpSchema: what an operation is, apart from any kernel: its arguments, attrs and flags.
#ifndef RHEO_OP_OP_SCHEMA_H_
#define RHEO_OP_OP_SCHEMA_H_

#include <absl/container/inlined_vector.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/op/attr_value.h"

namespace rheo::op {

class ShapeContext;
// Computes the output shapes of a node from what is known of its inputs (shape_context.h).
// INVALID_ARGUMENT when the inputs cannot fit.
using ShapeFn = std::function<Status(ShapeContext&)>;

// One input or output: a tensor of `type`, of the type attr `type_attr`, `number_attr` tensors of
// one of them, or one tensor per entry of the list attr `type_list_attr`.
struct ArgSpec {
  std::string name;
  DType type = DType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_ref = false;
};

enum class AttrKind { kString, kInt, kFloat, kBool, kType, kShape, kTensor, kFunc };

struct AttrSpec {
  std::string name;
  AttrKind kind = AttrKind::kString;
  bool is_list = false;
  std::optional<AttrValue> default_value;  // none: the attr is required
  std::optional<int64_t> minimum;          // of an int, or of a list's length
  std::vector<DType> allowed_types;        // empty: any
  std::vector<std::string> allowed_strings;
};

struct OpSchema {
  std::string name;
  std::vector<ArgSpec> inputs;
  std::vector<ArgSpec> outputs;
  std::vector<AttrSpec> attrs;
  std::vector<std::string> control_outputs;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  bool is_communication = false;
  int deprecated_version = 0;  // refused from this producer version on; 0: never
  std::string deprecation_text;
  ShapeFn shape_fn;  // null: outputs have unknown shapes

  const AttrSpec* FindAttr(std::string_view attr_name) const;
};

// As large as a std::vector, without an allocation for the few dtypes that most nodes have.
using DTypeVector = absl::InlinedVector<DType, 16>;

// The dtypes of a node's inputs and outputs, flattened; references carry the ref offset.
struct NodeTypes {
  DTypeVector inputs;
  DTypeVector outputs;
};

// NOT_FOUND naming an attr the types need, INVALID_ARGUMENT for a wrong kind or a negative count.
StatusOr<NodeTypes> ResolveTypes(const OpSchema& schema, const AttrMap& attrs);

// The [begin, end) range of flattened positions that each input (output) argument takes.
struct ArgRange {
  int begin = 0;
  int end = 0;
};
StatusOr<std::vector<ArgRange>> ResolveRanges(const std::vector<ArgSpec>& args,
                                              const AttrMap& attrs);

// Adds the defaults of missing attrs.
void AddDefaultAttrs(const OpSchema& schema, AttrMap& attrs);
// Removes attrs that equal their default.
void StripDefaultAttrs(const OpSchema& schema, AttrMap& attrs);

// Checks kinds, allowed values, minima and that required attrs are there. Attrs the schema does not
// know are tolerated. INVALID_ARGUMENT naming attr and value.
Status ValidateAttrs(const OpSchema& schema, const AttrMap& attrs);

// For messages: "Op<name=Abs; signature=x:T -> y:T; attr=T:type,allowed=[half, float]>".
std::string Describe(const OpSchema& schema);
// The kind as an OpDef spells it: "type", "list(int)".
std::string KindText(const AttrSpec& attr);

}  // namespace rheo::op

#endif  // RHEO_OP_OP_SCHEMA_H_
