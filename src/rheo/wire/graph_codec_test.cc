#include "rheo/wire/graph_codec.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "rheo/wire/codec.h"

namespace rheo::wire {
namespace {

using testing::HasSubstr;

graph::GraphDef Again(const graph::GraphDef& def) {
  return ParseGraphDef(SerializeGraphDef(def)).value();
}

TEST(GraphCodecTest, AttrsOfEveryKindTravel) {
  op::FuncRef func{"f", {{"T", DType::kFloat}}};
  op::AttrMap attrs = {
      {"s", "text"},
      {"i", int64_t{-3}},
      {"f", 0.5f},
      {"b", true},
      {"type", MakeRef(DType::kInt32)},
      {"shape", PartialShape({-1, 2})},
      {"unknown", PartialShape()},
      {"tensor", Tensor::Of<float>({2}, {1, 2})},
      {"func", func},
      {"placeholder", op::Placeholder{"T"}},
      {"none", op::AttrValue()},
      {"empty", op::AttrList()},
      {"ls", std::vector<std::string>{"a", ""}},
      {"li", std::vector<int64_t>{1, -1}},
      {"lf", std::vector<float>{1.5f}},
      {"lb", std::vector<bool>{true, false}},
      {"lt", std::vector<DType>{DType::kFloat, DType::kString}},
      {"lshape", std::vector<PartialShape>{PartialShape(), PartialShape({1})}},
      {"ltensor", std::vector<Tensor>{Tensor::Scalar("x")}},
      {"lfunc", std::vector<op::FuncRef>{func}},
  };
  graph::GraphDef def;
  def.nodes.push_back({"n", "Op", {"a", "b:1", "^c"}, "/job:ps", attrs, ""});
  const graph::GraphDef got = Again(def);
  ASSERT_EQ(got.nodes.size(), 1u);
  EXPECT_EQ(got.nodes[0].name, "n");
  EXPECT_EQ(got.nodes[0].op, "Op");
  EXPECT_EQ(got.nodes[0].inputs, def.nodes[0].inputs);
  EXPECT_EQ(got.nodes[0].device, "/job:ps");
  for (const auto& [name, value] : attrs) {
    ASSERT_TRUE(got.nodes[0].attrs.Has(name)) << name;
    EXPECT_EQ(*got.nodes[0].attrs.Find(name), value) << name;
  }
}

// Whatever we do not interpret comes out as it went in.
TEST(GraphCodecTest, UninterpretedFieldsAreHandedOn) {
  tensorflow::GraphDef proto;
  auto* const node = proto.add_node();
  node->set_name("n");
  node->mutable_experimental_debug_info()->add_original_node_names("original");
  node->mutable_experimental_type()->set_type_id(tensorflow::TFT_PRODUCT);
  node->GetReflection()->MutableUnknownFields(node)->AddVarint(999, 5);
  proto.mutable_debug_info()->add_files("f.py");
  proto.mutable_library()->add_registered_gradients()->set_gradient_func("g");
  auto* const function = proto.mutable_library()->add_function();
  (*(*function->mutable_arg_attr())[0].mutable_attr())["a"].set_i(1);
  (*function->mutable_resource_arg_unique_id())[1] = 2;
  auto* const signature = function->mutable_signature();
  signature->set_name("f");
  signature->set_summary("what it does");
  signature->add_input_arg()->set_name("x");
  auto* const second = signature->add_input_arg();
  second->set_name("y");
  second->set_description("the second");
  second->mutable_experimental_full_type()->set_type_id(tensorflow::TFT_TENSOR);
  auto* const attr = signature->add_attr();
  attr->set_name("T");
  attr->set_type("list(type)");
  attr->set_description("types");
  attr->set_has_minimum(true);
  attr->set_minimum(1);
  proto.mutable_versions()->set_producer(3);
  const std::string bytes = proto.SerializeAsString();

  const graph::GraphDef def = ParseGraphDef(bytes).value();
  EXPECT_EQ(def.library.functions[0].signature.inputs[1].name, "y");
  tensorflow::GraphDef again;
  ASSERT_TRUE(again.ParseFromString(SerializeGraphDef(def)));
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  EXPECT_TRUE(differencer.Compare(proto, again)) << differences;
}

TEST(GraphCodecTest, FunctionsTravel) {
  graph::FunctionDef f;
  f.signature.name = "f";
  f.signature.inputs = {{.name = "x", .type_attr = "T"}};
  f.signature.outputs = {{.name = "y", .type = DType::kFloat, .is_ref = true}};
  f.signature.attrs = {{.name = "T",
                        .kind = op::AttrKind::kType,
                        .default_value = DType::kFloat,
                        .allowed_types = {DType::kFloat, DType::kDouble}},
                       {.name = "mode", .default_value = "a", .allowed_strings = {"a", "b"}},
                       {.name = "n", .kind = op::AttrKind::kInt, .is_list = true, .minimum = 2}};
  f.signature.control_outputs = {"done"};
  f.signature.is_stateful = true;
  f.signature.deprecated_version = 9;
  f.signature.deprecation_text = "old";
  f.nodes.push_back({"n", "Identity", {"x"}, "", {{"T", op::Placeholder{"T"}}}, ""});
  f.returns = {{"y", "n:output:0"}};
  f.control_returns = {{"done", "n"}};
  f.attrs = {{"_noinline", true}};
  graph::GraphDef def;
  def.library.functions.push_back(f);
  def.library.gradients.push_back({"f", "g"});
  const graph::GraphDef got = Again(def);
  const graph::FunctionDef& g = got.library.functions.at(0);
  EXPECT_EQ(g.signature.name, "f");
  EXPECT_EQ(g.signature.inputs.at(0).type_attr, "T");
  EXPECT_TRUE(g.signature.outputs.at(0).is_ref);
  ASSERT_EQ(g.signature.attrs.size(), 3u);
  EXPECT_EQ(g.signature.attrs[0].default_value, f.signature.attrs[0].default_value);
  EXPECT_EQ(g.signature.attrs[0].allowed_types, f.signature.attrs[0].allowed_types);
  EXPECT_EQ(g.signature.attrs[1].allowed_strings, f.signature.attrs[1].allowed_strings);
  EXPECT_TRUE(g.signature.attrs[2].is_list);
  EXPECT_EQ(g.signature.attrs[2].minimum, 2);
  EXPECT_EQ(g.signature.control_outputs, f.signature.control_outputs);
  EXPECT_TRUE(g.signature.is_stateful);
  EXPECT_EQ(g.signature.deprecated_version, 9);
  EXPECT_EQ(g.signature.deprecation_text, "old");
  EXPECT_EQ(g.nodes.at(0).attrs, f.nodes[0].attrs);
  EXPECT_EQ(g.returns, f.returns);
  EXPECT_EQ(g.control_returns, f.control_returns);
  EXPECT_EQ(g.attrs, f.attrs);
  EXPECT_EQ(g.extra, "");
  EXPECT_EQ(got.library.gradients.at(0).gradient, "g");
}

TEST(GraphCodecTest, EmptyGraphIsNoBytes) {
  EXPECT_EQ(SerializeGraphDef(graph::GraphDef()), "");
  EXPECT_TRUE(ParseGraphDef("")->nodes.empty());
}

TEST(GraphCodecTest, ErrorsNameNodeAndAttr) {
  tensorflow::GraphDef proto;
  auto* const node = proto.add_node();
  node->set_name("w");
  (*node->mutable_attr())["value"].mutable_tensor()->set_dtype(tensorflow::DT_INVALID);
  const Status status = ParseGraphDef(proto.SerializeAsString()).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(rheo::Message(status)), HasSubstr("node 'w': attr 'value'"));
}

TEST(GraphCodecTest, UnknownKindOfAttrIsInvalid) {
  tensorflow::GraphDef proto;
  auto* const attr = proto.mutable_library()->add_function()->mutable_signature()->add_attr();
  attr->set_name("a");
  attr->set_type("colour");
  EXPECT_EQ(ParseGraphDef(proto.SerializeAsString()).status().code(), StatusCode::kInvalidArgument);
}

TEST(GraphCodecTest, DeepNestingIsRefused) {
  tensorflow::GraphDef proto;
  tensorflow::AttrValue* attr = &(*proto.add_node()->mutable_attr())["f"];
  for (int i = 0; i < 1000; ++i) attr = &(*attr->mutable_func()->mutable_attr())["f"];
  EXPECT_FALSE(ParseGraphDef(proto.SerializeAsString()).ok());
}

}  // namespace
}  // namespace rheo::wire
