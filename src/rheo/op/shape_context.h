// ShapeContext: what a shape function sees of a node, and where it puts the output shapes.
#ifndef RHEO_OP_SHAPE_CONTEXT_H_
#define RHEO_OP_SHAPE_CONTEXT_H_

#include <functional>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/op/attr_value.h"
#include "rheo/op/op_schema.h"
#include "rheo/tensor/tensor.h"

namespace rheo::op {

// Not thread-safe; made by the driver (graph/shape_inference.h) for each node.
class ShapeContext {
 public:
  // Output shapes of a function called with these input shapes.
  using FunctionShapes =
      std::function<StatusOr<std::vector<PartialShape>>(const FuncRef&, std::vector<PartialShape>)>;

  // `constants[i]` is the value of input i where it is known, else nullptr. All must outlive this.
  ShapeContext(const AttrMap& attrs, std::vector<PartialShape> inputs,
               std::vector<const Tensor*> constants, const NodeTypes& types,
               FunctionShapes function_shapes = nullptr)
      : attrs_(attrs),
        inputs_(std::move(inputs)),
        constants_(std::move(constants)),
        types_(types),
        function_shapes_(std::move(function_shapes)),
        outputs_(types.outputs.size()) {}

  const AttrMap& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  const std::vector<PartialShape>& inputs() const { return inputs_; }
  const NodeTypes& types() const { return types_; }
  // The value of input i if it is known while the graph is built, else nullptr.
  const Tensor* constant(int i) const { return constants_[static_cast<size_t>(i)]; }

  void set_output(int i, PartialShape shape) {
    outputs_[static_cast<size_t>(i)] = std::move(shape);
  }
  const std::vector<PartialShape>& outputs() const { return outputs_; }

  // INVALID_ARGUMENT "input 0 has rank 3, must be 2" unless the rank fits or is unknown.
  Status RequireRank(int input, int rank) const;
  // A constant int32 or int64 vector as a shape (-1 = unknown dim); unknown rank, or the rank
  // alone, when the value is not known.
  StatusOr<PartialShape> ShapeFromInput(int input) const;
  // The result shape of broadcasting a and b as numpy does; INVALID_ARGUMENT naming both when they
  // do not fit.
  static StatusOr<PartialShape> Broadcast(const PartialShape& a, const PartialShape& b);

  const FunctionShapes& function_shapes() const { return function_shapes_; }

 private:
  const AttrMap& attrs_;
  std::vector<PartialShape> inputs_;
  std::vector<const Tensor*> constants_;
  const NodeTypes& types_;
  FunctionShapes function_shapes_;
  std::vector<PartialShape> outputs_;
};

// Common shape functions.
Status UnchangedShape(ShapeContext& c);        // output 0 as input 0
Status ScalarShape(ShapeContext& c);           // every output a scalar
Status BroadcastBinaryShape(ShapeContext& c);  // output 0 = broadcast of inputs 0 and 1
Status NoOutputs(ShapeContext& c);             // nothing to do
Status UnknownShape(ShapeContext& c);          // every output unknown

}  // namespace rheo::op

#endif  // RHEO_OP_SHAPE_CONTEXT_H_
