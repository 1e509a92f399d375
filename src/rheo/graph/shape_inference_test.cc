#include "rheo/graph/shape_inference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/graph/graph_test_util.h"

namespace rheo::graph {
namespace {

using ::testing::HasSubstr;

// A few ops with shape functions; the families' own are tested with the families.
const op::OpRegistry& ShapedOps() {
  static const op::OpRegistry* const kOps = [] {
    auto* ops = new op::OpRegistry;  // lives as long as the tests
    EXPECT_TRUE(ops->AddTable(op::PublicOpTable()).ok());
    EXPECT_TRUE(ops->SetShapeFn("Add", op::BroadcastBinaryShape).ok());
    EXPECT_TRUE(ops->SetShapeFn("Identity", op::UnchangedShape).ok());
    EXPECT_TRUE(ops->SetShapeFn("Placeholder",
                                [](op::ShapeContext& c) {
                                  c.set_output(0, c.attrs().GetOr<PartialShape>("shape", {}));
                                  return OkStatus();
                                })
                    .ok());
    EXPECT_TRUE(ops->SetShapeFn("Reshape",
                                [](op::ShapeContext& c) -> Status {
                                  RHEO_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(1));
                                  c.set_output(0, std::move(shape));
                                  return OkStatus();
                                })
                    .ok());
    EXPECT_TRUE(ops->SetShapeFn("PartitionedCall",
                                [](op::ShapeContext& c) -> Status {
                                  RHEO_ASSIGN_OR_RETURN(const auto f,
                                                        c.attrs().Get<op::FuncRef>("f"));
                                  RHEO_ASSIGN_OR_RETURN(const auto shapes,
                                                        c.function_shapes()(f, c.inputs()));
                                  for (int i = 0; i < c.num_outputs(); ++i) {
                                    c.set_output(i, shapes[static_cast<size_t>(i)]);
                                  }
                                  return OkStatus();
                                })
                    .ok());
    return ops;
  }();
  return *kOps;
}

NodeDef Input(std::string name, PartialShape shape) {
  return Def(std::move(name), "Placeholder", {},
             {{"dtype", DType::kFloat}, {"shape", std::move(shape)}});
}

NodeDef Int(std::string name, int32_t value) {
  return Const(std::move(name), Tensor::Scalar(value));
}
NodeDef Ints(std::string name, const std::vector<int32_t>& values) {
  return Const(std::move(name), Tensor::Vector(values));
}
NodeDef IntNode(std::string name, std::string op, std::vector<std::string> inputs,
                op::AttrMap attrs = {}) {
  attrs.Set("T", DType::kInt32);
  return Def(std::move(name), std::move(op), std::move(inputs), std::move(attrs));
}
NodeDef Slice(std::string name, std::string input, std::string begin, std::string end,
              std::string stride, op::AttrMap attrs = {}) {
  attrs.Set("Index", DType::kInt32);
  return IntNode(std::move(name), "StridedSlice",
                 {std::move(input), std::move(begin), std::move(end), std::move(stride)},
                 std::move(attrs));
}

// The graph of `nodes` with its shapes.
class Inferred {
 public:
  explicit Inferred(std::vector<NodeDef> nodes, FunctionLibrary library = {}) {
    GraphDef def = DefOf(std::move(nodes));
    def.library = std::move(library);
    StatusOr<std::unique_ptr<Graph>> graph = ImportNew(def, {}, ShapedOps());
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return;
    graph_ = *std::move(graph);
    StatusOr<ShapeRefiner> shapes = InferShapes(*graph_);
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    if (shapes.ok()) shapes_ = *std::move(shapes);
  }

  PartialShape Shape(std::string_view node, int index = 0) const {
    return shapes_.ShapeOf({graph_->FindNode(node), index});
  }
  // The value as text, "?" when it is not known.
  std::string Value(std::string_view node, int index = 0) const {
    const Tensor* value = shapes_.ConstantOf({graph_->FindNode(node), index});
    return value == nullptr ? "?" : value->ToString(16);
  }

