#include "rheo/placer/placer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "rheo/graph/graph_def.h"
#include "rheo/graph/import.h"

namespace rheo::placer {
namespace {

using graph::NodeDef;
using ::testing::HasSubstr;

constexpr std::string_view kKernels =
    "Const\tCPU\t*\t\t\n"
    "Const\tGPU\tdtype:float\t\t\n"
    "VariableV2\tCPU\t*\t\t\n"
    "VarHandleOp\tCPU\t*\t\t\n"
    "VarHandleOp\tGPU\t*\tresource\t\n"
    "Assign\tCPU\t*\t\t\n"
    "AssignVariableOp\tCPU\t*\t\t\n"
    "ReadVariableOp\tCPU\t*\t\t\n"
    "ApplyMomentum\tCPU\t*\t\t\n"
    "Identity\tCPU\t*\t\t\n"
    "IdentityN\tCPU\t*\t\t\n"
    "Relu\tCPU\tT:float,double\t\t\n"
    "Relu\tGPU\tT:float\t\t\n"
    "Shape\tCPU\t*\toutput\t\n"
    "NoOp\tCPU\t*\t\t\n"
    "NoOp\tGPU\t*\t\t\n"
    "Placeholder\tCPU\t*\t\t\n"
    "RangeDataset\tCPU\t*\t\t\n"
    "TakeDataset\tCPU\t*\t\t\n";

constexpr std::string_view kPs0 = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr std::string_view kPs1 = "/job:ps/replica:0/task:1/device:CPU:0";
constexpr std::string_view kWorker0 = "/job:worker/replica:0/task:0/device:CPU:0";
constexpr std::string_view kWorker1 = "/job:worker/replica:0/task:1/device:CPU:0";
constexpr std::string_view kGpu1 = "/job:worker/replica:0/task:1/device:GPU:0";

NodeDef Node(std::string name, std::string op, std::vector<std::string> inputs, std::string device,
             op::AttrMap attrs = {}) {
  return {.name = std::move(name),
          .op = std::move(op),
          .inputs = std::move(inputs),
          .device = std::move(device),
          .attrs = std::move(attrs)};
}

NodeDef Const(std::string name, std::string device = "", DType dtype = DType::kFloat) {
  return Node(std::move(name), "Const", {}, std::move(device),
              {{"dtype", dtype}, {"value", Tensor(dtype, Shape())}});
}

NodeDef Unary(std::string name, std::string op, std::string input, std::string device = "",
              DType dtype = DType::kFloat) {
  return Node(std::move(name), std::move(op), {std::move(input)}, std::move(device),
              {{"T", dtype}});
}

NodeDef Variable(std::string name, std::string device) {
  return Node(std::move(name), "VariableV2", {}, std::move(device),
              {{"dtype", DType::kFloat}, {"shape", Shape()}});
}

NodeDef Assign(std::string name, std::string variable, std::string value, std::string device = "") {
  return Node(std::move(name), "Assign", {std::move(variable), std::move(value)}, std::move(device),
              {{"T", DType::kFloat}});
}

NodeDef Colocated(NodeDef node, std::string with) {
  node.attrs.Set("_class", std::vector<std::string>{"loc:@" + with});
  return node;
}

// A master at /job:worker/task:1 of a cluster of two ps and two workers with one CPU each.
class PlacerTest : public ::testing::Test {
 protected:
  PlacerTest() {
    EXPECT_TRUE(ops_.AddTable(op::PublicOpTable()).ok());
    auto catalog = op::KernelCatalog::Parse(kKernels);
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
    for (std::string_view name : {kWorker1, kPs1, kWorker0, kPs0}) AddDevice(name, "CPU");
    request_.master_task = "/job:worker/replica:0/task:1";
    request_.catalog = [this](std::string_view) { return &catalog_; };
  }

  void AddDevice(std::string_view name, std::string type) {
    request_.devices.push_back({.name = std::string(name), .type = std::move(type)});
  }

  Status PlaceNodes(std::vector<NodeDef> nodes) {
    auto graph = graph::ImportNew({.nodes = std::move(nodes)}, {}, ops_);
    EXPECT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
    auto result = Place(request_, *graph_);
    if (result.ok()) reasons_ = result->reasons;
    return result.status();
  }

  std::string DeviceOf(std::string_view node) { return graph_->FindNode(node)->assigned_device(); }

