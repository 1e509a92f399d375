// GraphDef: a program as a client writes it and as it travels: nodes with inputs by name.
// Graph (graph.h): the same program with linked nodes and checked types.
#ifndef RHEO_GRAPH_GRAPH_DEF_H_
#define RHEO_GRAPH_GRAPH_DEF_H_

#include <string>
#include <utility>
#include <vector>

#include "rheo/op/attr_value.h"
#include "rheo/op/op_schema.h"

namespace rheo::graph {

// `extra` holds fields that Rheo does not interpret, as protobuf wire bytes, handed on unchanged.
struct NodeDef {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;  // "node", "node:k", "^node"; control inputs last
  std::string device;               // full, partial or empty
  op::AttrMap attrs;
  std::string extra;
};

struct FunctionDef {
  op::OpSchema signature;      // name, arguments, attrs, control outputs, statefulness
  std::vector<NodeDef> nodes;  // inputs "arg", "node:out:i", "^node"
  std::vector<std::pair<std::string, std::string>> returns;          // output arg → body tensor
  std::vector<std::pair<std::string, std::string>> control_returns;  // name → node
  op::AttrMap attrs;
  std::string extra;
};

struct GradientDef {
  std::string function;
  std::string gradient;
};

struct FunctionLibrary {
  std::vector<FunctionDef> functions;
  std::vector<GradientDef> gradients;
  std::string extra;
};

struct Versions {
  int producer = 0;
  int min_consumer = 0;
  std::vector<int> bad_consumers;
  friend bool operator==(const Versions&, const Versions&) = default;
};

// The version of TensorFlow's graphs that Rheo writes, and the highest it claims to read.
inline constexpr int kProducerVersion = 2474;

struct GraphDef {
  std::vector<NodeDef> nodes;
  FunctionLibrary library;
  Versions versions;
  std::string extra;
};

// "a:1" → {"a", 1}; "a" → {"a", 0}; an index that is no number is part of the name. Control inputs
// "^a" → {"a", kControlSlot}.
struct TensorName {
  std::string node;
  int index = 0;
  std::string ToString() const;
};
TensorName ParseTensorName(std::string_view text);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_GRAPH_DEF_H_
