#include "rheo/op/op_registry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/base/string_map.h"

namespace rheo::op {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OpRegistry& PublicOps() {
  static const OpRegistry* const kRegistry = [] {
    auto* registry = new OpRegistry;  // NOLINT: lives as long as the tests
    const Status status = registry->AddTable(PublicOpTable());
    EXPECT_TRUE(status.ok()) << status;
    return registry;
  }();
  return *kRegistry;
}

const OpSchema& Schema(std::string_view op) {
  const OpSchema* schema = PublicOps().Find(op);
  if (schema == nullptr) {
    ADD_FAILURE() << "no op " << op;
    static const OpSchema kNone;
    return kNone;
  }
  return *schema;
}

// The schema in the words of the table, to compare with its line.
std::string ArgLine(const std::vector<ArgSpec>& args) {
  std::string text;
  for (const ArgSpec& arg : args) {
    std::string type = arg.type_attr.empty() ? DTypeName(arg.type) : arg.type_attr;
    if (!arg.number_attr.empty()) type = fmt::format("{}*{}", arg.number_attr, type);
    if (!arg.type_list_attr.empty()) type = fmt::format("list({})", arg.type_list_attr);
    if (arg.is_ref) type = fmt::format("Ref({})", type);
    text += (text.empty() ? "" : "; ") + arg.name + ":" + type;
  }
  return text;
}

TEST(PublicOpTableTest, HoldsEveryOpOfTheTable) {
  EXPECT_EQ(PublicOps().size(), 1406u);
  const std::vector<const OpSchema*> all = PublicOps().All();
  ASSERT_EQ(all.size(), 1406u);
  EXPECT_EQ(all.front()->name, "Abort");
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1]->name, all[i]->name);
}

TEST(PublicOpTableTest, ArgumentsAndAttrNamesSurviveTheRoundTrip) {
  std::string_view table = PublicOpTable();
  int compared = 0;
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    if (line.empty() || line.front() == '#') continue;
    const StatusOr<OpSchema> schema = ParseSignature(line);
    ASSERT_TRUE(schema.ok()) << line << schema.status();
    const std::string begin =
        schema->name + "\t" + ArgLine(schema->inputs) + "\t" + ArgLine(schema->outputs) + "\t";
    EXPECT_EQ(line.substr(0, begin.size()), begin);
    for (const AttrSpec& attr : schema->attrs) {
      EXPECT_THAT(std::string(line), HasSubstr(attr.name + ":" + KindText(attr)));
    }
    ++compared;
  }
  EXPECT_EQ(compared, 1406);
}

TEST(PublicOpTableTest, CountsOfFlagsMatchTheRegistryTheTableCameFrom) {
  int stateful = 0;
  int deprecated = 0;
  int with_references = 0;
  for (const OpSchema* schema : PublicOps().All()) {
    stateful += schema->is_stateful ? 1 : 0;
    deprecated += schema->deprecated_version > 0 ? 1 : 0;
    bool has_reference = false;
    for (const ArgSpec& arg : schema->inputs) has_reference |= arg.is_ref;
    for (const ArgSpec& arg : schema->outputs) has_reference |= arg.is_ref;
    with_references += has_reference ? 1 : 0;
  }
  EXPECT_EQ(stateful, 408);
  EXPECT_EQ(deprecated, 62);
  EXPECT_EQ(with_references, 126);
}

TEST(PublicOpTableTest, ReferenceArguments) {
  const OpSchema& assign = Schema("Assign");
  ASSERT_EQ(assign.inputs.size(), 2u);
  EXPECT_TRUE(assign.inputs[0].is_ref);
  EXPECT_EQ(assign.inputs[0].type_attr, "T");
  EXPECT_FALSE(assign.inputs[1].is_ref);
  EXPECT_TRUE(assign.outputs[0].is_ref);
  EXPECT_TRUE(assign.allows_uninitialized_input);
}

TEST(PublicOpTableTest, TensorDefault) {
  const AttrSpec* color = Schema("ImageSummary").FindAttr("bad_color");
  ASSERT_NE(color, nullptr);
  EXPECT_EQ(color->kind, AttrKind::kTensor);
  ASSERT_TRUE(color->default_value.has_value());
  const Tensor* tensor = color->default_value->As<Tensor>();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(*tensor, Tensor::Of<uint8_t>({4}, {255, 0, 0, 255}));
}

TEST(PublicOpTableTest, ListOfTypesWithAllowedValuesMinimumAndDefault) {
  const AttrSpec* dense = Schema("ParseExample").FindAttr("Tdense");
  ASSERT_NE(dense, nullptr);
  EXPECT_TRUE(dense->is_list);
  EXPECT_THAT(dense->allowed_types, ElementsAre(DType::kFloat, DType::kInt64, DType::kString));
  EXPECT_EQ(dense->minimum, 0);
  EXPECT_FALSE(dense->default_value.has_value());
  const AttrSpec* context = Schema("ParseSingleSequenceExample").FindAttr("Tcontext_dense");
  ASSERT_NE(context, nullptr);
  ASSERT_TRUE(context->default_value.has_value());
  ASSERT_NE(context->default_value->list(), nullptr);
  EXPECT_EQ(context->default_value->list()->size(), 0u);
}

TEST(PublicOpTableTest, StringsWithAllowedValues) {
  const AttrSpec* format = Schema("Conv2D").FindAttr("data_format");
  ASSERT_NE(format, nullptr);
  EXPECT_THAT(format->allowed_strings, ElementsAre("NHWC", "NCHW"));
  EXPECT_EQ(format->default_value, AttrValue("NHWC"));
  EXPECT_EQ(Schema("Conv2D").FindAttr("dilations")->default_value,
            AttrValue(std::vector<int64_t>{1, 1, 1, 1}));
}