 private:
  std::unique_ptr<Graph> graph_;
  ShapeRefiner shapes_;
};

std::string Text(const std::vector<int32_t>& values) { return Tensor::Vector(values).ToString(16); }
std::string Text(int32_t value) { return Tensor::Scalar(value).ToString(16); }

TEST(ShapeRefinerTest, RunsShapeFunctionsInOrder) {
  const Inferred g({FloatNode("sum", "Add", {"a", "b"}), Input("a", {-1, 3}), Input("b", {2, 1}),
                    FloatNode("n", "Neg", {"a"})});
  EXPECT_EQ(g.Shape("sum"), (PartialShape{2, 3}));
  EXPECT_EQ(g.Shape("n"), PartialShape());  // Neg has no shape function here
}

TEST(ShapeRefinerTest, ErrorNamesTheNodeAndLeavesItUnknown) {
  StatusOr<std::unique_ptr<Graph>> graph =
      ImportNew(DefOf({Input("a", {2}), Input("b", {3}), FloatNode("sum", "Add", {"a", "b"})}), {},
                ShapedOps());
  ASSERT_TRUE(graph.ok());
  ShapeRefiner refiner;
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(refiner.Refine(*(*graph)->FindNode(name)).ok());
  }
  Node* sum = (*graph)->FindNode("sum");
  const Status status = refiner.Refine(*sum);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)),
              HasSubstr("for {{node sum}} = Add with input shapes: [2], [3]"));
  EXPECT_EQ(refiner.ShapeOf({sum, 0}), PartialShape());
  EXPECT_EQ(InferShapes(**graph).status().code(), StatusCode::kInvalidArgument);
}

TEST(ShapeRefinerTest, EndpointsNotSeenAreUnknown) {
  Graph graph(ShapedOps());
  Node* node = *graph.AddNode({.name = "n", .op = "NoOp"});
  const ShapeRefiner refiner;
  EXPECT_EQ(refiner.ShapeOf({node, 0}), PartialShape());
  EXPECT_EQ(refiner.ConstantOf({node, 0}), nullptr);
  EXPECT_EQ(refiner.ShapeOf({}), PartialShape());
}

TEST(ConstantPropagationTest, ShapesOfTensors) {
  const Inferred g({Input("a", {4, 5}), Input("part", {-1, 5}), Input("any", PartialShape()),
                    FloatNode("shape", "Shape", {"a"}), FloatNode("no_shape", "Shape", {"part"}),
                    FloatNode("size", "Size", {"a"}), FloatNode("no_size", "Size", {"part"}),
                    FloatNode("rank", "Rank", {"part"}), FloatNode("no_rank", "Rank", {"any"}),
                    Def("shapes", "ShapeN", {"part", "a"}, {{"T", DType::kFloat}, {"N", 2}}),
                    IntNode("id", "Identity", {"shape"})});
  EXPECT_EQ(g.Value("shape"), Text({4, 5}));
  EXPECT_EQ(g.Shape("shape"), (PartialShape{2}));
  EXPECT_EQ(g.Value("no_shape"), "?");
  EXPECT_EQ(g.Value("size"), Text(20));
  EXPECT_EQ(g.Value("no_size"), "?");
  EXPECT_EQ(g.Value("rank"), Text(2));
  EXPECT_EQ(g.Value("no_rank"), "?");
  EXPECT_EQ(g.Value("shapes", 0), "?");
  EXPECT_EQ(g.Value("shapes", 1), Text({4, 5}));
  EXPECT_EQ(g.Value("id"), Text({4, 5}));
}

TEST(ConstantPropagationTest, OutTypeIsRespected) {
  NodeDef wide = FloatNode("wide", "Shape", {"a"});
  wide.attrs.Set("out_type", DType::kInt64);
  const Inferred g({Input("a", {int64_t{1} << 40}), wide, FloatNode("narrow", "Shape", {"a"})});
  EXPECT_EQ(g.Value("wide"), Tensor::Vector<int64_t>({int64_t{1} << 40}).ToString(16));
  EXPECT_EQ(g.Value("narrow"), "?");
}

