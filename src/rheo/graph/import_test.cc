#include "rheo/graph/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/graph/graph_test_util.h"

namespace rheo::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct BadGraph {
  const char* what;
  std::vector<NodeDef> nodes;
  StatusCode code;
  const char* text;
};

NodeDef WithDevice(NodeDef def, std::string device) {
  def.device = std::move(device);
  return def;
}

std::vector<BadGraph> BadGraphs() {
  const StatusCode invalid = StatusCode::kInvalidArgument;
  const NodeDef a = Const("a");
  return {
      {"unknown op", {Def("x", "Foo")}, StatusCode::kNotFound, "Op type not registered 'Foo'"},
      {"attr that types need",
       {Def("p", "Placeholder")},
       StatusCode::kNotFound,
       "No attr named 'dtype' in NodeDef: {{node p}}"},
      {"wrong kind", {a, Def("b", "Identity", {"a"}, {{"T", 3}})}, invalid, "{{node b}}"},
      {"negative number",
       {Def("b", "AddN", {}, {{"T", DType::kFloat}, {"N", -1}})},
       invalid,
       "{{node b}}"},
      {"repeated name", {a, a}, invalid, "Node 'a' is not unique"},
      {"name with dash", {Const("-a")}, invalid, "Illegal op name '-a'"},
      {"internal name", {Const("_a")}, invalid, "Illegal op name '_a'"},
      {"empty name", {Const("")}, invalid, "Illegal op name ''"},
      {"name with colon", {Const("a:0")}, invalid, "Illegal op name 'a:0'"},
      {"dangling input",
       {a, FloatNode("b", "Identity", {"zz"})},
       invalid,
       "Node 'b': Unknown input node 'zz'"},
      {"dangling control", {NoOp("b", {"^zz"})}, invalid, "Node 'b': Unknown input node '^zz'"},
      {"empty input", {FloatNode("b", "Identity", {""})}, invalid, "Illegal op input name ''"},
      {"index is no number",
       {a, FloatNode("b", "Identity", {"a:x"})},
       invalid,
       "Illegal op input name 'a:x': {{node b}}"},
      {"negative index",
       {a, FloatNode("b", "Identity", {"a:-1"})},
       invalid,
       "Illegal op input name 'a:-1'"},
      {"no index", {a, FloatNode("b", "Identity", {"a:"})}, invalid, "Illegal op input name 'a:'"},
      {"leading zero", {a, FloatNode("b", "Identity", {"a:00"})}, invalid, "name 'a:00'"},
      {"huge index", {a, FloatNode("b", "Identity", {"a:9999999999"})}, invalid, "{{node b}}"},
      {"control with index", {a, NoOp("b", {"^a:0"})}, invalid, "Illegal op input name '^a:0'"},
      {"index out of range",
       {a, FloatNode("b", "Identity", {"a:3"})},
       invalid,
       "Node 'b': Connecting to invalid output 3 of source node a which has 1 outputs."},
      {"too many inputs",
       {a, FloatNode("b", "Identity", {"a", "a"})},
       invalid,
       "Input 1 of node b does not exist. Node only has 1 inputs."},
      {"control first",
       {a, FloatNode("b", "Identity", {"^a", "a"})},
       invalid,
       "All control inputs must follow all data inputs: {{node b}}"},
      {"types",
       {a, Def("b", "Identity", {"a"}, {{"T", DType::kInt32}})},
       invalid,
       "Input 0 of node b was passed float from a:0 incompatible with expected int32."},
      {"value as reference",
       {a, FloatNode("b", "RefIdentity", {"a"})},
       invalid,
       "Input 0 of node b was passed float from a:0 incompatible with expected float_ref."},
      {"cycle",
       {FloatNode("a", "Identity", {"b"}), FloatNode("b", "Identity", {"a"}),
        FloatNode("c", "Identity", {"a"})},
       invalid,
       "3 nodes in a cycle"},
      {"cycle of one",
       {FloatNode("a", "Identity", {"a"})},
       invalid,
       "1 nodes in a cycle, among them {{node a}}"},
      {"control cycle", {NoOp("a", {"^b"}), NoOp("b", {"^a"})}, invalid, "2 nodes in a cycle"},
      {"cycle past a NextIteration without Merge",
       {FloatNode("n", "NextIteration", {"i"}), FloatNode("i", "Identity", {"n"})},
       invalid,
       "2 nodes in a cycle"},
      {"device",
       {WithDevice(NoOp("a"), "foo")},
       invalid,
       "Malformed device specification 'foo' in node: {{node a}}"},
      {"device after a good one",
       {WithDevice(NoOp("a"), "/cpu:0"), WithDevice(NoOp("b"), "/job:zz*")},
       invalid,
       "Malformed device specification '/job:zz*' in node: {{node b}}"},
  };
}

