// Graphs, feeds and fetches that make no sense, against a live server: the right code, a text that
// names node and reason, and a server that goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "live_server.h"
#include "rheo/rpc/method_path.h"
#include "rheo/wire/codec.h"

namespace rheo {
namespace {

using graph::FunctionDef;
using graph::GraphDef;
using graph::NodeDef;
using op::AttrMap;
using service::RunStepRequest;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const AttrMap kFloats = {{"T", DType::kFloat}};

NodeDef Placeholder(std::string name, DType dtype = DType::kFloat) {
  return {.name = std::move(name), .op = "Placeholder", .attrs = {{"dtype", dtype}}};
}
NodeDef Unary(std::string name, std::string op, std::vector<std::string> inputs) {
  return {
      .name = std::move(name), .op = std::move(op), .inputs = std::move(inputs), .attrs = kFloats};
}
NodeDef Const(std::string name, Tensor value) {
  return {.name = std::move(name),
          .op = "Const",
          .attrs = {{"dtype", value.dtype()}, {"value", value}}};
}

// f(x: float) → y: float with the given body, whose node "r" gives the result.
FunctionDef Function(std::string name, std::vector<NodeDef> body, std::string result) {
  FunctionDef function;
  function.signature.name = std::move(name);
  function.signature.inputs = {{.name = "x", .type = DType::kFloat}};
  function.signature.outputs = {{.name = "y", .type = DType::kFloat}};
  function.nodes = std::move(body);
  function.returns = {{"y", std::move(result)}};
  return function;
}
NodeDef CallOf(std::string function, std::string name, std::string input) {
  const std::vector<DType> one = {DType::kFloat};
  return {.name = std::move(name),
          .op = "StatefulPartitionedCall",
          .inputs = {std::move(input)},
          .attrs = {{"Tin", one},
                    {"Tout", one},
                    {"f", op::FuncRef{.name = std::move(function)}},
                    {"_lower_as_multi_device_function", true}}};
}

struct Case {
  std::string name;
  GraphDef graph;
  std::string fetch;  // of the step in which the mistake is found; empty: found at once
  StatusCode code = StatusCode::kInvalidArgument;
  std::vector<std::string> texts;
};

std::vector<Case> GraphCases() {
  const AttrMap wrong_kind = {{"T", "text"}};
  return {
      {"UnknownOp",
       GraphOf({{.name = "a", .op = "Nonsense"}}),
       "",
       StatusCode::kNotFound,
       {"Op type not registered 'Nonsense'"}},
      {"MissingTypeAttr",
       GraphOf({Placeholder("x"), {.name = "a", .op = "Neg", .inputs = {"x"}}}),
       "",
       StatusCode::kNotFound,
       {"'T'", "a"}},
      {"MissingAttr",
       GraphOf({{.name = "a", .op = "Const", .attrs = {{"dtype", DType::kFloat}}}}),
       "a",
       StatusCode::kInvalidArgument,
       {"'value'", "{{node a}}"}},
      {"AttrOfAnotherKind",
       GraphOf(
           {Placeholder("x"), {.name = "a", .op = "Neg", .inputs = {"x"}, .attrs = wrong_kind}}),
       "",
       StatusCode::kInvalidArgument,
       {"'T'", "a"}},
      {"DTypeWithoutKernel",
       GraphOf({Placeholder("x", DType::kString),
                {.name = "a", .op = "Neg", .inputs = {"x"}, .attrs = {{"T", DType::kString}}}}),
       "",
       StatusCode::kInvalidArgument,
       {"Neg", "{{node a}}", "string"}},
      {"ConstOfAnotherDType",
       GraphOf({{.name = "a",
                 .op = "Const",
                 .attrs = {{"dtype", DType::kFloat}, {"value", Tensor::Scalar<int32_t>(1)}}}}),
       "a",
       StatusCode::kInvalidArgument,
       {"{{node a}}"}},
      {"DanglingInput",
       GraphOf({Unary("a", "Neg", {"b"})}),
       "",
       StatusCode::kInvalidArgument,
       {"Node 'a': Unknown input node 'b'"}},
      {"DanglingControl",
       GraphOf({{.name = "a", .op = "NoOp", .inputs = {"^b"}}}),
       "",
       StatusCode::kInvalidArgument,
       {"Node 'a'", "'^b'"}},
      {"OutputThatIsNotThere",
       GraphOf({Placeholder("x"), Unary("a", "Neg", {"x:5"})}),
       "",
       StatusCode::kInvalidArgument,
       {"a", "x"}},
      {"HugeOutputIndex",
       GraphOf({Placeholder("x"), Unary("a", "Neg", {"x:99999999999999999999"})}),
       "",
       StatusCode::kInvalidArgument,
       {"a", "x"}},
      {"TooManyInputs",
       GraphOf({Placeholder("x"), Unary("a", "Neg", {"x", "x"})}),
       "",
       StatusCode::kInvalidArgument,
       {"a"}},
      {"TooFewInputs",
       GraphOf({Placeholder("x"), Unary("a", "AddV2", {"x"})}),
       "a",
       StatusCode::kInvalidArgument,
       {"Incomplete graph, missing 1 inputs for a"}},
      {"ControlBeforeData",
       GraphOf({Placeholder("x"), Unary("a", "Neg", {"^x", "x"})}),
       "",
       StatusCode::kInvalidArgument,
       {"control inputs must follow", "a"}},
      {"RepeatedName",
       GraphOf({Placeholder("x"), Placeholder("x")}),
       "",
       StatusCode::kInvalidArgument,
       {"Node 'x' is not unique"}},
      {"EmptyName",
       GraphOf({Placeholder("")}),
       "",
       StatusCode::kInvalidArgument,
       {"Illegal op name ''"}},
      {"Cycle",
       GraphOf({Unary("a", "Neg", {"b"}), Unary("b", "Neg", {"a"})}),
       "",
       StatusCode::kInvalidArgument,
       {"cycle", "a"}},
      {"SelfLoop",
       GraphOf({Unary("a", "Neg", {"a"})}),
       "",
       StatusCode::kInvalidArgument,
       {"cycle", "a"}},
      {"DeviceThatDoesNotParse",
       GraphOf({{.name = "a", .op = "NoOp", .device = "/job:?"}}),
       "",
       StatusCode::kInvalidArgument,
       {"Malformed device specification '/job:?'", "a"}},
      {"DeviceThatIsNotThere",
       GraphOf({{.name = "a", .op = "NoOp", .device = "/job:nobody/task:3"}}),
       "",
       StatusCode::kInvalidArgument,
       {"/job:nobody", "a"}},
      {"FillOfHugeDims",
       GraphOf({Const("dims", Tensor::Of<int64_t>({2}, {int64_t{1} << 40, int64_t{1} << 40})),
                Const("one", Tensor::Scalar(1.0f)),
                {.name = "a",
                 .op = "Fill",
                 .inputs = {"dims", "one"},
                 .attrs = {{"T", DType::kFloat}, {"index_type", DType::kInt64}}}}),
       "a",
       StatusCode::kInvalidArgument,
       {"{{node a}}"}},
      {"FillOfMoreThanThereIs",
       GraphOf({Const("dims", Tensor::Of<int64_t>({1}, {int64_t{1} << 45})),
                Const("one", Tensor::Scalar(1.0f)),
                {.name = "a",
                 .op = "Fill",
                 .inputs = {"dims", "one"},
                 .attrs = {{"T", DType::kFloat}, {"index_type", DType::kInt64}}}}),
       "a",
       StatusCode::kResourceExhausted,
       {"{{node a}}"}},
      {"ReshapeToAnotherSize",
       GraphOf({Const("v", Tensor::Of<float>({3}, {1, 2, 3})),
                Const("dims", Tensor::Of<int32_t>({2}, {2, -1})),
                {.name = "a", .op = "Reshape", .inputs = {"v", "dims"}, .attrs = kFloats}}),
       "a",
       StatusCode::kInvalidArgument,
       {"{{node a}}"}},
  };
}

class GraphsTest : public ::testing::Test {
 protected:
  // The first error of a session with the graph: at its creation, or of the step.
  Status FirstError(const GraphDef& graph, const std::string& fetch, bool& at_once) {
    const auto session = server_.CreateSession(graph);
    at_once = !session.ok();
    if (!session.ok()) return session.status();
    if (fetch.empty()) return OkStatus();
    RunStepRequest request{.session = *session, .fetches = {fetch}};
    request.options.timeout_ms = 60'000;
    return server_.Run(request).status();
  }

