// OpRegistry: the schemas of all operations, by name.
//
// To add an op (the whole recipe is docs/adding_an_op.md):
//   1. In ops/<family>/, describe it with one line in the format of op_signatures.tsv and hand it
//   to
//      Add(), in the family's Register…Schemas(OpRegistry&).
//   2. Set its shape function there with SetShapeFn().
//   3. Register its kernels in Register…Kernels(KernelRegistry&), its gradient in
//      Register…Gradients(GradientRegistry&).
//   4. Add an OpCase to the family's test.
#ifndef RHEO_OP_OP_REGISTRY_H_
#define RHEO_OP_OP_REGISTRY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/op/op_schema.h"

namespace rheo::op {

// Filled once at start, then read from any thread.
class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;

  // Reads a table in the format of spec op_signatures.tsv: one op a line, five columns.
  // INVALID_ARGUMENT naming the line and the mistake; ALREADY_EXISTS for a repeated op.
  Status AddTable(std::string_view text);
  Status Add(OpSchema schema);
  // NOT_FOUND when there is no such op.
  Status SetShapeFn(std::string_view op, ShapeFn fn);

  // nullptr when there is no such op. Pointers stay valid.
  const OpSchema* Find(std::string_view op) const;
  // All ops, ordered by name.
  std::vector<const OpSchema*> All() const;
  size_t size() const { return by_name_.size(); }

 private:
  StringMap<std::unique_ptr<OpSchema>> by_name_;
};

// Parses one line of the table: "Name\tinputs\toutputs\tattrs\tflags".
StatusOr<OpSchema> ParseSignature(std::string_view line);

// TensorFlow's public operations as shipped (about 1 400), as text of the format above.
std::string_view PublicOpTable();

}  // namespace rheo::op

#endif  // RHEO_OP_OP_REGISTRY_H_
