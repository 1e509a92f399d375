#include "rheo/op/op_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/op/op_registry.h"

namespace rheo::op {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpSchema Parse(std::string_view line) {
  StatusOr<OpSchema> schema = ParseSignature(line);
  EXPECT_TRUE(schema.ok()) << schema.status();
  return schema.ok() ? *std::move(schema) : OpSchema{};
}

const char kMixed[] =
    "Mixed\ta:Ref(T); b:N*T; c:list(L); d:int32\tx:M*Ref(float)\tT:type; N:int>=1; L:list(type)\t";
const char kOp[] = "Op\ta:Ref(T); b:N*T; c:list(L); d:int32\tx:T\tT:type; N:int>=1; L:list(type)\t";

AttrMap OpAttrs() {
  return {{"T", DType::kFloat}, {"N", 2}, {"L", std::vector<DType>{DType::kString, DType::kBool}}};
}

TEST(ResolveTypesTest, FlattensNumbersAndLists) {
  const StatusOr<NodeTypes> types = ResolveTypes(Parse(kOp), OpAttrs());
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_THAT(types->inputs, ElementsAre(MakeRef(DType::kFloat), DType::kFloat, DType::kFloat,
                                         DType::kString, DType::kBool, DType::kInt32));
  EXPECT_THAT(types->outputs, ElementsAre(DType::kFloat));
}

TEST(ResolveTypesTest, RefOfNumberIsNotInTheGrammar) {
  EXPECT_EQ(ParseSignature(kMixed).status().code(), StatusCode::kInvalidArgument);
}

TEST(ResolveTypesTest, MissingAttrIsNotFoundAndNamed) {
  AttrMap attrs = OpAttrs();
  attrs.Erase("T");
  const StatusOr<NodeTypes> types = ResolveTypes(Parse(kOp), attrs);
  EXPECT_EQ(types.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(types.status())), HasSubstr("No attr named 'T' in NodeDef"));
}

TEST(ResolveTypesTest, WrongKindNegativeAndHugeCountsAreInvalid) {
  for (const AttrValue& number : {AttrValue("two"), AttrValue(-1), AttrValue(int64_t{1} << 40)}) {
    AttrMap attrs = OpAttrs();
    attrs.Set("N", number);
    EXPECT_EQ(ResolveTypes(Parse(kOp), attrs).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(ResolveRanges(Parse(kOp).inputs, attrs).status().code(),
              StatusCode::kInvalidArgument);
  }
}

TEST(ResolveTypesTest, InvalidTypeIsInvalid) {
  for (const DType type : {DType::kInvalid, static_cast<DType>(99)}) {
    AttrMap attrs = OpAttrs();
    attrs.Set("T", type);
    EXPECT_EQ(ResolveTypes(Parse(kOp), attrs).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(ResolveRangesTest, GivesThePositionsOfEachArgument) {
  const StatusOr<std::vector<ArgRange>> ranges = ResolveRanges(Parse(kOp).inputs, OpAttrs());
  ASSERT_TRUE(ranges.ok());
  std::vector<std::pair<int, int>> pairs;
  for (const ArgRange& range : *ranges) pairs.emplace_back(range.begin, range.end);
  EXPECT_THAT(pairs,
              ElementsAre(std::pair(0, 1), std::pair(1, 3), std::pair(3, 5), std::pair(5, 6)));
}

TEST(DefaultAttrsTest, AddAndStripAreInverse) {
  const OpSchema schema = Parse("F\t\t\ta:int=3; b:string=\"x\"; c:type\t");
  AttrMap attrs = {{"c", DType::kInt32}, {"b", "y"}};
  AddDefaultAttrs(schema, attrs);
  EXPECT_EQ(attrs.GetOr<int64_t>("a", 0), 3);
  EXPECT_EQ(attrs.GetOr<std::string>("b", ""), "y");
  StripDefaultAttrs(schema, attrs);
  EXPECT_FALSE(attrs.Has("a"));
  EXPECT_TRUE(attrs.Has("b"));
  EXPECT_TRUE(attrs.Has("c"));
}

struct BadAttr {
  const char* name;
  AttrValue value;
  const char* text;
};

class ValidateAttrsTest : public ::testing::Test {
 protected:
  const OpSchema schema_ = Parse(
      "V\t\t\tt:type{float,int32}; n:int>=2; l:list(type){float}>=1; s:string{\"A\",\"B\"}; "
      "f:func; "
      "v:tensor; e:list(int)=[]\t");
  const AttrMap good_ = {{"t", DType::kFloat},
                         {"n", 2},
                         {"l", std::vector<DType>{DType::kFloat}},
                         {"s", "B"},
                         {"f", FuncRef{.name = "g", .attrs = {}}},
                         {"v", Tensor::Scalar(1.0f)},
                         {"e", AttrList{}},
                         {"unknown", "is fine"}};
};

TEST_F(ValidateAttrsTest, AcceptsFittingAndUnknownAttrs) {
  const Status status = ValidateAttrs(schema_, good_);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ValidateAttrsTest, NamesAttrAndValueOfEachMistake) {
  const BadAttr cases[] = {
      {"t", DType::kString,
       "Value for attr 't' of string is not in the list of allowed values: float, int32"},
      {"t", 3, "AttrValue had value with type 'int' when 'type' expected for attr 't'"},
      {"n", 1, "Value for attr 'n' of 1 must be at least minimum 2"},
      {"l", AttrList{}, "Length for attr 'l' of 0 must be at least minimum 1"},
      {"l", std::vector<DType>{DType::kInt32}, "Value for attr 'l' of int32 is not in the list"},
      {"l", DType::kFloat, "'type' when 'list(type)' expected"},
      {"l", std::vector<int64_t>{1}, "'list(int)' when 'list(type)' expected"},
      {"s", "C", "Value for attr 's' of \"C\" is not in the list of allowed values: \"A\", \"B\""},
      {"f", "g", "'string' when 'func' expected"},
      {"v", 1.0f, "'float' when 'tensor' expected"},
      {"v", Placeholder{.name = "p"}, "'placeholder' when 'tensor' expected"},
  };
  for (const BadAttr& bad : cases) {
    AttrMap attrs = good_;
    attrs.Set(bad.name, bad.value);
    const Status status = ValidateAttrs(schema_, attrs);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << bad.text;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(bad.text));
  }
}

TEST_F(ValidateAttrsTest, MissingAttrIsNamedWithTheOp) {
  AttrMap attrs = good_;
  attrs.Erase("v");
  const Status status = ValidateAttrs(schema_, attrs);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("NodeDef missing attr 'v' from Op<name=V;"));
}

TEST(DescribeTest, ShowsSignatureAndAttrs) {
  EXPECT_EQ(Describe(Parse("Abs\tx:T\ty:T\tT:type{half,float}=float\t")),
            "Op<name=Abs; signature=x:T -> y:T; attr=T:type,default=float,allowed=[DT_HALF, "
            "DT_FLOAT]>");
}

}  // namespace
}  // namespace rheo::op