  LiveServer server_;
};

TEST_F(GraphsTest, TheErrorNamesNodeAndReason) {
  for (const Case& c : GraphCases()) {
    SCOPED_TRACE(c.name);
    bool at_once = false;
    const Status status = FirstError(c.graph, c.fetch, at_once);
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_TRUE(at_once || !c.fetch.empty()) << "a step was needed to find it";
    for (const std::string& text : c.texts) {
      EXPECT_THAT(std::string(Message(status)), HasSubstr(text));
    }
  }
  server_.ExpectServes();
}

TEST_F(GraphsTest, FunctionsThatDoNotFitAreErrors) {
  const auto program = [](FunctionDef function) {
    GraphDef graph = GraphOf({Const("one", Tensor::Scalar(1.0f)), CallOf("f", "call", "one")});
    graph.library.functions.push_back(std::move(function));
    return graph;
  };
  FunctionDef two = Function("f", {Unary("r", "Neg", {"x"})}, "r:y:0");
  two.signature.inputs.push_back({.name = "w", .type = DType::kFloat});
  const struct {
    const char* name;
    GraphDef graph;
    const char* text;
  } kCases[] = {
      {"UnknownOp", program(Function("f", {Unary("r", "Nonsense", {"x"})}, "r:y:0")), "Nonsense"},
      {"UnknownInput", program(Function("f", {Unary("r", "Neg", {"q:y:0"})}, "r:y:0")), "q"},
      {"UnknownResult", program(Function("f", {Unary("r", "Neg", {"x"})}, "q:y:0")), "q"},
      {"OtherSignature", program(std::move(two)), "call"},
      {"Cycle",
       program(
           Function("f", {Unary("r", "Neg", {"s:y:0"}), Unary("s", "Neg", {"r:y:0"})}, "r:y:0")),
       "cycle"},
      {"Missing", program(Function("g", {Unary("r", "Neg", {"x"})}, "r:y:0")), "f"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    bool at_once = false;
    const Status status = FirstError(c.graph, "call", at_once);
    EXPECT_THAT(status.code(), AnyOf(StatusCode::kInvalidArgument, StatusCode::kNotFound))
        << status;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(c.text));
  }
  server_.ExpectServes();
}

TEST_F(GraphsTest, AFunctionThatCallsItselfWithoutEndIsStopped) {
  GraphDef graph = GraphOf({Const("one", Tensor::Scalar(1.0f)), CallOf("f", "call", "one")});
  graph.library.functions = {Function("f", {CallOf("g", "r", "x")}, "r:output:0"),
                             Function("g", {CallOf("f", "r", "x")}, "r:output:0")};
  bool at_once = false;
  const Status status = FirstError(graph, "call", at_once);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(Message(status)), HasSubstr("does it call itself without end?"));
  server_.ExpectServes();
}

// ---- Messages that our own codec does not write

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Field `number` with `bytes`.
std::string Field(int number, const std::string& bytes) {
  std::string out;
  AppendVarint(static_cast<uint64_t>(number) << 3 | 2, out);
  AppendVarint(bytes.size(), out);
  return out + bytes;
}
std::string IntField(int number, int64_t value) {
  std::string out;
  AppendVarint(static_cast<uint64_t>(number) << 3, out);
  AppendVarint(static_cast<uint64_t>(value), out);
  return out;
}
// A CreateSessionRequest with one node that has one attr.
std::string WithAttr(const std::string& op, const std::string& attr_name,
                     const std::string& attr_value) {
  const std::string node = Field(1, "a") + Field(2, op) +
                           Field(5, Field(1, "dtype") + Field(2, IntField(6, 1))) +
                           Field(5, Field(1, attr_name) + Field(2, attr_value));
  return Field(1, Field(1, node));
}
// A TensorProto of floats with one value and the dims.
std::string OneValueTensor(const std::vector<int64_t>& dims) {
  std::string shape;
  for (const int64_t dim : dims) shape += Field(2, IntField(1, dim));
  return IntField(1, 1) + Field(2, shape) + Field(5, std::string("\0\0\x80\x3f", 4));
}

TEST_F(GraphsTest, TensorsOfImpossibleShapesAreErrors) {
  const std::vector<std::vector<int64_t>> kShapes = {
      {-1}, {-5, 3}, {int64_t{1} << 62, 4}, {int64_t{1} << 45}, std::vector<int64_t>(300, 1)};
  std::vector<std::string> messages;
  for (const auto& dims : kShapes) {
    messages.push_back(WithAttr("Const", "value", Field(8, OneValueTensor(dims))));
  }
  for (const auto& answer :
       server_.Send(std::string(rpc::kMasterPrefixes[0]) + "CreateSession", messages)) {
    EXPECT_EQ(answer.status.code(), StatusCode::kInvalidArgument) << answer.status;
    EXPECT_THAT(std::string(Message(answer.status)), HasSubstr("a"));
  }
  server_.ExpectServes();
}

TEST_F(GraphsTest, AttrsNestedDeeplyAreErrorsNotCrashes) {
  std::vector<std::string> messages;
  for (const int depth : {5, 30, 1000, 20'000}) {
    std::string value = IntField(3, 1);
    for (int i = 0; i < depth; ++i) {
      value = Field(10, Field(1, "f") + Field(2, Field(1, "n") + Field(2, value)));
    }
    messages.push_back(WithAttr("Placeholder", "_nested", value));
  }
  const auto answers =
      server_.Send(std::string(rpc::kMasterPrefixes[0]) + "CreateSession", messages);
  EXPECT_TRUE(answers[0].status.ok()) << answers[0].status;
  for (size_t i = 2; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].status.code(), StatusCode::kInternal) << answers[i].status;
  }
  server_.ExpectServes();
}