TEST(ImportTest, RefusesMalformedGraphsNamingTheNode) {
  for (const BadGraph& bad : BadGraphs()) {
    const Status status = ImportNew(DefOf(bad.nodes), {}, TestOps()).status();
    EXPECT_EQ(status.code(), bad.code) << bad.what << ": " << status;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(bad.text)) << bad.what;
  }
}

TEST(ImportTest, LinksNodesInAnyOrder) {
  NodeDef late = FloatNode("b", "Identity", {"a", "^c"});
  late.device = "/job:w";
  late.extra = "bytes";
  const auto graph = ImportOrFail(DefOf({late, NoOp("c"), Const("a")}));
  const Node* b = graph->FindNode("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->input(0).node, graph->FindNode("a"));
  EXPECT_EQ(b->control_in_edges().size(), 1u);
  EXPECT_EQ(b->requested_device(), "/job:w");
  EXPECT_EQ(b->extra(), "bytes");
}

TEST(ImportTest, ToleratesUnknownAttrsMissingInputsAndRepeatedControl) {
  NodeDef b = FloatNode("b", "Identity", {});
  b.attrs.Set("_mine", 1);
  b.attrs.Set("unheard_of", 1);
  const auto graph = ImportOrFail(DefOf({b, NoOp("c", {"^b", "^b"})}));
  EXPECT_EQ(graph->FindNode("c")->control_in_edges().size(), 1u);
  EXPECT_TRUE(graph->FindNode("b")->attrs().Has("unheard_of"));
}

TEST(ImportTest, InternalNamesAndCompleteInputsAreOptions) {
  EXPECT_TRUE(ImportNew(DefOf({Const("_a")}), {.allow_internal_names = true}, TestOps()).ok());
  const Status status =
      ImportNew(DefOf({FloatNode("b", "Identity", {})}), {.require_all_inputs = true}, TestOps())
          .status();
  EXPECT_EQ(Message(status), "Incomplete graph, missing 1 inputs for b");
}

TEST(ImportTest, LoopsAreNoCycles) {
  const auto graph = ImportOrFail(DefOf(LoopNodes()));
  EXPECT_EQ(graph->FindNode("x/Merge")->input(1).node, graph->FindNode("x/NextIteration"));
}

TEST(ImportTest, ChecksVersions) {
  GraphDef newer = DefOf({NoOp("a")});
  newer.versions = {.producer = 9999, .min_consumer = kProducerVersion, .bad_consumers = {1}};
  EXPECT_TRUE(ImportNew(newer, {}, TestOps()).ok());
  newer.versions.min_consumer = 99999;
  EXPECT_EQ(Message(ImportNew(newer, {}, TestOps()).status()),
            "GraphDef min consumer version 99999 above current version 2474 for TensorFlow 2.21.0. "
            " Please upgrade TensorFlow.");
  newer.versions = {.producer = 1, .min_consumer = 0, .bad_consumers = {kProducerVersion}};
  const Status bad = ImportNew(newer, {}, TestOps()).status();
  EXPECT_EQ(bad.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(bad)), HasSubstr("GraphDef disallows consumer version 2474."));
  newer.versions = {.producer = -1, .min_consumer = 0, .bad_consumers = {}};
  EXPECT_EQ(ImportNew(newer, {}, TestOps()).status().code(), StatusCode::kInvalidArgument);
}

