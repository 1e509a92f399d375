#include "rheo/graph/graph_size.h"

#include <gtest/gtest.h>

namespace rheo::graph {
namespace {

NodeDef Constant(std::string name, Tensor value) {
  NodeDef node;
  node.name = std::move(name);
  node.op = "Const";
  node.attrs.Set("value", std::move(value));
  return node;
}

TEST(GraphSizeTest, NodesOfFunctionsCount) {
  GraphDef graph;
  graph.nodes.resize(2);
  graph.library.functions.resize(2);
  graph.library.functions[0].nodes.resize(3);
  graph.library.functions[1].nodes.resize(4);
  EXPECT_EQ(SizeOf(graph).nodes, 9);
}

TEST(GraphSizeTest, BytesAreThoseOfConstantsAndNames) {
  GraphDef graph;
  graph.nodes.push_back(Constant("c", Tensor(DType::kFloat, {1000})));
  const int64_t bytes = SizeOf(graph).bytes;
  EXPECT_GE(bytes, 4000);
  EXPECT_LT(bytes, 4100);
  graph.nodes[0].name = std::string(5000, 'n');
  EXPECT_EQ(SizeOf(graph).bytes, bytes + 4999);
}

TEST(GraphSizeTest, TextsInConstantsAndListsCount) {
  GraphDef graph;
  graph.nodes.push_back(Constant("c", Tensor::Scalar(std::string(3000, 'x'))));
  NodeDef lists;
  lists.attrs.Set("tensors", std::vector<Tensor>(2, Tensor(DType::kFloat, {1000})));
  lists.attrs.Set("texts", std::vector<std::string>(3, std::string(1000, 'y')));
  graph.library.functions.resize(1);
  graph.library.functions[0].nodes.push_back(lists);
  EXPECT_GE(SizeOf(graph).bytes, 3000 + 8000 + 3000);
  EXPECT_LT(SizeOf(graph).bytes, 3000 + 8000 + 3000 + 200);
}

}  // namespace
}  // namespace rheo::graph