TEST(PublicOpTableTest, FloatsMayBeInfinite) {
  const AttrSpec* bound = Schema("DebugNumericSummary").FindAttr("lower_bound");
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->default_value, AttrValue(-std::numeric_limits<float>::infinity()));
}

TEST(PublicOpTableTest, ShapeDefaults) {
  EXPECT_EQ(Schema("Placeholder").FindAttr("shape")->default_value, AttrValue(PartialShape()));
  EXPECT_EQ(Schema("AnonymousMutableDenseHashTable").FindAttr("value_shape")->default_value,
            AttrValue(PartialShape::OfRank(0)));
}

TEST(ParseSignatureTest, FunctionDefaultsAndControlOutputs) {
  const StatusOr<OpSchema> schema =
      ParseSignature("F\t\t\tf:func=@; g:func=@body; h:list(func)=[@a,@b]\tstateful,ctl=done");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->attrs[0].default_value, AttrValue(FuncRef{}));
  EXPECT_EQ(schema->attrs[1].default_value->func()->name, "body");
  EXPECT_EQ(schema->attrs[2].default_value->list()->funcs.size(), 2u);
  EXPECT_TRUE(schema->is_stateful);
  EXPECT_THAT(schema->control_outputs, ElementsAre("done"));
}

TEST(ParseSignatureTest, StringDefaultsAreJson) {
  const StatusOr<OpSchema> schema =
      ParseSignature("F\t\t\ts:string=\"a; \\\"\\u00ff\\n\"; t:int=3\t");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->attrs[0].default_value, AttrValue("a; \"\xff\n"));
  EXPECT_EQ(schema->attrs[1].default_value, AttrValue(3));
}

TEST(ParseSignatureTest, ShapesAndTensors) {
  const StatusOr<OpSchema> schema = ParseSignature(
      "F\t\t\ts:shape=[2,?]; l:list(shape)=[?,[],[3]]; t:tensor=float[2,1]{0.5,-inf}; "
      "u:tensor=string[]{\"x\"}\t");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->attrs[0].default_value, AttrValue(PartialShape{2, -1}));
  EXPECT_EQ(schema->attrs[1].default_value,
            AttrValue(std::vector<PartialShape>{PartialShape(), PartialShape::OfRank(0), {3}}));
  EXPECT_EQ(schema->attrs[2].default_value,
            AttrValue(Tensor::Of<float>({2, 1}, {0.5f, -std::numeric_limits<float>::infinity()})));
  EXPECT_EQ(schema->attrs[3].default_value, AttrValue(Tensor::Scalar("x")));
}

class MalformedSignatureTest : public ::testing::TestWithParam<const char*> {};

TEST_P(MalformedSignatureTest, IsInvalidArgument) {
  const StatusOr<OpSchema> schema = ParseSignature(GetParam());
  EXPECT_EQ(schema.status().code(), StatusCode::kInvalidArgument) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(
    Lines, MalformedSignatureTest,
    ::testing::Values("", "\tx:float\t\t\t", "F\tx\t\t\t", "F\tx:\t\t\t", "F\tx:T\t\t\t",
                      "F\tx:Ref(float\t\t\t", "F\tx:N*float\t\t\t", "F\tx:list(T\t\t\t",
                      "F\tx:list(T)\t\tT:type\t", "F\tx:float, y:float\t\t\t", "F\t\t\ta\t",
                      "F\t\t\ta:word\t", "F\t\t\ta:list(int\t", "F\t\t\ta:type{\t",
                      "F\t\t\ta:type{float,nope}\t", "F\t\t\ta:int{1,2}\t", "F\t\t\ta:float>=1\t",
                      "F\t\t\ta:int>=x\t", "F\t\t\ta:int=\t", "F\t\t\ta:int=1x\t",
                      "F\t\t\ta:string=\"x\t", "F\t\t\ta:string=\"\\u1234\"\t",
                      "F\t\t\ta:list(int)=[1,2\t", "F\t\t\ta:shape=[-1]\t",
                      "F\t\t\ta:tensor=float[2]{1}\t", "F\t\t\ta:tensor=float[99999999]{}\t",
                      "F\t\t\ta:tensor=resource[0]{}\t", "F\t\t\ta:bool=yes\t", "F\t\t\t\tfast",
                      "F\t\t\t\tdeprecated=x", "F\t\t\t\t\tx"));

TEST(OpRegistryTest, TableErrorsNameTheLine) {
  OpRegistry registry;
  const Status status = registry.AddTable("# comment\nGood\t\t\t\t\nBad\tx\t\t\t\n");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("line 3 ('Bad')"));
}

TEST(OpRegistryTest, RepeatedOpIsAlreadyExists) {
  OpRegistry registry;
  ASSERT_TRUE(registry.AddTable("A\t\t\t\t\n").ok());
  const OpSchema* first = registry.Find("A");
  EXPECT_EQ(registry.AddTable("B\t\t\t\t\nA\t\t\t\t\n").code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(registry.Find("A"), first);
}

TEST(OpRegistryTest, UnknownOps) {
  OpRegistry registry;
  EXPECT_EQ(registry.Find("A"), nullptr);
  EXPECT_EQ(registry.SetShapeFn("A", nullptr).code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace rheo::op