TEST(ImportTest, ExtendingMergesVersionsAndLinksToOldNodes) {
  GraphDef base = DefOf({Const("a")});
  base.versions = {.producer = 2000, .min_consumer = 5, .bad_consumers = {7}};
  const auto graph = ImportOrFail(base);
  GraphDef more = DefOf({FloatNode("b", "Identity", {"a"})});
  more.versions = {.producer = 2100, .min_consumer = 12, .bad_consumers = {7, 8}};
  ASSERT_TRUE(Import(more, {}, *graph).ok());
  EXPECT_EQ(graph->FindNode("b")->input(0).node, graph->FindNode("a"));
  EXPECT_EQ(graph->versions(),
            (Versions{.producer = 2000, .min_consumer = 12, .bad_consumers = {7, 8}}));
  EXPECT_EQ(Message(Import(DefOf({Const("a")}), {}, *graph)), "Node 'a' is not unique");
}

// Any step that costs the square of the number of nodes makes this time out; any recursion over a
// path overflows the stack.
TEST(ImportTest, DeepAndWideGraphs) {
  constexpr int kNodes = 200'000;
  std::vector<NodeDef> nodes = {Const("n0")};
  for (int i = 1; i < kNodes; ++i) {
    nodes.push_back(
        FloatNode("n" + std::to_string(i), "Identity", {"n" + std::to_string(i - 1), "^n0"}));
  }
  nodes.push_back(NoOp("all"));
  for (int i = 0; i < kNodes; ++i) nodes.back().inputs.push_back("^n" + std::to_string(i));
  const auto graph = ImportOrFail(DefOf(std::move(nodes)));
  EXPECT_EQ(graph->num_nodes(), kNodes + 1);
  EXPECT_EQ(Export(*graph, {}).nodes.size(), static_cast<size_t>(kNodes) + 1);
  EXPECT_EQ(graph->Clone()->num_nodes(), kNodes + 1);
}

TEST(ExportTest, RoundTripKeepsTheProgram) {
  GraphDef def = DefOf(LoopNodes());
  def.nodes[0].device = "/job:ps/task:1";
  const auto graph = ImportOrFail(def);
  const GraphDef again = Export(*graph, {.strip_default_attrs = true});
  ASSERT_EQ(again.nodes.size(), def.nodes.size());
  for (size_t i = 0; i < def.nodes.size(); ++i) {
    EXPECT_EQ(again.nodes[i].name, def.nodes[i].name);
    EXPECT_EQ(again.nodes[i].inputs, def.nodes[i].inputs);
    EXPECT_EQ(again.nodes[i].attrs, def.nodes[i].attrs) << def.nodes[i].name;
    EXPECT_EQ(again.nodes[i].device, def.nodes[i].device);
  }
  EXPECT_EQ(again.versions, def.versions);
}

TEST(ExportTest, OptionsChooseDefaultsAndDevices) {
  const auto graph = ImportOrFail(DefOf({Const("a"), FloatNode("m", "MatMul", {"a", "a", "^a"})}));
  graph->FindNode("m")->set_assigned_device("/job:w/replica:0/task:0/device:CPU:0");
  const GraphDef plain = Export(*graph, {});
  EXPECT_TRUE(plain.nodes[1].attrs.Has("transpose_a"));
  EXPECT_EQ(plain.nodes[1].device, "");
  EXPECT_THAT(plain.nodes[1].inputs, ElementsAre("a", "a", "^a"));
  const GraphDef bare = Export(*graph, {.strip_default_attrs = true, .assigned_devices = true});
  EXPECT_FALSE(bare.nodes[1].attrs.Has("transpose_a"));
  EXPECT_EQ(bare.nodes[1].device, "/job:w/replica:0/task:0/device:CPU:0");
}

FunctionDef Function(std::string name, std::vector<NodeDef> nodes) {
  FunctionDef function;
  function.signature.name = std::move(name);
  function.nodes = std::move(nodes);
  return function;
}

