#include "rheo/graph/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/graph/graph_test_util.h"
#include "rheo/graph/traversal.h"

namespace rheo::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodeDef Typed(std::string name, std::string op, std::vector<std::string> inputs) {
  return Def(std::move(name), std::move(op), std::move(inputs),
             {{"T", op::Placeholder{.name = "T"}}});
}

// F[T](x: T, rest: N*T) = (y: T, both: list), with a side effect.
FunctionDef Sample() {
  FunctionDef f;
  f.signature.name = "F";
  f.signature.inputs = {{.name = "x", .type_attr = "T"},
                        {.name = "rest", .type_attr = "T", .number_attr = "N"}};
  f.signature.outputs = {{.name = "y", .type_attr = "T"},
                         {.name = "both", .type_attr = "T", .number_attr = "N"}};
  f.signature.attrs = {
      {.name = "T", .kind = op::AttrKind::kType},
      {.name = "N", .kind = op::AttrKind::kInt, .default_value = op::AttrValue(2)}};
  f.signature.control_outputs = {"effect"};
  NodeDef sum = Typed("sum", "AddN", {"rest"});
  sum.attrs.Set("N", op::Placeholder{.name = "N"});
  NodeDef split = Typed("split", "Split", {"axis:output:0", "add:z:0"});
  split.attrs.Set("num_split", 2);
  NodeDef noop = NoOp("effect_node", {"^sum"});
  noop.device = "/job:ps";
  f.nodes = {Typed("add", "Add", {"sum:sum:0", "rest:1"}), sum,
             Const("axis", Tensor::Scalar<int32_t>(0)), split, noop};
  f.returns = {{"y", "split:output:1"}, {"both", "split:output"}};
  f.control_returns = {{"effect", "effect_node"}};
  return f;
}

FunctionLibraryRef LibraryOf(std::vector<FunctionDef> functions) {
  FunctionLibrary library;
  library.functions = std::move(functions);
  return std::make_shared<FunctionIndex>(std::move(library));
}

op::FuncRef Call(op::AttrMap attrs = {{"T", DType::kHalf}}) {
  return {.name = "F", .attrs = std::move(attrs)};
}

TEST(InstantiateFunctionTest, BindsAttrsAndLinksTensors) {
  const StatusOr<FunctionBody> body = InstantiateFunction(Call(), LibraryOf({Sample()}), TestOps());
  ASSERT_TRUE(body.ok()) << body.status();
  const Graph& graph = *body->graph;
  ASSERT_EQ(body->args.size(), 3u);
  ASSERT_EQ(body->returns.size(), 3u);
  EXPECT_THAT(body->arg_types, ElementsAre(DType::kHalf, DType::kHalf, DType::kHalf));
  EXPECT_EQ(body->args[2]->name(), "rest_1");
  EXPECT_EQ(body->args[2]->attrs().GetOr<int64_t>("index", -1), 2);
  const Node* sum = graph.FindNode("sum");
  EXPECT_EQ(sum->input(0).node, body->args[1]);
  EXPECT_EQ(sum->input(1).node, body->args[2]);
  EXPECT_EQ(sum->output_types()[0], DType::kHalf);
  EXPECT_EQ(graph.FindNode("add")->input(1).node, body->args[2]);
  EXPECT_EQ(body->returns[0]->input(0), (Endpoint{graph.FindNode("split"), 1}));
  EXPECT_EQ(body->returns[1]->input(0), (Endpoint{graph.FindNode("split"), 0}));
  EXPECT_EQ(body->returns[2]->input(0), (Endpoint{graph.FindNode("split"), 1}));
  EXPECT_THAT(body->control_returns, ElementsAre(graph.FindNode("effect_node")));
  EXPECT_EQ(graph.FindNode("effect_node")->requested_device(), "/job:ps");
}

TEST(InstantiateFunctionTest, PlaceholdersInsideFunctionAttrsAreBound) {
  FunctionDef f;
  f.signature.name = "F";
  f.signature.attrs = {{.name = "T", .kind = op::AttrKind::kType}};
  const op::FuncRef inner = {.name = "G", .attrs = {{"U", op::Placeholder{.name = "T"}}}};
  f.nodes = {Def("call", "PartitionedCall", {},
                 {{"f", inner}, {"Tin", std::vector<DType>{}}, {"Tout", std::vector<DType>{}}}),
             Def("case", "Case", {"i:output:0"},
                 {{"branches", std::vector<op::FuncRef>{inner}},
                  {"Tin", std::vector<DType>{}},
                  {"Tout", std::vector<DType>{}}}),
             Const("i", Tensor::Scalar<int32_t>(0))};
  const StatusOr<FunctionBody> body = InstantiateFunction(Call(), LibraryOf({f}), TestOps());
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->graph->FindNode("call")->attrs().Find("f")->func()->attrs.GetOr<DType>("U", {}),
            DType::kHalf);
  EXPECT_EQ(body->graph->FindNode("case")->attrs().Find("branches")->list()->funcs[0].attrs,
            (op::AttrMap{{"U", DType::kHalf}}));
}