  op::OpRegistry ops_;
  op::KernelCatalog catalog_;
  Request request_;
  std::unique_ptr<graph::Graph> graph_;
  std::vector<std::string> reasons_;
};

TEST_F(PlacerTest, NodeWithoutRequestGoesToTheMastersTask) {
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("i", "Identity", "c")}).ok());
  EXPECT_EQ(DeviceOf("i"), kWorker1);
  EXPECT_EQ(DeviceOf("c"), kWorker1);
}

TEST_F(PlacerTest, PartialRequestPrefersTheMastersTask) {
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("worker", "Identity", "c", "/job:worker"),
                          Unary("cpu", "Identity", "c", "/cpu:0"),
                          Unary("task", "Identity", "c", "/task:1")})
                  .ok());
  EXPECT_EQ(DeviceOf("worker"), kWorker1);
  EXPECT_EQ(DeviceOf("cpu"), kWorker1);
  EXPECT_EQ(DeviceOf("task"), kWorker1);
}

TEST_F(PlacerTest, RequestThatExcludesTheMasterGoesToTheFirstName) {
  AddDevice("/job:ps/replica:0/task:10/device:CPU:0", "CPU");
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("ps", "Identity", "c", "/job:ps"),
                          Unary("zero", "Identity", "c", "/task:0")})
                  .ok());
  EXPECT_EQ(DeviceOf("ps"), kPs0);
  EXPECT_EQ(DeviceOf("zero"), kPs0);
}

TEST_F(PlacerTest, ConstGoesToItsOnlyConsumersDevice) {
  ASSERT_TRUE(PlaceNodes({Const("one"), Unary("user", "Identity", "one", "/job:ps/task:1"),
                          Const("two"), Unary("user0", "Identity", "two", "/job:ps/task:0"),
                          Unary("user1", "Identity", "two", "/job:ps/task:1")})
                  .ok());
  EXPECT_EQ(DeviceOf("one"), kPs1);
  EXPECT_EQ(DeviceOf("two"), kWorker1);
}

TEST_F(PlacerTest, ConstThatAsksForADeviceStaysThere) {
  ASSERT_TRUE(
      PlaceNodes({Const("c", "/job:ps/task:0"), Unary("user", "Identity", "c", "/job:ps/task:1")})
          .ok());
  EXPECT_EQ(DeviceOf("c"), kPs0);
}

TEST_F(PlacerTest, ShapeFollowsItsInputAndIdentityDoesNot) {
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("far", "Identity", "c", "/job:ps/task:1"),
                          Unary("shape", "Shape", "far"), Unary("near", "Identity", "far")})
                  .ok());
  EXPECT_EQ(DeviceOf("shape"), kPs1);
  EXPECT_EQ(DeviceOf("near"), kWorker1);
}

TEST_F(PlacerTest, ReferenceConsumerGoesToTheVariableWhateverItAsksFor) {
  ASSERT_TRUE(
      PlaceNodes({Variable("v", "/job:ps/task:1"), Const("c"),
                  Assign("assign", "v", "c", "/job:worker/task:0"), Unary("read", "Identity", "v")})
          .ok());
  EXPECT_EQ(DeviceOf("v"), kPs1);
  EXPECT_EQ(DeviceOf("assign"), kPs1);
  EXPECT_EQ(DeviceOf("read"), kWorker1);
}

TEST_F(PlacerTest, ResourceConsumersFollowTheHandleThroughIdentity) {
  const op::AttrMap dtype{{"dtype", DType::kFloat}};
  ASSERT_TRUE(PlaceNodes({Node("h", "VarHandleOp", {}, "/job:ps/task:1",
                               {{"dtype", DType::kFloat}, {"shape", Shape()}}),
                          Unary("alias", "Identity", "h", "", DType::kResource),
                          Node("read", "ReadVariableOp", {"alias"}, "/job:worker", dtype),
                          Node("bundle", "IdentityN", {"h"}, "/job:ps/task:0",
                               {{"T", std::vector<DType>{DType::kResource}}})})
                  .ok());
  EXPECT_EQ(DeviceOf("alias"), kPs1);
  EXPECT_EQ(DeviceOf("read"), kPs1);
  EXPECT_EQ(DeviceOf("bundle"), kPs0);
}

