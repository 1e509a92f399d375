// Short spellings of nodes and graphs for the tests of this folder.
#ifndef RHEO_GRAPH_GRAPH_TEST_UTIL_H_
#define RHEO_GRAPH_GRAPH_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rheo/graph/import.h"

namespace rheo::graph {

// TensorFlow's public ops.
inline const op::OpRegistry& TestOps() {
  static const op::OpRegistry* const kOps = [] {
    auto* ops = new op::OpRegistry;  // lives as long as the tests
    EXPECT_TRUE(ops->AddTable(op::PublicOpTable()).ok());
    return ops;
  }();
  return *kOps;
}

inline NodeDef Def(std::string name, std::string op, std::vector<std::string> inputs = {},
                   op::AttrMap attrs = {}) {
  return {.name = std::move(name),
          .op = std::move(op),
          .inputs = std::move(inputs),
          .device = "",
          .attrs = std::move(attrs),
          .extra = ""};
}

inline NodeDef FloatNode(std::string name, std::string op, std::vector<std::string> inputs) {
  return Def(std::move(name), std::move(op), std::move(inputs), {{"T", DType::kFloat}});
}

inline NodeDef Const(std::string name, Tensor value = Tensor::Scalar(1.0f)) {
  const DType dtype = value.dtype();
  return Def(std::move(name), "Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
}

inline NodeDef NoOp(std::string name, std::vector<std::string> inputs = {}) {
  return Def(std::move(name), "NoOp", std::move(inputs));
}

inline GraphDef DefOf(std::vector<NodeDef> nodes) {
  GraphDef def;
  def.nodes = std::move(nodes);
  def.versions.producer = kProducerVersion;
  return def;
}

inline std::unique_ptr<Graph> ImportOrFail(const GraphDef& def, const ImportOptions& options = {}) {
  StatusOr<std::unique_ptr<Graph>> graph = ImportNew(def, options, TestOps());
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : std::make_unique<Graph>(TestOps());
}

// x = 0; while (x < 10) x += 1, as v1 control flow: "x/Enter", "x/Merge", …, "x/Exit".
inline std::vector<NodeDef> LoopNodes(const std::string& frame = "loop") {
  NodeDef enter = FloatNode("x/Enter", "Enter", {"zero"});
  enter.attrs.Set("frame_name", frame);
  NodeDef merge = FloatNode("x/Merge", "Merge", {"x/Enter", "x/NextIteration"});
  merge.attrs.Set("N", 2);
  NodeDef one = Const("one");
  one.inputs = {"^x/Identity"};
  NodeDef limit = Const("limit", Tensor::Scalar(10.0f));
  limit.inputs = {"^x/Merge"};
  return {Const("zero", Tensor::Scalar(0.0f)),
          enter,
          merge,
          limit,
          FloatNode("less", "Less", {"x/Merge", "limit"}),
          Def("cond", "LoopCond", {"less"}),
          FloatNode("x/Switch", "Switch", {"x/Merge", "cond"}),
          FloatNode("x/Identity", "Identity", {"x/Switch:1"}),
          one,
          FloatNode("add", "Add", {"x/Identity", "one"}),
          FloatNode("x/NextIteration", "NextIteration", {"add"}),
          FloatNode("x/Exit", "Exit", {"x/Switch"})};
}

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_GRAPH_TEST_UTIL_H_