TEST(InstantiateFunctionTest, UnknownFunctionIsNotFound) {
  const Status status = InstantiateFunction(Call(), LibraryOf({}), TestOps()).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("F"));
}

TEST(InstantiateFunctionTest, MalformedBodiesAreNamed) {
  struct Case {
    void (*spoil)(FunctionDef&);
    op::AttrMap attrs;
    const char* text;
  };
  const op::AttrMap half = {{"T", DType::kHalf}};
  const Case cases[] = {
      {[](FunctionDef&) {}, {}, "'T'"},
      {[](FunctionDef& f) { f.nodes[0].inputs[0] = "zz"; }, half,
       "input zz is not found: {{node add}}"},
      {[](FunctionDef& f) { f.nodes[0].inputs[0] = "x:1"; }, half,
       "input x:1 is not found: {{node add}}"},
      {[](FunctionDef& f) { f.nodes[0].inputs[0] = "sum:what:0"; }, half,
       "sum:what:0 is not found"},
      {[](FunctionDef& f) { f.nodes[0].inputs[0] = "split:output:2"; }, half, "is not found"},
      {[](FunctionDef& f) { f.nodes[0].inputs.pop_back(); }, half, "missing 1 inputs for add"},
      {[](FunctionDef& f) { f.nodes[0].inputs.push_back("x"); }, half, "Input 2 of node add"},
      {[](FunctionDef& f) { f.nodes[4].inputs = {"^zz"}; }, half, "{{node effect_node}}"},
      {[](FunctionDef& f) { f.nodes[0].op = "Foo"; }, half, "Op type not registered 'Foo'"},
      {[](FunctionDef& f) { f.nodes[0].attrs.Set("T", op::Placeholder{.name = "Z"}); }, half,
       "attr 'Z' has no value: {{node add}}"},
      {[](FunctionDef& f) { f.nodes[1].name = "add"; }, half, "Node 'add' is not unique"},
      {[](FunctionDef& f) { f.nodes[0].inputs[0] = "split:output:0"; }, half, "nodes in a cycle"},
      {[](FunctionDef& f) { f.returns[0].second = "split:outpt:1"; }, half,
       "Return y -> split:outpt:1 is not found."},
      {[](FunctionDef& f) { f.returns.pop_back(); }, half, "Return both missing."},
      {[](FunctionDef& f) { f.returns[1].second = "split:output:0"; }, half, "returns 2 tensors"},
      {[](FunctionDef& f) { f.returns[0].second = "split:output"; }, half, "more tensors"},
      {[](FunctionDef& f) { f.returns[0].second = "axis:output:0"; }, half, "was passed int32"},
      {[](FunctionDef& f) { f.control_returns[0].second = "zz"; }, half, "effect -> zz"},
      {[](FunctionDef& f) { f.control_returns[0].second = "y_RetVal"; }, half,
       "effect -> y_RetVal"},
      {[](FunctionDef& f) { f.nodes[4].op = "_Arg"; }, half,
       "a body has no nodes of op _Arg, which its signature stands for: {{node effect_node}}"},
      {[](FunctionDef& f) { f.nodes[4].op = "_Retval"; }, half, "no nodes of op _Retval"},
  };
  for (const Case& c : cases) {
    FunctionDef f = Sample();
    c.spoil(f);
    const Status status = InstantiateFunction(Call(c.attrs), LibraryOf({f}), TestOps()).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(c.text));
    EXPECT_THAT(std::string(Message(status)), HasSubstr("function F: "));
  }
}

class InlineCallTest : public ::testing::Test {
 protected:
  // before ─^─► call(a, a, a) ─► user, and ─^─► after.
  void SetUp() override {
    NodeDef call = Def("call", "F", {"a", "a", "a", "^before"}, {{"T", DType::kFloat}});
    call.device = "/job:w";
    NodeDef a = Const("a", Tensor::Of<float>({2}, {1, 2}));
    a.device = "/job:in";
    GraphDef def = DefOf({NoOp("before"), a, call, FloatNode("user", "Identity", {"call:2"}),
                          NoOp("after", {"^call"})});
    FunctionDef f = Sample();
    f.nodes.push_back(Typed("apart", "Identity", {"x"}));
    f.nodes.back().attrs.Set("_class", std::vector<std::string>{"loc:@add", "loc:@else"});
    def.library.functions = {f};
    graph_ = ImportOrFail(def);
    StatusOr<FunctionBody> body =
        InstantiateFunction(Call({{"T", DType::kFloat}}), graph_->library(), TestOps());
    ASSERT_TRUE(body.ok()) << body.status();
    body_ = *std::move(body);
  }