TEST_F(PlacerTest, HandleWithoutRequestGoesWhereItsConsumersAsk) {
  ASSERT_TRUE(
      PlaceNodes(
          {Node("h", "VarHandleOp", {}, "", {{"dtype", DType::kFloat}, {"shape", Shape()}}),
           Node("read", "ReadVariableOp", {"h"}, "/job:ps/task:1", {{"dtype", DType::kFloat}})})
          .ok());
  EXPECT_EQ(DeviceOf("h"), kPs1);
}

TEST_F(PlacerTest, DatasetsStayTogether) {
  const op::AttrMap attrs{{"output_types", std::vector<DType>{DType::kInt64}},
                          {"output_shapes", std::vector<PartialShape>{PartialShape(Shape())}}};
  ASSERT_TRUE(PlaceNodes({Const("n", "", DType::kInt64),
                          Node("range", "RangeDataset", {"n", "n", "n"}, "/job:ps/task:1", attrs),
                          Node("take", "TakeDataset", {"range", "n"}, "", attrs)})
                  .ok());
  EXPECT_EQ(DeviceOf("take"), kPs1);
}

TEST_F(PlacerTest, ClassJoinsNodesTransitively) {
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("a", "Identity", "c", "/job:ps/task:1"),
                          Colocated(Unary("b", "Identity", "c"), "a"),
                          Colocated(Unary("d", "Identity", "c"), "b")})
                  .ok());
  EXPECT_EQ(DeviceOf("b"), kPs1);
  EXPECT_EQ(DeviceOf("d"), kPs1);
}

TEST_F(PlacerTest, ClassOfANameThatDoesNotExistIsALabel) {
  ASSERT_TRUE(
      PlaceNodes({Const("c"), Colocated(Unary("a", "Identity", "c", "/job:ps/task:1"), "nowhere"),
                  Colocated(Unary("b", "Identity", "c"), "nowhere")})
          .ok());
  EXPECT_EQ(DeviceOf("b"), kPs1);
}

TEST_F(PlacerTest, RequestsOfAGroupComplementEachOther) {
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("a", "Identity", "c", "/job:ps"),
                          Colocated(Unary("b", "Identity", "c", "/task:1"), "a")})
                  .ok());
  EXPECT_EQ(DeviceOf("a"), kPs1);
}

TEST_F(PlacerTest, ClassConflictNamesBothNodes) {
  const Status status = PlaceNodes({Const("c"), Unary("a", "Identity", "c", "/job:ps/task:0"),
                                    Colocated(Unary("b", "Identity", "c", "/job:ps/task:1"), "a")});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(
      Message(status),
      "Cannot colocate nodes {{colocation_node b}} and {{colocation_node a}}: Cannot merge "
      "devices with incompatible tasks: '/job:ps/task:1' and '/job:ps/task:0'\n\t [[{{node b}}]]");
}

TEST_F(PlacerTest, ClassConflictOfIdsNamesThem) {
  const Status status = PlaceNodes({Const("c"), Unary("a", "Identity", "c", "/cpu:0"),
                                    Colocated(Unary("b", "Identity", "c", "/cpu:1"), "a")});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)),
              HasSubstr("Cannot merge devices with incompatible ids: '/device:CPU:1' and "
                        "'/device:CPU:0'"));
}

TEST_F(PlacerTest, SoftPlacementDropsAConflictingClass) {
  request_.allow_soft_placement = true;
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("a", "Identity", "c", "/job:ps/task:0"),
                          Colocated(Unary("b", "Identity", "c", "/job:ps/task:1"), "a")})
                  .ok());
  EXPECT_EQ(DeviceOf("a"), kPs0);
  EXPECT_EQ(DeviceOf("b"), kPs1);
}

TEST_F(PlacerTest, TwoVariablesOfOneOpMustAgreeEvenSoftly) {
  request_.allow_soft_placement = true;
  const Status status = PlaceNodes(
      {Variable("v", "/job:ps/task:0"), Variable("slot", "/job:ps/task:1"), Const("c"),
       Node("apply", "ApplyMomentum", {"v", "slot", "c", "c", "c"}, "", {{"T", DType::kFloat}})});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(
      Message(status),
      "Cannot place the graph because a reference or resource edge connects colocation groups "
      "with incompatible resource devices: /job:ps/task:1 vs /job:ps/task:0. The edge src node "
      "is name='slot' (op='VariableV2'), and the dst node is name='apply' "
      "(op='ApplyMomentum').");
}