TEST(ExportTest, ReachableFunctionsOnly) {
  GraphDef def = DefOf({});
  const op::AttrValue inner = op::FuncRef{.name = "Inner", .attrs = {}};
  def.library.functions = {Function("Outer", {Def("i", "Inner")}), Function("Inner", {}),
                           Function("Unused", {}), Function("Branch", {Def("c", "Outer")}),
                           Function("InnerGrad", {})};
  def.library.gradients = {{.function = "Inner", .gradient = "InnerGrad"},
                           {.function = "Unused", .gradient = "InnerGrad"}};
  const std::vector<op::FuncRef> branches = {{.name = "Branch", .attrs = {}}};
  def.nodes = {
      Def("c", "Case", {},
          {{"branches", branches}, {"Tin", std::vector<DType>{}}, {"Tout", std::vector<DType>{}}})};
  const auto graph = ImportOrFail(def);
  EXPECT_EQ(Export(*graph, {}).library.functions.size(), 5u);
  const FunctionLibrary library = Export(*graph, {.reachable_functions_only = true}).library;
  std::vector<std::string> names;
  for (const FunctionDef& function : library.functions) names.push_back(function.signature.name);
  EXPECT_THAT(names, ElementsAre("Outer", "Inner", "Branch", "InnerGrad"));
  EXPECT_EQ(library.gradients.size(), 1u);
}

struct BadNode {
  const char* what;
  NodeDef def;
  StatusCode code;
  const char* text;
};

TEST(ValidateForExecutionTest, FindsWhatOnlyAStepCares) {
  const StatusCode invalid = StatusCode::kInvalidArgument;
  NodeDef bias = FloatNode("b", "BiasAdd", {"a", "a"});
  bias.attrs.Set("data_format", "zz");
  NodeDef kind = FloatNode("b", "BiasAdd", {"a", "a"});
  kind.attrs.Set("data_format", 1);
  const BadNode cases[] = {
      {"inputs", FloatNode("b", "BiasAdd", {"a"}), invalid,
       "Incomplete graph, missing 1 inputs for b"},
      {"missing attr",
       Def("b", "ImmutableConst", {}, {{"dtype", DType::kFloat}, {"memory_region_name", "x"}}),
       invalid,
       "NodeDef missing attr 'shape' from Op<name=ImmutableConst; signature= -> tensor:dtype; "
       "attr=dtype:type; attr=shape:shape; attr=memory_region_name:string>; NodeDef: {{node b}}"},
      {"allowed string", bias, invalid,
       "Value for attr 'data_format' of \"zz\" is not in the list of allowed values: \"NHWC\", "
       "\"NCHW\"; NodeDef: {{node b}}"},
      {"kind", kind, invalid, "AttrValue had value with type 'int' when 'string' expected"},
      {"minimum", Def("b", "AddN", {}, {{"T", DType::kFloat}, {"N", 0}}), invalid,
       "Value for attr 'N' of 0 must be at least minimum 1"},
      {"minimum length", Def("b", "FIFOQueueV2", {}, {{"component_types", op::AttrList{}}}),
       invalid, "Length for attr 'component_types' of 0 must be at least minimum 1"},
      {"removed op",
       Def("b", "BatchNormWithGlobalNormalization", {"a", "a", "a", "a", "a"},
           {{"T", DType::kFloat}, {"variance_epsilon", 1.0f}, {"scale_after_normalization", true}}),
       StatusCode::kUnimplemented,
       "Op BatchNormWithGlobalNormalization is not available in GraphDef version 2474. It has been "
       "removed in version 9. NodeDef: {{node b}}"},
  };
  for (const BadNode& bad : cases) {
    const auto graph = ImportOrFail(DefOf({Const("a"), bad.def}));
    const Status status = ValidateForExecution(*graph->FindNode("b"), graph->versions());
    EXPECT_EQ(status.code(), bad.code) << bad.what << ": " << status;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(bad.text)) << bad.what;
    EXPECT_TRUE(ValidateForExecution(*graph->FindNode("a"), graph->versions()).ok());
  }
}

}  // namespace
}  // namespace rheo::graph
