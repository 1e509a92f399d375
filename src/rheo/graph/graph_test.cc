#include "rheo/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/graph/graph_test_util.h"

namespace rheo::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class GraphTest : public ::testing::Test {
 protected:
  Node* Add(const std::string& name, const std::string& op, op::AttrMap attrs) {
    StatusOr<Node*> node = graph_.AddNode({.name = name, .op = op, .attrs = std::move(attrs)});
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? *node : nullptr;
  }
  Node* AddConst(const std::string& name) {
    return Add(name, "Const", {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(1.0f)}});
  }
  Node* AddIdentity(const std::string& name) {
    return Add(name, "Identity", {{"T", DType::kFloat}});
  }
  Node* AddNoOp(const std::string& name) { return Add(name, "NoOp", {}); }

  Graph graph_{TestOps()};
};

std::vector<std::string> SourceNames(const EdgeList& edges) {
  std::vector<std::string> names;
  for (const Edge* edge : edges) names.push_back(edge->src->name());
  return names;
}

TEST_F(GraphTest, AddNodeFillsDefaultsAndTypes) {
  const Node* node = Add("m", "MatMul", {{"T", DType::kHalf}});
  EXPECT_EQ(node->attrs().GetOr<bool>("transpose_a", true), false);
  EXPECT_THAT(node->input_types(), ElementsAre(DType::kHalf, DType::kHalf));
  EXPECT_THAT(node->output_types(), ElementsAre(DType::kHalf));
  EXPECT_EQ(graph_.FindNode("m"), node);
  EXPECT_EQ(&node->graph(), &graph_);
}