TEST_F(PlacerTest, UnknownJobIsAnErrorEvenSoftly) {
  for (const bool soft : {false, true}) {
    request_.allow_soft_placement = soft;
    const Status status = PlaceNodes({Const("r", "/job:chief")});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(
        Message(status),
        fmt::format("Cannot assign a device for operation r: {{{{node r}}}} was explicitly "
                    "assigned to /job:chief but available devices are [ {}, {}, {}, {} ]. Make "
                    "sure the device specification refers to a valid device.\n\t [[r]]",
                    kPs0, kPs1, kWorker0, kWorker1));
  }
}

TEST_F(PlacerTest, GpuOnACpuClusterIsAnErrorUnlessSoft) {
  const Status status = PlaceNodes({Const("r", "/device:GPU:0")});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("appears to be a GPU"));
  request_.allow_soft_placement = true;
  ASSERT_TRUE(PlaceNodes({Const("r", "/device:GPU:0"), Const("id", "/cpu:5"),
                          Const("ps", "/job:ps/device:GPU:0")})
                  .ok());
  EXPECT_EQ(DeviceOf("r"), kWorker1);
  EXPECT_EQ(DeviceOf("id"), kWorker1);
  EXPECT_EQ(DeviceOf("ps"), kPs0);
}

TEST_F(PlacerTest, SoftPlacementMovesAVariableWithItsConsumers) {
  request_.allow_soft_placement = true;
  ASSERT_TRUE(PlaceNodes({Variable("v", "/job:ps/task:1/device:GPU:0"), Const("c"),
                          Assign("assign", "v", "c")})
                  .ok());
  EXPECT_EQ(DeviceOf("v"), kPs1);
  EXPECT_EQ(DeviceOf("assign"), kPs1);
}

TEST_F(PlacerTest, GpuIsPreferredWhereItHasAKernel) {
  AddDevice(kGpu1, "GPU");
  ASSERT_TRUE(
      PlaceNodes({Const("c", "/cpu:0"), Const("d", "/cpu:0", DType::kDouble),
                  Unary("float", "Relu", "c"), Unary("double", "Relu", "d", "", DType::kDouble),
                  Unary("id", "Identity", "c")})
          .ok());
  EXPECT_EQ(DeviceOf("float"), kGpu1);
  EXPECT_EQ(DeviceOf("double"), kWorker1);
  EXPECT_EQ(DeviceOf("id"), kWorker1);
}

TEST_F(PlacerTest, GpuRequestWithoutKernelIsAnErrorUnlessSoft) {
  AddDevice(kGpu1, "GPU");
  const std::vector<NodeDef> nodes{
      Const("d", "/cpu:0", DType::kDouble),
      Unary("r", "Relu", "d", "/job:worker/task:1/device:GPU:0", DType::kDouble)};
  const Status status = PlaceNodes(nodes);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)),
              HasSubstr("because no supported kernel for GPU devices is available"));
  request_.allow_soft_placement = true;
  ASSERT_TRUE(PlaceNodes(nodes).ok());
  EXPECT_EQ(DeviceOf("r"), kWorker1);
}

TEST_F(PlacerTest, GroupGoesWhereAllMembersHaveKernels) {
  AddDevice(kGpu1, "GPU");
  ASSERT_TRUE(PlaceNodes({Const("c", "/cpu:0"), Unary("relu", "Relu", "c"),
                          Colocated(Unary("id", "Identity", "c"), "relu")})
                  .ok());
  EXPECT_EQ(DeviceOf("relu"), kWorker1);
  EXPECT_EQ(DeviceOf("id"), kWorker1);
}

TEST_F(PlacerTest, GroupWithoutACommonTypeListsItsMembers) {
  AddDevice(kGpu1, "GPU");
  op::KernelCatalog catalog =
      op::KernelCatalog::Parse("Const\tCPU\t*\t\t\nRelu\tGPU\t*\t\t\nIdentity\tCPU\t*\t\t\n")
          .value();
  request_.catalog = [&catalog](std::string_view) { return &catalog; };
  const Status status = PlaceNodes(
      {Const("c"), Unary("relu", "Relu", "c"), Colocated(Unary("id", "Identity", "c"), "relu")});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  const std::string text(Message(status));
  EXPECT_TRUE(text.starts_with("Cannot colocate nodes {{colocation_node id}} and ")) << text;
  EXPECT_THAT(text, HasSubstr("relu (Relu) requested '', supported on [GPU]"));
  EXPECT_THAT(text, HasSubstr("id (Identity) requested '', supported on [CPU]"));
}