  Node* Find(std::string_view name) {
    Node* node = graph_->FindNode(name);
    EXPECT_NE(node, nullptr) << name;
    return node;
  }

  bool Precedes(std::string_view first, std::string_view second) {
    return ReachableBackwards(*graph_, {Find(second)})[static_cast<size_t>(Find(first)->id())];
  }

  std::unique_ptr<Graph> graph_;
  FunctionBody body_;
};

TEST_F(InlineCallTest, BodyTakesThePlaceOfTheCall) {
  const Status status = InlineCall(*graph_, Find("call"), body_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(graph_->FindNode("call"), nullptr);
  EXPECT_EQ(Find("user")->input(0), (Endpoint{Find("call/split"), 1}));
  EXPECT_EQ(Find("call/sum")->input(0).node, Find("call/rest_0"));
  EXPECT_EQ(Find("call/rest_0")->op(), "Identity");
  EXPECT_EQ(Find("call/rest_0")->input(0).node, Find("a"));
  EXPECT_TRUE(TopologicalOrder(*graph_).ok());
  for (const Node* node : graph_->nodes()) {
    EXPECT_TRUE(node->op() != "_Arg" && node->op() != "_Retval") << node->name();
    for (int i = 0; i < node->num_inputs(); ++i) EXPECT_NE(node->input_edge(i), nullptr);
  }
}

TEST_F(InlineCallTest, DevicesAndColocation) {
  ASSERT_TRUE(InlineCall(*graph_, Find("call"), body_).ok());
  EXPECT_EQ(Find("call/add")->requested_device(), "/job:w");
  EXPECT_EQ(Find("call/effect_node")->requested_device(), "/job:ps");
  EXPECT_EQ(Find("call/x")->requested_device(), "/job:in");
  EXPECT_THAT(Find("call/apart")->attrs().GetOr<std::vector<std::string>>("_class", {}),
              ElementsAre("loc:@call/add", "loc:@else"));
}

TEST_F(InlineCallTest, ControlEdgesHoldForTheWholeBody) {
  ASSERT_TRUE(InlineCall(*graph_, Find("call"), body_).ok());
  for (const char* name : {"call/axis", "call/sum", "call/effect_node", "call/apart", "user"}) {
    EXPECT_TRUE(Precedes("before", name)) << name;
  }
  EXPECT_TRUE(Precedes("call/effect_node", "after"));
  EXPECT_TRUE(Precedes("call/split", "after"));
  EXPECT_FALSE(Precedes("call/effect_node", "user"));
}

TEST_F(InlineCallTest, WrongSignatureIsRefused) {
  StatusOr<FunctionBody> other =
      InstantiateFunction(Call({{"T", DType::kInt32}}), graph_->library(), TestOps());
  ASSERT_TRUE(other.ok());
  const Status status = InlineCall(*graph_, Find("call"), *other);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("{{node call}}"));
}

TEST(InlineCallWithLoopTest, EachCallHasItsOwnFrame) {
  FunctionDef f;
  f.signature.name = "F";
  f.signature.outputs = {{.name = "y", .type = DType::kFloat}};
  f.nodes = LoopNodes("loop");
  const auto in_body = [](std::string& input) {
    if (input == "x/Switch") input = "x/Switch:output_false:0";
    if (input == "x/Switch:1") input = "x/Switch:output_true:0";
    if (input == "less") input = "less:z:0";
    if (input == "add") input = "add:z:0";
    if (input[0] != '^' && input.find(':') == std::string::npos) input += ":output:0";
  };
  for (NodeDef& node : f.nodes) {
    for (std::string& input : node.inputs) in_body(input);
  }
  f.returns = {{"y", "x/Exit:output:0"}};
  GraphDef def = DefOf({Def("c1", "F"), Def("c2", "F")});
  def.library.functions = {f};
  const auto graph = ImportOrFail(def);
  const auto body = InstantiateFunction(Call({}), graph->library(), TestOps());
  ASSERT_TRUE(body.ok()) << body.status();
  for (const char* name : {"c1", "c2"}) {
    ASSERT_TRUE(InlineCall(*graph, graph->FindNode(name), *body).ok());
  }
  const auto frames = ComputeFrames(*graph);
  ASSERT_TRUE(frames.ok()) << frames.status();
  const auto frame = [&](std::string_view name) {
    return (*frames)[static_cast<size_t>(graph->FindNode(name)->id())].frame_name;
  };
  EXPECT_EQ(frame("c1/add"), "c1/loop");
  EXPECT_EQ(frame("c2/add"), "c2/loop");
}

}  // namespace
}  // namespace rheo::graph
