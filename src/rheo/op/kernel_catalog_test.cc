#include "rheo/op/kernel_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/op/catalog_fingerprint.h"

namespace rheo::op {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

KernelCatalog Parse(std::string_view text) {
  StatusOr<KernelCatalog> catalog = KernelCatalog::Parse(text);
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  return catalog.ok() ? *std::move(catalog) : KernelCatalog{};
}

AttrMap OfType(DType type) { return {{"T", type}}; }

TEST(KernelCatalogTest, FindChecksDeviceAndConstraints) {
  const KernelCatalog catalog = Parse("Abs\tCPU\tT:float,int32\t\t\n");
  EXPECT_NE(catalog.Find("Abs", "CPU", OfType(DType::kInt32)), nullptr);
  EXPECT_EQ(catalog.Find("Abs", "CPU", OfType(DType::kString)), nullptr);
  EXPECT_EQ(catalog.Find("Abs", "CPU", {}), nullptr);
  EXPECT_EQ(catalog.Find("Abs", "GPU", OfType(DType::kInt32)), nullptr);
  EXPECT_EQ(catalog.Find("Neg", "CPU", OfType(DType::kInt32)), nullptr);
}

TEST(KernelCatalogTest, AlternativesAreRowsOfTheirOwn) {
  const KernelCatalog catalog =
      Parse("Imag\tCPU\tT:complex64; Tout:float | T:complex128; Tout:double\t\t\n");
  EXPECT_NE(catalog.Find("Imag", "CPU", {{"T", DType::kComplex128}, {"Tout", DType::kDouble}}),
            nullptr);
  EXPECT_EQ(catalog.Find("Imag", "CPU", {{"T", DType::kComplex128}, {"Tout", DType::kFloat}}),
            nullptr);
  EXPECT_EQ(catalog.All().size(), 2u);
}

TEST(KernelCatalogTest, DefaultStandsInWhereTheDeviceHasNoRow) {
  const KernelCatalog catalog =
      Parse("Add\tCPU\tT:float,int32\t\t\nAdd\tDEFAULT\tT:int32\tx,y,z\t\n");
  const KernelRow* gpu = catalog.Find("Add", "GPU", OfType(DType::kInt32));
  ASSERT_NE(gpu, nullptr);
  EXPECT_THAT(gpu->host_memory_args, ElementsAre("x", "y", "z"));
  EXPECT_EQ(catalog.Find("Add", "GPU", OfType(DType::kFloat)), nullptr);
  EXPECT_TRUE(catalog.Find("Add", "CPU", OfType(DType::kInt32))->host_memory_args.empty());
}

TEST(KernelCatalogTest, LabelIsChosenByTheKernelAttrOnly) {
  const KernelCatalog catalog = Parse("C\tCPU\t*\t\tcustom\nC\tCPU\tf:\"NHWC\"\t\t\n");
  const AttrMap ordinary = {{"f", "NHWC"}};
  EXPECT_EQ(catalog.Find("C", "CPU", ordinary)->label, "");
  AttrMap labelled = ordinary;
  labelled.Set("_kernel", "custom");
  EXPECT_EQ(catalog.Find("C", "CPU", labelled)->label, "custom");
  labelled.Set("_kernel", "other");
  EXPECT_EQ(catalog.Find("C", "CPU", labelled), nullptr);
}

TEST(KernelCatalogTest, HigherPriorityWins) {
  KernelCatalog catalog;
  for (const int priority : {1, 3, 2}) {
    catalog.Add({.op = "A",
                 .device_type = "CPU",
                 .constraints = {},
                 .host_memory_args = {},
                 .label = "",
                 .priority = priority});
  }
  EXPECT_EQ(catalog.Find("A", "CPU", {})->priority, 3);
}

TEST(KernelCatalogTest, ListAttrFitsWhenEveryElementDoes) {
  const KernelCatalog catalog = Parse("A\tCPU\tT:float,int32\t\t\n");
  const std::vector<DType> good = {DType::kInt32, DType::kFloat};
  const std::vector<DType> bad = {DType::kInt32, DType::kString};
  EXPECT_NE(catalog.Find("A", "CPU", {{"T", good}}), nullptr);
  EXPECT_EQ(catalog.Find("A", "CPU", {{"T", bad}}), nullptr);
}

TEST(KernelCatalogTest, DescribeListsRows) {
  const KernelCatalog catalog = Parse("Abs\tCPU\tT:float,int32\t\t\nAbs\tGPU\t*\t\t\n");
  EXPECT_EQ(catalog.Describe("Abs"), "CPU: T in [float, int32]; GPU");
  EXPECT_EQ(catalog.Describe("Neg"), "none");
}

TEST(KernelCatalogTest, ErrorsNameTheLine) {
  for (const char* bad : {"A\tCPU\tT\t\t", "A\tCPU\tT:\t\t", "A\t\t*\t\t", "A\tCPU\t*\t\t\tx",
                          "A\tCPU\tT:float,what\t\t", "A\tCPU\tT:float / T:int32\t\t"}) {
    const StatusOr<KernelCatalog> catalog = KernelCatalog::Parse(std::string("# c\n") + bad);
    EXPECT_EQ(catalog.status().code(), StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(Message(catalog.status())), HasSubstr("line 2"));
  }
}

TEST(TensorFlowKernelTableTest, ParsesAndAnswersForKnownKernels) {
  const KernelCatalog catalog = Parse(TensorFlowKernelTable());
  StringSet ops;
  for (const KernelRow* row : catalog.All()) ops.insert(row->op);
  EXPECT_EQ(ops.size(), 1337u);
  EXPECT_NE(catalog.Find("MatMul", "CPU", OfType(DType::kFloat)), nullptr);
  EXPECT_EQ(catalog.Find("MatMul", "CPU", OfType(DType::kString)), nullptr);
  EXPECT_FALSE(catalog.HasOp("AccumulateNV2"));
}

TEST(CatalogFingerprintTest, TellsContentNotOrder) {
  const uint64_t known =
      Fingerprint(Parse("Abs\tCPU\tT:float,int32\t\t\nNeg\tCPU\tT:float\tx\t\n"));
  EXPECT_NE(known, 0u);
  EXPECT_EQ(Fingerprint(Parse("Neg\tCPU\tT:float\tx\t\nAbs\tCPU\tT:float,int32\t\t\n")), known);
  for (const char* other :
       {"Abs\tCPU\tT:float,int32\t\t\n", "Abs\tCPU\tT:float,int64\t\t\nNeg\tCPU\tT:float\tx\t\n",
        "Abs\tCPU\tT:float,int32\t\t\nNeg\tCPU\tT:float\t\t\n",
        "Abs\tCPU\tT:float,int32\t\t\nNeg\tGPU\tT:float\tx\t\n",
        "Abs\tCPU\tT:float,int32\t\t\nNeg\tCPU\tT:float\tx\tlabel\n"}) {
    EXPECT_NE(Fingerprint(Parse(other)), known) << other;
  }
}

}  // namespace
}  // namespace rheo::op
