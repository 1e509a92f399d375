// OpCall: one use of an op while it is put together: inputs by argument, attrs, then Finish().
// The generated builders (ops.h) are written in terms of it; AddOp is its untyped form.
#ifndef RHEO_BUILDER_OP_CALL_H_
#define RHEO_BUILDER_OP_CALL_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"
#include "rheo/op/attr_value.h"
#include "rheo/op/op_schema.h"

namespace rheo::builder {

// Lives on the stack of one builder function.
class OpCall {
 public:
  OpCall(const Scope& scope, std::string_view op);
  OpCall(const OpCall&) = delete;
  OpCall& operator=(const OpCall&) = delete;

  // The next input argument of the op: one tensor, or a list.
  void In(const Input& input);
  void In(const std::vector<Output>& inputs);

  void Attr(std::string_view name, const std::string& value);
  void Attr(std::string_view name, int64_t value);
  void Attr(std::string_view name, float value);
  void Attr(std::string_view name, bool value);
  void Attr(std::string_view name, DType value);
  void Attr(std::string_view name, const PartialShape& value);
  void Attr(std::string_view name, const Tensor& value);       // an empty tensor leaves the default
  void Attr(std::string_view name, const op::FuncRef& value);  // no name: leaves the default
  void Attr(std::string_view name, const std::vector<std::string>& value);
  void Attr(std::string_view name, const std::vector<int64_t>& value);
  void Attr(std::string_view name, const std::vector<float>& value);
  void Attr(std::string_view name, const std::vector<bool>& value);
  void Attr(std::string_view name, const std::vector<DType>& value);
  void Attr(std::string_view name, const std::vector<PartialShape>& value);
  void Attr(std::string_view name, const std::vector<op::FuncRef>& value);

  // Adds the node. On a mistake the operation is empty and the scope has the error.
  Operation Finish();
  // After Finish: an output argument that is one tensor, or a list. Empty after a mistake.
  Output One(int output_argument) const;
  std::vector<Output> List(int output_argument) const;

 private:
  friend Operation AddOp(const Scope&, std::string_view, std::vector<Output>, op::AttrMap);

  // Deals flattened inputs out to the arguments.
  Status Deal(std::vector<Output> inputs);
  StatusOr<Operation> Build();
  Status CheckInputs() const;
  Status InferAttrs();
  void InferType(const std::string& attr);
  StatusOr<std::vector<Output>> MaterializeInputs(const std::string& name);
  Status Connect(graph::Node* node, const std::vector<Output>& inputs);
  std::string Describe() const;

  const Scope& scope_;
  const std::string op_;
  const op::OpSchema* schema_;  // null: unknown op
  std::vector<std::vector<Input>> arguments_;
  op::AttrMap attrs_;
  Status dealt_;  // what Deal said
  std::vector<op::ArgRange> output_ranges_;
  Operation result_;
};

}  // namespace rheo::builder

#endif  // RHEO_BUILDER_OP_CALL_H_
