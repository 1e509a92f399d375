#include <gtest/gtest.h>

#include "rheo/ops/common/family_test.h"
#include "rheo/ops/common/tensor_list.h"
#include "rheo/ops/list/register.h"

namespace rheo::ops {
namespace {

using Tensors = std::vector<Tensor>;

// All ops of a test run in one step.
class ListTest : public ::testing::Test {
 protected:
  StatusOr<Tensors> RunAll(std::string_view op, Tensors inputs, op::AttrMap attrs = {}) {
    RHEO_ASSIGN_OR_RETURN(const std::unique_ptr<PreparedKernel> kernel,
                          runner_.Prepare(op, std::move(attrs), inputs));
    kernel->step().step_resources = &step_resources_;
    return kernel->Run(std::move(inputs));
  }
  Tensor Run(std::string_view op, Tensors inputs, op::AttrMap attrs = {}) {
    StatusOr<Tensors> outputs = RunAll(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status();
    return outputs.ok() ? (*outputs)[0] : Tensor::Scalar<float>(-999);
  }
  std::string Fail(std::string_view op, Tensors inputs, op::AttrMap attrs = {}) {
    return std::string(Message(RunAll(op, std::move(inputs), std::move(attrs)).status()));
  }

  // ---- TensorArray
  Tensor Array(int32_t size, op::AttrMap attrs = {}) {
    attrs.Set("dtype", DType::kFloat);
    attrs.Set("tensor_array_name", "ta");
    return Run("TensorArrayV3", {Tensor::Scalar(size)}, attrs);
  }
  StatusOr<Tensors> Write(const Tensor& array, int32_t index, Tensor value) {
    return RunAll("TensorArrayWriteV3", {array, Tensor::Scalar(index), std::move(value), flow_});
  }
  StatusOr<Tensors> Read(const Tensor& array, int32_t index) {
    return RunAll("TensorArrayReadV3", {array, Tensor::Scalar(index), flow_},
                  {{"dtype", DType::kFloat}});
  }

  // ---- TensorList
  Tensor Reserve(int32_t size, std::vector<int32_t> shape) {
    return Run("TensorListReserve", {Tensor::Vector(shape), Tensor::Scalar(size)}, floats_);
  }
  Tensor Set(Tensor list, int32_t index, Tensor value) {
    Tensors inputs;  // a braced list would keep a copy of the list
    inputs.push_back(std::move(list));
    inputs.push_back(Tensor::Scalar(index));
    inputs.push_back(std::move(value));
    return Run("TensorListSetItem", std::move(inputs));
  }
  Tensor Stack(Tensor list, std::vector<int32_t> shape) {
    return Run("TensorListStack", {std::move(list), Tensor::Vector(shape)}, floats_);
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterListSchemas, &RegisterListKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
  kernel::ResourceManager step_resources_{"step"};
  const Tensor flow_ = Tensor::Scalar<float>(0);
  const op::AttrMap floats_ = {{"element_dtype", DType::kFloat}};
};

Tensor Row(float a, float b) { return Tensor::Of<float>({2}, {a, b}); }

TEST_F(ListTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, ListOps()); }

TEST_F(ListTest, ArraysAreWrittenAndReadOnce) {
  const Tensor array = Array(3);
  ASSERT_TRUE(Write(array, 0, Row(1, 2)).ok());
  EXPECT_EQ(Message(Write(array, 0, Row(1, 2)).status()),
            "TensorArray ta_0: Could not write to TensorArray index 0 because it has already been "
            "written to.");
  EXPECT_EQ(Message(Write(array, 5, Row(1, 2)).status()),
            "TensorArray ta_0: Tried to write to index 5 but array is not resizeable and size is: "
            "3");
  EXPECT_EQ((*Read(array, 0))[0], Row(1, 2));
  EXPECT_TRUE(Message(Read(array, 0).status())
                  .starts_with("TensorArray ta_0: Could not read index 0 twice because it was "
                               "cleared after a previous read"));
  EXPECT_EQ(Message(Read(array, 7).status()), "Tried to read from index 7 but array size is: 3");
  ASSERT_TRUE(RunAll("TensorArrayCloseV3", {array}).ok());
  EXPECT_EQ(Message(Read(array, 1).status()), "TensorArray ta_0 has already been closed.");
}

TEST_F(ListTest, ArraysGrowWhereAsked) {
  const Tensor array = Array(0, {{"dynamic_size", true}});
  ASSERT_TRUE(Write(array, 4, Row(1, 2)).ok());
  EXPECT_EQ(Run("TensorArraySizeV3", {array, flow_}), Tensor::Scalar<int32_t>(5));
}

TEST_F(ListTest, UnwrittenElementsAreZerosWhereTheShapeIsKnown) {
  const Tensor array = Array(2, {{"element_shape", PartialShape{2}}});
  EXPECT_EQ((*Read(array, 1))[0], Row(0, 0));
  EXPECT_FALSE(Read(Array(2), 1).ok());
}

TEST_F(ListTest, ArraysOfGradientsAddUp) {
  const Tensor array = Array(2);
  ASSERT_TRUE(Write(array, 0, Row(1, 2)).ok());
  const op::AttrMap source = {{"source", "gradients"}};
  const Tensor gradient = Run("TensorArrayGradV3", {array, flow_}, source);
  ASSERT_TRUE(Write(gradient, 0, Row(1, 1)).ok());
  // The same array for the same source.
  const Tensor again = Run("TensorArrayGradV3", {array, flow_}, source);
  ASSERT_TRUE(Write(again, 0, Row(10, 20)).ok());
  EXPECT_EQ(Message(Write(again, 0, Tensor::Scalar<float>(1)).status()),
            "TensorArray ta_0@gradients: Could not aggregate to TensorArray index 0 because the "
            "existing shape is [2] but the new input shape is [].");
  EXPECT_EQ((*Read(gradient, 0))[0], Row(11, 21));
  // Another source: zeros in the shape of what was written.
  const Tensor other = Run("TensorArrayGradV3", {array, flow_}, {{"source", "other"}});
  EXPECT_EQ((*Read(other, 0))[0], Row(0, 0));
}

TEST_F(ListTest, ArraysTakeAndGiveBatches) {
  const Tensor array = Array(3);
  const Tensor rows = Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(
      RunAll("TensorArrayScatterV3", {array, Tensor::Vector<int32_t>({2, 0, 1}), rows, flow_})
          .ok());
  EXPECT_EQ(Run("TensorArrayGatherV3", {array, Tensor::Vector<int32_t>({2, 1}), flow_},
                {{"dtype", DType::kFloat}}),
            Tensor::Of<float>({2, 2}, {1, 2, 5, 6}));
  const Tensor pieces = Array(2, {{"clear_after_read", false}});
  const Tensor lengths = Tensor::Vector<int64_t>({1, 2});
  ASSERT_TRUE(RunAll("TensorArraySplitV3", {pieces, rows, lengths, flow_}).ok());
  EXPECT_EQ((*Read(pieces, 1))[0], Tensor::Of<float>({2, 2}, {3, 4, 5, 6}));
  const auto joined = RunAll("TensorArrayConcatV3", {pieces, flow_}, {{"dtype", DType::kFloat}});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ((*joined)[0], rows);
  EXPECT_EQ((*joined)[1], lengths);
}

TEST_F(ListTest, HugeSizesAreRefused) {
  EXPECT_EQ(
      RunAll("TensorArrayV3", {Tensor::Scalar<int32_t>(INT32_MAX)}, {{"dtype", DType::kFloat}})
          .status()
          .code(),
      StatusCode::kResourceExhausted);
  EXPECT_EQ(RunAll("TensorListReserve",
                   {Tensor::Vector<int32_t>({}), Tensor::Scalar<int32_t>(INT32_MAX)}, floats_)
                .status()
                .code(),
            StatusCode::kResourceExhausted);
}

TEST_F(ListTest, ListsKeepTheirElements) {
  Tensor list =
      Run("EmptyTensorList", {Tensor::Vector<int32_t>({2}), Tensor::Scalar<int32_t>(2)}, floats_);
  const Tensor one = Run("TensorListPushBack", {list, Row(1, 2)});
  const Tensor two = Run("TensorListPushBack", {one, Row(3, 4)});
  EXPECT_EQ(Run("TensorListLength", {list}), Tensor::Scalar<int32_t>(0));
  EXPECT_EQ(Run("TensorListLength", {two}), Tensor::Scalar<int32_t>(2));
  EXPECT_TRUE(Fail("TensorListPushBack", {two, Row(5, 6)})
                  .starts_with("Tried to push item into a full list"));
  EXPECT_EQ(
      Fail("TensorListPushBack", {one, Tensor::Vector<float>({1})}),
      "Tried to append a tensor with incompatible shape to a list. Op element shape: [1] list "
      "shape: [2]");
  const auto popped = RunAll("TensorListPopBack", {two, Tensor::Vector<int32_t>({2})}, floats_);
  ASSERT_TRUE(popped.ok());
  EXPECT_EQ((*popped)[1], Row(3, 4));
  EXPECT_EQ(Stack((*popped)[0], {2}), Tensor::Of<float>({1, 2}, {1, 2}));
  EXPECT_EQ(Fail("TensorListPopBack", {list, Tensor::Vector<int32_t>({2})}, floats_),
            "Trying to pop from an empty list.");
}

TEST_F(ListTest, AListThatNobodyElseHoldsIsChangedInPlace) {
  Tensor list = Reserve(2, {2});
  const void* const before = list.scalar<Variant>().value();
  list = Set(std::move(list), 0, Row(1, 2));
  EXPECT_EQ(list.scalar<Variant>().value(), before);
  const Tensor other = list;
  const Tensor changed = Set(list, 0, Row(3, 4));
  EXPECT_NE(changed.scalar<Variant>().value(), before);
  EXPECT_EQ(Stack(other, {2}), Tensor::Of<float>({2, 2}, {1, 2, 0, 0}));
  // Two tensors with the same variant.
  Tensor copy(DType::kVariant, Shape{});
  copy.mutable_flat<Variant>()[0] = list.scalar<Variant>();
  list = Tensor();
  const Tensor third = Set(std::move(copy), 1, Row(5, 6));
  EXPECT_EQ(Stack(other, {2}), Tensor::Of<float>({2, 2}, {1, 2, 0, 0}));
  EXPECT_EQ(Stack(third, {2}), Tensor::Of<float>({2, 2}, {1, 2, 5, 6}));
}

TEST_F(ListTest, UnsetElementsTakeTheShapeOfOthers) {
  const Tensor list = Set(Reserve(2, {-1}), 0, Row(1, 2));
  EXPECT_EQ(Stack(list, {-1}), Tensor::Of<float>({2, 2}, {1, 2, 0, 0}));
  EXPECT_EQ(Run("TensorListGetItem",
                {list, Tensor::Scalar<int32_t>(1), Tensor::Vector<int32_t>({-1})}, floats_),
            Row(0, 0));
  EXPECT_FALSE(
      RunAll("TensorListStack", {Reserve(2, {-1}), Tensor::Vector<int32_t>({-1})}, floats_).ok());
}

TEST_F(ListTest, ListsFromTensorsAndBack) {
  const Tensor rows = Tensor::Of<float>({3, 1}, {1, 2, 3});
  const Tensor shape = Tensor::Vector<int32_t>({1});
  const Tensor list = Run("TensorListFromTensor", {rows, shape});
  EXPECT_EQ(Run("TensorListGather", {list, Tensor::Vector<int32_t>({2, 0}), shape}, floats_),
            Tensor::Of<float>({2, 1}, {3, 1}));
  const Tensor scattered = Run("TensorListScatterV2", {rows, Tensor::Vector<int32_t>({3, 0, 1}),
                                                       shape, Tensor::Scalar<int32_t>(4)});
  EXPECT_EQ(Stack(scattered, {1}), Tensor::Of<float>({4, 1}, {2, 3, 0, 1}));
  const Tensor lengths = Tensor::Vector<int64_t>({2, 0, 1});
  const Tensor open = Tensor::Vector<int32_t>({-1, 1});
  const Tensor pieces = Run("TensorListSplit", {rows, open, lengths});
  const auto joined =
      RunAll("TensorListConcatV2", {pieces, open, Tensor::Vector<int64_t>({})}, floats_);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ((*joined)[0], rows);
  EXPECT_EQ((*joined)[1], lengths);
}

TEST_F(ListTest, OptionalsHoldTensorsOrNothing) {
  const Tensor some = Run("OptionalFromValue", {Row(1, 2)});
  const Tensor none = Run("OptionalNone", {});
  const op::AttrMap attrs = {{"output_types", std::vector<DType>{DType::kFloat}},
                             {"output_shapes", std::vector<PartialShape>{{2}}}};
  EXPECT_EQ(Run("OptionalGetValue", {some}, attrs), Row(1, 2));
  EXPECT_EQ(Run("OptionalHasValue", {none}), Tensor::Scalar(false));
  EXPECT_EQ(Fail("OptionalGetValue", {none}, attrs), "The given optional does not have a value.");
}

// ---- Variants as such

TEST_F(ListTest, ListsAreWrittenAsTensorFlowWritesThem) {
  const Tensor list = Set(Reserve(2, {-1}), 0, Row(1, 2));
  const auto* value = list.scalar<Variant>().As<TensorList>();
  const VariantParts parts = value->ToParts();
  EXPECT_EQ(parts.metadata, std::string("\x01\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                        "\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                        26));
  ASSERT_EQ(parts.tensors.size(), 1u);
  const StatusOr<Variant> back = TensorListFromParts(parts);
  ASSERT_TRUE(back.ok()) << back.status();
  const auto* read = back->As<TensorList>();
  EXPECT_EQ(read->element_dtype, DType::kFloat);
  EXPECT_EQ(read->element_shape, PartialShape{kUnknownDim});
  EXPECT_EQ(read->max_num_elements, -1);
  ASSERT_EQ(read->size(), 2);
  EXPECT_EQ(read->tensors[0], Row(1, 2));
  EXPECT_FALSE(read->tensors[1].has_value());
}

TEST_F(ListTest, BrokenPartsAreRefused) {
  const VariantParts good =
      Set(Reserve(3, {2}), 0, Row(1, 2)).scalar<Variant>().As<TensorList>()->ToParts();
  for (size_t n = 0; n < 5; ++n) {
    VariantParts cut = good;
    cut.metadata.resize(n);
    EXPECT_EQ(TensorListFromParts(cut).status().code(), StatusCode::kInvalidArgument) << n;
  }
  VariantParts many = good;
  many.metadata[0] = '\x7f';
  EXPECT_FALSE(TensorListFromParts(many).ok());
  VariantParts twice = good;
  twice.metadata[2] = twice.metadata[1];
  EXPECT_FALSE(TensorListFromParts(twice).ok());
  VariantParts other = good;
  other.tensors[0] = Tensor::Scalar<int32_t>(1);
  EXPECT_FALSE(TensorListFromParts(other).ok());
}

TEST_F(ListTest, ListsAreAddedElementByElement) {
  const auto device = MakeTestDevice();
  kernel::StepContext step;
  step.device = device.get();
  const kernel::KernelContext context({.step = &step});
  const Tensor a = Set(Set(Reserve(3, {2}), 0, Row(1, 2)), 1, Row(3, 4));
  const Tensor b = Set(Reserve(3, {2}), 0, Row(10, 20));
  const StatusOr<Tensor> sum = AddTensors(context, a, b);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(Stack(*sum, {2}), Tensor::Of<float>({3, 2}, {11, 22, 3, 4, 0, 0}));
  EXPECT_EQ(Stack(*ZerosLikeTensor(context, a), {2}),
            Tensor::Of<float>({3, 2}, {0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Message(AddTensors(context, a, Reserve(2, {2})).status()),
            "Trying to add two lists of tensors with different lengths. One is 3 and the other is "
            "2");
}

}  // namespace
}  // namespace rheo::ops