TEST(ConstantPropagationTest, PackAndConcat) {
  NodeDef cast = Def("cast", "Cast", {"pack"}, {{"SrcT", DType::kInt32}, {"DstT", DType::kInt64}});
  NodeDef overflow =
      Def("overflow", "Cast", {"big"}, {{"SrcT", DType::kInt32}, {"DstT", DType::kInt8}});
  const Inferred g({Int("one", 1), Int("two", 2), Ints("v", {7, 8}), Int("axis", 0),
                    Int("axis1", 1), IntNode("pack", "Pack", {"one", "two"}, {{"N", 2}}),
                    IntNode("matrix", "Pack", {"v", "v"}, {{"N", 2}}),
                    IntNode("concat", "ConcatV2", {"v", "pack", "axis"}, {{"N", 2}}),
                    IntNode("other", "ConcatV2", {"v", "pack", "axis1"}, {{"N", 2}}), cast,
                    Int("big", 300), overflow, IntNode("unknown", "Abs", {"one"}),
                    IntNode("part", "Pack", {"one", "unknown"}, {{"N", 2}})});
  EXPECT_EQ(g.Value("pack"), Text({1, 2}));
  EXPECT_EQ(g.Value("matrix"), "?");
  EXPECT_EQ(g.Value("concat"), Text({7, 8, 1, 2}));
  EXPECT_EQ(g.Value("other"), "?");
  EXPECT_EQ(g.Value("cast"), Tensor::Vector<int64_t>({1, 2}).ToString(16));
  EXPECT_EQ(g.Value("overflow"), "?");
  EXPECT_EQ(g.Value("part"), "?");
}

TEST(ConstantPropagationTest, Ranges) {
  const auto range = [](std::string name, std::string a, std::string b, std::string c) {
    return Def(std::move(name), "Range", {std::move(a), std::move(b), std::move(c)},
               {{"Tidx", DType::kInt32}});
  };
  const Inferred g({Int("0", 0), Int("2", 2), Int("5", 5), Int("m2", -2), Int("huge", 1 << 30),
                    range("up", "0", "5", "2"), range("down", "5", "0", "m2"),
                    range("none", "5", "0", "2"), range("stuck", "0", "5", "0"),
                    range("long", "0", "huge", "2")});
  EXPECT_EQ(g.Value("up"), Text({0, 2, 4}));
  EXPECT_EQ(g.Value("down"), Text({5, 3, 1}));
  EXPECT_EQ(g.Value("none"), Text(std::vector<int32_t>{}));
  EXPECT_EQ(g.Value("stuck"), "?");
  EXPECT_EQ(g.Value("long"), "?");
}

TEST(ConstantPropagationTest, StridedSlices) {
  const Inferred g({Ints("v", {10, 11, 12, 13}), Ints("0", {0}), Ints("1", {1}), Ints("3", {3}),
                    Ints("9", {9}), Ints("m1", {-1}), Ints("m2", {-2}), Ints("pair", {0, 1}),
                    Slice("mid", "v", "1", "3", "1"),
                    Slice("last", "v", "m1", "0", "1", {{"shrink_axis_mask", 1}}),
                    Slice("out", "v", "9", "0", "1", {{"shrink_axis_mask", 1}}),
                    Slice("head", "v", "9", "m1", "1", {{"begin_mask", 1}}),
                    Slice("back", "v", "0", "0", "m2", {{"begin_mask", 1}, {"end_mask", 1}}),
                    Slice("past", "v", "3", "9", "1"), Slice("empty", "v", "3", "1", "1"),
                    Slice("zero", "v", "0", "3", "0"), Slice("two", "v", "pair", "pair", "pair"),
                    Slice("new", "v", "0", "3", "1", {{"new_axis_mask", 1}})});
  EXPECT_EQ(g.Value("mid"), Text({11, 12}));
  EXPECT_EQ(g.Value("last"), Text(13));
  EXPECT_EQ(g.Value("out"), "?");
  EXPECT_EQ(g.Value("head"), Text({10, 11, 12}));
  EXPECT_EQ(g.Value("back"), Text({13, 11}));
  EXPECT_EQ(g.Value("past"), Text(std::vector<int32_t>{13}));
  EXPECT_EQ(g.Value("empty"), Text(std::vector<int32_t>{}));
  EXPECT_EQ(g.Value("zero"), "?");
  EXPECT_EQ(g.Value("two"), "?");
  EXPECT_EQ(g.Value("new"), "?");
}