TEST_F(GraphsTest, NodesWithoutEndInALineAreNoRecursion) {
  std::vector<NodeDef> nodes = {Placeholder("n0")};
  constexpr int kNodes = 20'000;
  for (int i = 1; i < kNodes; ++i) {
    nodes.push_back(Unary("n" + std::to_string(i), "Identity", {"n" + std::to_string(i - 1)}));
  }
  const auto session = server_.CreateSession(GraphOf(std::move(nodes)));
  ASSERT_TRUE(session.ok()) << session.status();
  const auto response = server_.Run({.session = *session,
                                     .feeds = {{"n0:0", Tensor::Scalar(1.0f)}},
                                     .fetches = {"n" + std::to_string(kNodes - 1)}});
  EXPECT_TRUE(response.ok()) << response.status();
}

// ---- Feeds and fetches

TEST_F(GraphsTest, BadFeedsAndFetchesNameThem) {
  const auto session = server_.CreateSession(SumGraph());
  ASSERT_TRUE(session.ok());
  const Tensor one = Tensor::Scalar(1.0f);
  const struct {
    std::vector<service::NamedTensor> feeds;
    std::vector<std::string> fetches;
    const char* text;
  } kCases[] = {
      {{{"x:0", one}}, {"nothing:0"}, "nothing"},
      {{{"x:0", one}}, {"z:1"}, "z:1"},
      {{{"x:0", one}}, {"z:-1"}, "z:-1"},
      {{{"x:0", one}}, {""}, ""},
      {{{"x:0", one}}, {"^z"}, "z"},
      {{{"nothing:0", one}}, {"z:0"}, "nothing"},
      {{{"^x", one}}, {"z:0"}, "x"},
      {{{"x:3", one}}, {"z:0"}, "x:3"},
      {{}, {"z:0"}, "placeholder tensor 'x'"},
      {{{"x:0", Tensor::Scalar("text")}}, {"z:0"}, "string"},
  };
  for (const auto& c : kCases) {
    const Status status =
        server_.Run({.session = *session, .feeds = c.feeds, .fetches = c.fetches}).status();
    EXPECT_FALSE(status.ok()) << c.text;
    EXPECT_NE(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(c.text));
  }
  server_.ExpectServes();
}

}  // namespace
}  // namespace rheo