TEST_F(GraphTest, AddNodeRefusesWhatCannotBe) {
  AddNoOp("n");
  const auto status = [&](NodeSpec spec) { return graph_.AddNode(std::move(spec)).status(); };
  const Status unknown = status({.name = "x", .op = "Foo"});
  EXPECT_EQ(unknown.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(unknown)),
              HasSubstr("Op type not registered 'Foo' in binary running on "));
  EXPECT_THAT(std::string(Message(unknown)), HasSubstr("{{node x}}"));
  const Status taken = status({.name = "n", .op = "NoOp"});
  EXPECT_EQ(taken.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(taken), "Node 'n' is not unique");
  const Status untyped = status({.name = "p", .op = "Placeholder"});
  EXPECT_EQ(untyped.code(), StatusCode::kNotFound);
  EXPECT_EQ(Message(untyped), "No attr named 'dtype' in NodeDef: {{node p}}");
  EXPECT_EQ(status({.name = "", .op = "NoOp"}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(graph_.num_nodes(), 1);
}

TEST_F(GraphTest, EdgesAppearAtBothEnds) {
  Node* a = AddConst("a");
  Node* b = AddIdentity("b");
  Node* c = AddNoOp("c");
  ASSERT_TRUE(graph_.CheckedAddEdge({a, 0}, b, 0).ok());
  graph_.AddControlEdge(c, b);
  EXPECT_EQ(b->input(0), (Endpoint{a, 0}));
  EXPECT_THAT(SourceNames(b->in_edges()), ElementsAre("a", "c"));
  EXPECT_EQ(a->out_edges().size(), 1u);
  EXPECT_TRUE(c->out_edges()[0]->is_control());
}

TEST_F(GraphTest, CheckedAddEdgeNamesTheMistake) {
  Node* a = AddConst("a");
  Node* b = AddIdentity("b");
  Node* i = Add("i", "Identity", {{"T", DType::kInt32}});
  Node* r = Add("r", "RefIdentity", {{"T", DType::kFloat}});
  struct Case {
    Endpoint src;
    Node* dst;
    int dst_index;
    const char* text;
  };
  const Case cases[] = {
      {{a, 3},
       b,
       0,
       "Node 'b': Connecting to invalid output 3 of source node a which has 1 outputs."},
      {{a, 0}, b, 1, "Input 1 of node b does not exist. Node only has 1 inputs."},
      {{a, 0},
       i,
       0,
       "Input 0 of node i was passed float from a:0 incompatible with expected int32."},
      {{a, 0},
       r,
       0,
       "Input 0 of node r was passed float from a:0 incompatible with expected float_ref."},
  };
  for (const Case& c : cases) {
    const Status status = graph_.CheckedAddEdge(c.src, c.dst, c.dst_index);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(Message(status), c.text);
  }
  ASSERT_TRUE(graph_.CheckedAddEdge({a, 0}, b, 0).ok());
  EXPECT_EQ(graph_.CheckedAddEdge({a, 0}, b, 0).code(), StatusCode::kInvalidArgument);
}

TEST_F(GraphTest, ReferenceMayBeReadAsValue) {
  Node* v = Add("v", "VariableV2", {{"dtype", DType::kFloat}, {"shape", Shape{}}});
  EXPECT_EQ(v->output_types()[0], MakeRef(DType::kFloat));
  EXPECT_TRUE(graph_.CheckedAddEdge({v, 0}, AddIdentity("b"), 0).ok());
}

TEST_F(GraphTest, ControlEdgeIsAddedOnce) {
  Node* a = AddNoOp("a");
  Node* b = AddNoOp("b");
  const Edge* edge = graph_.AddControlEdge(a, b);
  EXPECT_EQ(graph_.AddControlEdge(a, b), edge);
  EXPECT_EQ(b->control_in_edges().size(), 1u);
  EXPECT_NE(graph_.AddControlEdge(b, a), edge);
}

TEST_F(GraphTest, RemovedEdgesLeaveTheOthersInPlace) {
  Node* hub = AddConst("hub");
  Node* sink = AddNoOp("sink");
  std::vector<Node*> users;
  for (int i = 0; i < 5; ++i) {
    users.push_back(AddIdentity("u" + std::to_string(i)));
    graph_.AddEdge({hub, 0}, users.back(), 0);
    graph_.AddControlEdge(users.back(), sink);
  }
  graph_.RemoveEdge(users[1]->input_edge(0));
  graph_.RemoveEdge(sink->control_in_edges()[0]);
  EXPECT_EQ(users[1]->input_edge(0), nullptr);
  std::vector<std::string> left;
  for (const Edge* edge : hub->out_edges()) left.push_back(edge->dst->name());
  EXPECT_THAT(left, UnorderedElementsAre("u0", "u2", "u3", "u4"));
  EXPECT_THAT(SourceNames(sink->control_in_edges()), UnorderedElementsAre("u1", "u2", "u3", "u4"));
  for (Node* user : users) {
    if (user->input_edge(0) != nullptr) graph_.RemoveEdge(user->input_edge(0));
  }
  EXPECT_THAT(hub->out_edges(), IsEmpty());
}

TEST_F(GraphTest, RemoveNodeTakesItsEdgesAlong) {
  Node* a = AddConst("a");
  Node* b = AddIdentity("b");
  Node* c = AddIdentity("c");
  graph_.AddEdge({a, 0}, b, 0);
  graph_.AddEdge({b, 0}, c, 0);
  graph_.AddControlEdge(b, c);
  const int id = b->id();
  graph_.RemoveNode(b);
  EXPECT_EQ(graph_.FindNode("b"), nullptr);
  EXPECT_EQ(graph_.node_by_id(id), nullptr);
  EXPECT_THAT(graph_.nodes(), ElementsAre(a, c));
  EXPECT_THAT(a->out_edges(), IsEmpty());
  EXPECT_THAT(c->in_edges(), IsEmpty());
  EXPECT_EQ(graph_.num_nodes(), 2);
}

TEST_F(GraphTest, HubWithManyUsersIsRemovedFast) {
  Node* hub = AddConst("hub");
  Node* sink = AddNoOp("sink");
  constexpr int kUsers = 200'000;
  for (int i = 0; i < kUsers; ++i) {
    Node* user = AddIdentity("u" + std::to_string(i));
    graph_.AddEdge({hub, 0}, user, 0);
    graph_.AddControlEdge(user, sink);
  }
  for (Node* node : graph_.nodes()) graph_.RemoveNode(node);  // hub and sink first
  EXPECT_EQ(graph_.num_nodes(), 0);
}

TEST_F(GraphTest, ReplaceInputAndRename) {
  Node* a = AddConst("a");
  Node* b = AddConst("b");
  Node* c = AddIdentity("c");
  graph_.AddEdge({a, 0}, c, 0);
  graph_.ReplaceInput(c, 0, {b, 0});
  EXPECT_EQ(c->input(0).node, b);
  EXPECT_THAT(a->out_edges(), IsEmpty());
  graph_.RenameNode(c, "d");
  EXPECT_EQ(graph_.FindNode("c"), nullptr);
  EXPECT_EQ(graph_.FindNode("d"), c);
}

TEST_F(GraphTest, UniqueNamesAreFree) {
  EXPECT_EQ(graph_.UniqueName("a"), "a");
  AddNoOp("a");
  AddNoOp("a_1");
  const std::string name = graph_.UniqueName("a");
  EXPECT_EQ(name, "a_2");
  AddNoOp(name);
  EXPECT_EQ(graph_.UniqueName("a"), "a_3");
}

TEST_F(GraphTest, AssignedDevices) {
  Node* a = AddNoOp("a");
  EXPECT_EQ(a->assigned_device(), "");
  a->set_assigned_device("/job:w/replica:0/task:0/device:CPU:0");
  AddNoOp("b")->set_assigned_device("/job:w/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(a->assigned_device(), "/job:w/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(&a->assigned_device(), &graph_.FindNode("b")->assigned_device());
}

TEST_F(GraphTest, CloneIsIndependentAndKeepsIds) {
  Node* a = AddConst("a");
  Node* gone = AddNoOp("gone");
  Node* b = AddIdentity("b");
  graph_.AddEdge({a, 0}, b, 0);
  graph_.AddControlEdge(a, b);
  b->set_assigned_device("/job:w");
  graph_.RemoveNode(gone);
  const std::unique_ptr<Graph> copy = graph_.Clone();
  Node* b2 = copy->FindNode("b");
  ASSERT_NE(b2, nullptr);
  EXPECT_NE(b2, b);
  EXPECT_EQ(b2->id(), b->id());
  EXPECT_EQ(b2->input(0).node, copy->FindNode("a"));
  EXPECT_EQ(b2->assigned_device(), "/job:w");
  EXPECT_EQ(&b2->graph(), copy.get());
  copy->RemoveNode(copy->FindNode("a"));
  EXPECT_THAT(b2->in_edges(), IsEmpty());
  EXPECT_EQ(b->in_edges().size(), 2u);
  EXPECT_EQ(copy->num_nodes(), 1);
}

FunctionDef Doubler(DType type = DType::kFloat) {
  FunctionDef function;
  function.signature.name = "Double";
  function.signature.inputs = {{.name = "x", .type = type}};
  function.signature.outputs = {{.name = "y", .type = type}};
  function.nodes = {Def("add", "Add", {"x", "x"}, {{"T", type}})};
  function.returns = {{"y", "add:z:0"}};
  return function;
}

TEST_F(GraphTest, FunctionsAreOps) {
  FunctionLibrary library;
  library.functions = {Doubler()};
  graph_.set_library(*MergeLibraries(graph_.library(), library));
  Node* call = Add("call", "Double", {});
  ASSERT_NE(call, nullptr);
  EXPECT_THAT(call->input_types(), ElementsAre(DType::kFloat));
  // Schemas stay valid when the library is replaced, with and without the function.
  graph_.set_library(*MergeLibraries(graph_.library(), library));
  EXPECT_EQ(call->op(), "Double");
  graph_.set_library(std::make_shared<FunctionIndex>(FunctionLibrary()));
  EXPECT_EQ(call->op(), "Double");
  EXPECT_EQ(graph_.Clone()->FindNode("call")->op(), "Double");
}

TEST(MergeLibrariesTest, SameBodiesMergeDifferentOnesDoNot) {
  FunctionLibrary library;
  library.functions = {Doubler()};
  library.gradients = {{.function = "Double", .gradient = "DoubleGrad"}};
  const FunctionLibraryRef empty = std::make_shared<FunctionIndex>(FunctionLibrary());
  const FunctionLibraryRef base = *MergeLibraries(empty, library);
  EXPECT_EQ(base->FindGradient("Double"), "DoubleGrad");
  EXPECT_EQ(base->FindGradient("Other"), "");
  const StatusOr<FunctionLibraryRef> again = MergeLibraries(base, library);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->library().functions.size(), 1u);

  FunctionLibrary other;
  other.functions = {Doubler(DType::kInt32)};
  const Status status = MergeLibraries(base, other).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("'Double'"));

  FunctionLibrary twice;
  twice.functions = {Doubler(), Doubler(DType::kInt32)};
  EXPECT_EQ(MergeLibraries(empty, twice).status().code(), StatusCode::kInvalidArgument);

  FunctionLibrary gradient;
  gradient.gradients = {{.function = "Double", .gradient = "Another"}};
  EXPECT_EQ(MergeLibraries(base, gradient).status().code(), StatusCode::kInvalidArgument);
}

TEST(TensorNameTest, ParsesAndPrints) {
  const auto parsed = [](std::string_view text) {
    const TensorName name = ParseTensorName(text);
    return std::pair(name.node, name.index);
  };
  EXPECT_EQ(parsed("a"), std::pair(std::string("a"), 0));
  EXPECT_EQ(parsed("a/b:12"), std::pair(std::string("a/b"), 12));
  EXPECT_EQ(parsed("^a"), std::pair(std::string("a"), kControlSlot));
  EXPECT_EQ(parsed("a:b"), std::pair(std::string("a:b"), 0));
  EXPECT_EQ(parsed("a:"), std::pair(std::string("a:"), 0));
  EXPECT_EQ(parsed("a:-1"), std::pair(std::string("a:-1"), 0));
  EXPECT_EQ(parsed("a:99999999999"), std::pair(std::string("a:99999999999"), 0));
  EXPECT_EQ(ParseTensorName("a").ToString(), "a:0");
  EXPECT_EQ(ParseTensorName("^a").ToString(), "^a");
}

}  // namespace
}  // namespace rheo::graph