TEST_F(PlacerTest, OpWithoutKernelIsAnErrorThatShowsTheAttrs) {
  const Status status =
      PlaceNodes({Const("d", "", DType::kInt32), Unary("r", "Relu", "d", "", DType::kInt32)});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(
      Message(status).starts_with("No OpKernel was registered to support Op 'Relu' used by {{node "
                                  "r}} with these attrs: [T=int32"))
      << status;
  EXPECT_TRUE(Message(status).ends_with("\n\t [[r]]")) << status;
}

TEST_F(PlacerTest, OpUnknownToTheMasterIsTrustedToTheTaskItNames) {
  const std::vector<NodeDef> there{Const("c"), Unary("x", "Softplus", "c", "/job:ps/task:1")};
  ASSERT_TRUE(PlaceNodes(there).ok());
  EXPECT_EQ(DeviceOf("x"), kPs1);
  EXPECT_EQ(PlaceNodes({Const("c"), Unary("x", "Softplus", "c")}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceNodes({Const("c"), Unary("x", "Softplus", "c", "/job:worker/task:1")}).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(PlacerTest, EachTaskIsAskedForItsOwnKernels) {
  const auto none = op::KernelCatalog::Parse("Const\tCPU\t*\t\t\nIdentity\tCPU\t*\t\t\n").value();
  request_.catalog = [&](std::string_view task) {
    return task == "/job:ps/replica:0/task:1" ? &catalog_ : &none;
  };
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("r", "Relu", "c")}).ok());
  EXPECT_EQ(DeviceOf("r"), kPs1);
}

TEST_F(PlacerTest, KernelPriorityComesBeforeTheTask) {
  op::KernelCatalog better = catalog_;
  better.Add({.op = "Relu", .device_type = "CPU", .constraints = {}, .priority = 1});
  request_.catalog = [&](std::string_view task) {
    return task == "/job:ps/replica:0/task:0" ? &better : &catalog_;
  };
  ASSERT_TRUE(PlaceNodes({Const("c"), Unary("r", "Relu", "c")}).ok());
  EXPECT_EQ(DeviceOf("r"), kPs0);
}

TEST_F(PlacerTest, PinnedStatefulNodesStayWithTheirGroup) {
  const StringMap<std::string> pinned{{"v", std::string(kPs1)}, {"c", std::string(kPs1)}};
  request_.pinned = &pinned;
  ASSERT_TRUE(PlaceNodes({Variable("v", "/job:ps/task:1"), Const("c"), Assign("assign", "v", "c"),
                          Unary("other", "Identity", "c")})
                  .ok());
  EXPECT_EQ(DeviceOf("v"), kPs1);
  EXPECT_EQ(DeviceOf("assign"), kPs1);
  EXPECT_EQ(DeviceOf("c"), kWorker1);  // not stateful
}

TEST_F(PlacerTest, ReasonsTellWhy) {
  request_.explain = true;
  ASSERT_TRUE(
      PlaceNodes({Variable("v", "/job:ps/task:1"), Const("c"), Assign("assign", "v", "c")}).ok());
  EXPECT_EQ(
      reasons_,
      (std::vector<std::string>{
          fmt::format("v: (VariableV2): {} — requested '/job:ps/task:1'", kPs1),
          fmt::format("c: (Const): {} — where its consumers are", kPs1),
          fmt::format("assign: (Assign): {} — with 'v', which requested '/job:ps/task:1'", kPs1)}));
}

TEST_F(PlacerTest, NoDevicesIsAnError) {
  request_.devices.clear();
  EXPECT_EQ(PlaceNodes({Const("c")}).code(), StatusCode::kFailedPrecondition);
}

// Long chains of colocated nodes must not make the union-find deep or slow.
TEST_F(PlacerTest, ALongChainOfClassesIsOneGroup) {
  std::vector<NodeDef> nodes{Const("c"), Unary("n0", "Identity", "c", "/job:ps/task:1")};
  for (int i = 1; i < 20'000; ++i) {
    nodes.push_back(Colocated(Unary(fmt::format("n{}", i), "Identity", fmt::format("n{}", i - 1)),
                              fmt::format("n{}", i - 1)));
  }
  ASSERT_TRUE(PlaceNodes(std::move(nodes)).ok());
  EXPECT_EQ(DeviceOf("n19999"), kPs1);
}

}  // namespace
}  // namespace rheo::placer