TEST(ConstantPropagationTest, ReachesShapeFunctions) {
  NodeDef reshape =
      Def("reshape", "Reshape", {"a", "pack"}, {{"T", DType::kFloat}, {"Tshape", DType::kInt32}});
  const Inferred g({Input("a", {6, 4}), FloatNode("shape", "Shape", {"a"}), Ints("0", {0}),
                    Ints("1", {1}), Slice("dim", "shape", "0", "1", "1", {{"shrink_axis_mask", 1}}),
                    Int("4", 4), IntNode("pack", "Pack", {"4", "dim"}, {{"N", 2}}), reshape});
  EXPECT_EQ(g.Shape("reshape"), (PartialShape{4, 6}));
}

FunctionDef AddFunction(std::string name, NodeDef body) {
  FunctionDef f;
  f.signature.name = std::move(name);
  f.signature.inputs = {{.name = "x", .type = DType::kFloat}};
  f.signature.outputs = {{.name = "y", .type = DType::kFloat}};
  const std::string output = body.op == "Add" ? ":z:0" : ":y:0";
  f.returns = {{"y", body.name + output}};
  f.nodes = {std::move(body)};
  return f;
}

TEST(FunctionShapesTest, CallsHaveTheShapesOfTheirBodies) {
  FunctionLibrary library;
  library.functions = {AddFunction("F", FloatNode("add", "Add", {"x", "x"})),
                       AddFunction("Forever", Def("again", "Forever", {"x"}))};
  const op::FuncRef f = {.name = "F", .attrs = {}};
  const Inferred g({Input("a", {-1, 3}), Def("direct", "F", {"a"}),
                    Def("call", "PartitionedCall", {"a"},
                        {{"f", f},
                         {"Tin", std::vector<DType>{DType::kFloat}},
                         {"Tout", std::vector<DType>{DType::kFloat}}}),
                    Def("endless", "Forever", {"a"})},
                   library);
  EXPECT_EQ(g.Shape("direct"), (PartialShape{-1, 3}));
  EXPECT_EQ(g.Shape("call"), (PartialShape{-1, 3}));
  EXPECT_EQ(g.Shape("endless"), PartialShape());
}

TEST(InferShapesTest, DeepChains) {
  constexpr int kNodes = 200'000;
  std::vector<NodeDef> nodes = {Input("n0", {2, 3})};
  for (int i = 1; i < kNodes; ++i) {
    nodes.push_back(FloatNode("n" + std::to_string(i), "Identity", {"n" + std::to_string(i - 1)}));
  }
  const Inferred g(std::move(nodes));
  EXPECT_EQ(g.Shape("n199999"), (PartialShape{2, 3}));
}

TEST(InferShapesTest, LoopsHaveUnknownMerges) {
  StatusOr<std::unique_ptr<Graph>> graph = ImportNew(DefOf(LoopNodes()), {}, ShapedOps());
  ASSERT_TRUE(graph.ok());
  const StatusOr<ShapeRefiner> shapes = InferShapes(**graph);
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ(shapes->ShapeOf({(*graph)->FindNode("x/Merge"), 0}), PartialShape());
}

}  // namespace
}  // namespace rheo::graph
