#include <gtest/gtest.h>

#include "rheo/kernel/variable.h"
#include "rheo/ops/common/family_test.h"
#include "rheo/ops/state/register.h"

namespace rheo::ops {
namespace {

using kernel::Value;

class StateTest : public ::testing::Test {
 protected:
  // Runs `op`; inputs are tensors or references.
  StatusOr<std::vector<Value>> Run(std::string_view op, op::AttrMap attrs,
                                   std::vector<Value> inputs, std::vector<Tensor> example) {
    RHEO_ASSIGN_OR_RETURN(const std::unique_ptr<PreparedKernel> kernel,
                          runner_.Prepare(op, std::move(attrs), example));
    std::vector<Value> outputs(kernel->types().outputs.size());
    RHEO_RETURN_IF_ERROR(kernel->RunUnchecked(inputs, outputs));
    return outputs;
  }

  static Value Of(Tensor t) {
    return {.state = Value::State::kLive, .tensor = std::move(t), .ref = nullptr};
  }
  static Value OfRef(std::shared_ptr<kernel::RefVariable> ref) {
    return {.state = Value::State::kLive, .tensor = {}, .ref = std::move(ref)};
  }

  std::shared_ptr<kernel::RefVariable> RefVariable(const std::string& name, Shape shape,
                                                   DType dtype = DType::kFloat) {
    auto out =
        Run("VariableV2", {{"shape", shape}, {"dtype", dtype}, {"shared_name", name}}, {}, {});
    EXPECT_TRUE(out.ok()) << out.status();
    return (*out)[0].ref;
  }
  static Tensor Read(kernel::RefVariable& v) {
    MutexLock lock(v.mutex);
    return v.tensor;
  }
  // Runs an update op whose input 0 is the variable.
  Status Update(std::string_view op, const std::shared_ptr<kernel::RefVariable>& v,
                std::vector<Tensor> rest, op::AttrMap attrs = {}) {
    std::vector<Value> inputs = {OfRef(v)};
    std::vector<Tensor> example = {Tensor(v->dtype(), Shape{})};
    for (const Tensor& t : rest) {
      inputs.push_back(Of(t));
      example.push_back(t);
    }
    rest.clear();
    return Run(op, std::move(attrs), std::move(inputs), std::move(example)).status();
  }

  Tensor Handle(const std::string& name, DType dtype = DType::kFloat) {
    auto out = runner_.RunOp(
        "VarHandleOp", {{"shape", PartialShape()}, {"dtype", dtype}, {"shared_name", name}}, {});
    EXPECT_TRUE(out.ok()) << out.status();
    return (*out)[0];
  }
  StatusOr<std::vector<Tensor>> RunOp(std::string_view op, std::vector<Tensor> inputs,
                                      op::AttrMap attrs = {}) {
    return runner_.RunOp(op, std::move(attrs), std::move(inputs));
  }
  StatusOr<Tensor> ReadHandle(const Tensor& handle, DType dtype = DType::kFloat) {
    RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> out,
                          RunOp("ReadVariableOp", {handle}, {{"dtype", dtype}}));
    return out[0];
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterStateSchemas, &RegisterStateKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
};

TEST_F(StateTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, StateOps()); }

TEST_F(StateTest, VariablesOfOneNameAreOne) {
  auto a = RefVariable("w", {2});
  EXPECT_EQ(a, RefVariable("w", {2}));
  EXPECT_NE(a, RefVariable("v", {2}));
  EXPECT_EQ(a->name(), "test_VariableV2");  // the node's
}

TEST_F(StateTest, ContainerAndSharedNameAreChecked) {
  const op::AttrMap base = {{"shape", Shape{}}, {"dtype", DType::kFloat}};
  op::AttrMap bad = base;
  bad.Set("container", "a_b");
  EXPECT_EQ(Run("VariableV2", bad, {}, {}).status().code(), StatusCode::kInvalidArgument);
  bad = base;
  bad.Set("shared_name", "_x");
  EXPECT_EQ(Run("VariableV2", bad, {}, {}).status().code(), StatusCode::kInvalidArgument);
  op::AttrMap good = base;
  good.Set("container", "0a-b./c");
  EXPECT_TRUE(Run("VariableV2", good, {}, {}).ok());
}

TEST_F(StateTest, AssignSharesTheValueAndInitializes) {
  auto v = RefVariable("w", {2});
  auto asked = Run("IsVariableInitialized", {}, {OfRef(v)}, {Tensor::Scalar<float>(0)});
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ((*asked)[0].tensor, Tensor::Scalar(false));
  const Tensor value = Tensor::Of<float>({2}, {1, 2});
  ASSERT_TRUE(Update("Assign", v, {value}).ok());
  EXPECT_TRUE(Read(*v).SharesBufferWith(value));
  asked = Run("IsVariableInitialized", {}, {OfRef(v)}, {Tensor::Scalar<float>(0)});
  EXPECT_EQ((*asked)[0].tensor, Tensor::Scalar(true));
}

TEST_F(StateTest, AssignChecksTheShapeUnlessToldNotTo) {
  auto v = RefVariable("w", {2});
  const Tensor three = Tensor::Of<float>({3}, {1, 2, 3});
  const Status status = Update("Assign", v, {three});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Message(status).starts_with(
      "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]"))
      << status;
  EXPECT_TRUE(Update("Assign", v, {three}, {{"validate_shape", false}}).ok());
  EXPECT_EQ(Read(*v), three);
}

TEST_F(StateTest, UpdatesLeaveSnapshotsAsTheyWere) {
  auto v = RefVariable("w", {2});
  const Tensor value = Tensor::Of<float>({2}, {1, 2});
  ASSERT_TRUE(Update("Assign", v, {value}).ok());
  ASSERT_TRUE(Update("AssignAdd", v, {Tensor::Of<float>({2}, {10, 20})}).ok());
  EXPECT_EQ(Read(*v), Tensor::Of<float>({2}, {11, 22}));
  EXPECT_EQ(value, Tensor::Of<float>({2}, {1, 2}));
  // Nobody else holds the buffer now: the next update is in place.
  const void* const before = Read(*v).data();
  ASSERT_TRUE(Update("AssignSub", v, {Tensor::Of<float>({2}, {1, 2})}).ok());
  EXPECT_EQ(Read(*v), Tensor::Of<float>({2}, {10, 20}));
  EXPECT_EQ(Read(*v).data(), before);
}

TEST_F(StateTest, UpdateOfAnUninitializedVariableNamesItsNode) {
  const Status status = Update("AssignAdd", RefVariable("w", {}), {Tensor::Scalar<float>(1)});
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(status), "Attempting to use uninitialized value test_VariableV2");
}

TEST_F(StateTest, CountUpToStopsAtItsLimit) {
  auto v = RefVariable("n", {}, DType::kInt64);
  ASSERT_TRUE(Update("Assign", v, {Tensor::Scalar<int64_t>(1)}).ok());
  const Tensor example = Tensor::Scalar<int64_t>(0);
  auto out = Run("CountUpTo", {{"limit", 2}}, {OfRef(v)}, {example});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].tensor, Tensor::Scalar<int64_t>(1));
  EXPECT_EQ(Run("CountUpTo", {{"limit", 2}}, {OfRef(v)}, {example}).status().code(),
            StatusCode::kOutOfRange);
  EXPECT_EQ(Read(*v), Tensor::Scalar<int64_t>(2));
}

TEST_F(StateTest, ScatterUpdatesRowsInOrder) {
  auto v = RefVariable("w", {3, 2});
  ASSERT_TRUE(Update("Assign", v, {Tensor::Of<float>({3, 2}, {0, 1, 2, 3, 4, 5})}).ok());
  const Tensor indices = Tensor::Of<int32_t>({3}, {2, 0, 2});
  const Tensor updates = Tensor::Of<float>({3, 2}, {1, 1, 10, 10, 100, 100});
  ASSERT_TRUE(Update("ScatterAdd", v, {indices, updates}).ok());
  EXPECT_EQ(Read(*v), Tensor::Of<float>({3, 2}, {10, 11, 2, 3, 105, 106}));
  ASSERT_TRUE(Update("ScatterUpdate", v, {indices, updates}).ok());
  EXPECT_EQ(Read(*v), Tensor::Of<float>({3, 2}, {10, 10, 2, 3, 100, 100}));
  const Status status =
      Update("ScatterAdd", v, {Tensor::Of<int32_t>({1}, {5}), Tensor::Of<float>({1, 2}, {1, 1})});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "indices[0] = 5 is not in [0, 3)");
}

TEST_F(StateTest, ScatterNdUpdatesSingleElements) {
  auto v = RefVariable("w", {2, 2});
  ASSERT_TRUE(Update("Assign", v, {Tensor::Of<float>({2, 2}, {0, 1, 2, 3})}).ok());
  const Tensor indices = Tensor::Of<int64_t>({2, 2}, {0, 1, 1, 0});
  ASSERT_TRUE(Update("ScatterNdSub", v, {indices, Tensor::Of<float>({2}, {1, 5})}).ok());
  EXPECT_EQ(Read(*v), Tensor::Of<float>({2, 2}, {0, 0, -3, 3}));
}

TEST_F(StateTest, ResourceVariableRoundTrip) {
  const Tensor handle = Handle("w");
  EXPECT_EQ(handle.scalar<ResourceHandle>().container, "localhost");
  const Status unread = ReadHandle(handle).status();
  EXPECT_EQ(unread.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(unread).find("uninitialized"), std::string_view::npos);
  EXPECT_EQ((*RunOp("VarIsInitializedOp", {handle}))[0], Tensor::Scalar(false));

  ASSERT_TRUE(RunOp("AssignVariableOp", {handle, Tensor::Of<float>({2}, {1, 2})}).ok());
  EXPECT_EQ((*RunOp("VarIsInitializedOp", {handle}))[0], Tensor::Scalar(true));
  const Tensor snapshot = *ReadHandle(handle);
  ASSERT_TRUE(RunOp("AssignAddVariableOp", {handle, Tensor::Of<float>({2}, {1, 1})}).ok());
  EXPECT_EQ(*ReadHandle(handle), Tensor::Of<float>({2}, {2, 3}));
  EXPECT_EQ(snapshot, Tensor::Of<float>({2}, {1, 2}));
  EXPECT_EQ((*RunOp("VariableShape", {handle}))[0], Tensor::Of<int32_t>({1}, {2}));
  ASSERT_TRUE(RunOp("DestroyResourceOp", {handle}).ok());
  EXPECT_FALSE(ReadHandle(handle).ok());
}

TEST_F(StateTest, ResourceErrorsHaveTensorFlowsCodes) {
  const Tensor handle = Handle("w");
  const Status missing = RunOp("AssignAddVariableOp", {handle, Tensor::Scalar<float>(1)}).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_EQ(RunOp("VariableShape", {handle}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(RunOp("DestroyResourceOp", {handle}, {{"ignore_lookup_error", false}}).status().code(),
            StatusCode::kNotFound);
  EXPECT_TRUE(RunOp("DestroyResourceOp", {handle}).ok());

  ASSERT_TRUE(RunOp("AssignVariableOp", {handle, Tensor::Of<float>({2}, {1, 2})}).ok());
  const Status dtype = RunOp("AssignVariableOp", {handle, Tensor::Scalar<int32_t>(1)}).status();
  EXPECT_EQ(Message(dtype), "Trying to assign variable with wrong dtype. Expected float got int32");
  EXPECT_EQ(Message(ReadHandle(handle, DType::kInt32).status()),
            "Trying to read variable with wrong dtype. Expected int32 got float");
  const Tensor three = Tensor::Of<float>({3}, {1, 2, 3});
  EXPECT_EQ(
      Message(RunOp("AssignVariableOp", {handle, three}, {{"validate_shape", true}}).status()),
      "Trying to assign to variable with tensor with wrong shape. Expected [2] got [3]");
  EXPECT_EQ(Message(RunOp("AssignAddVariableOp", {handle, three}).status()),
            "Cannot update variable with shape [2] using a Tensor with shape [3], shapes must be "
            "equal.");
  EXPECT_TRUE(RunOp("AssignVariableOp", {handle, three}).ok());
  EXPECT_EQ(*ReadHandle(handle), three);
}

TEST_F(StateTest, AsManyValuesAsVariables) {
  const Tensor v = Handle("v");
  const std::vector<DType> two = {DType::kFloat, DType::kFloat};
  EXPECT_EQ(RunOp("_ReadVariablesOp", {v}, {{"N", 1}, {"dtypes", two}}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(RunOp("_ReadVariablesOp", {v, v}, {{"N", 2}, {"dtypes", std::vector(1, two[0])}})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(RunOp("_VarHandlesOp", {},
                  {{"N", 1},
                   {"dtypes", two},
                   {"containers", names},
                   {"shared_names", names},
                   {"shapes", std::vector<PartialShape>(2)}})
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST_F(StateTest, TheMostNegativeNumberByMinusOneWrapsAround) {
  const auto v = RefVariable("v", {1}, DType::kInt32);
  const Tensor lowest = Tensor::Vector<int32_t>({INT32_MIN});
  ASSERT_TRUE(Update("Assign", v, {lowest}).ok());
  ASSERT_TRUE(
      Update("ScatterDiv", v, {Tensor::Vector<int32_t>({0}), Tensor::Vector<int32_t>({-1})}).ok());
  EXPECT_EQ(Read(*v), lowest);
}

TEST_F(StateTest, AnAnonymousVariableEndsWithItsHandle) {
  const std::string anonymous = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
  const Tensor a = Handle(anonymous);
  const Tensor b = Handle(anonymous);
  ASSERT_TRUE(RunOp("AssignVariableOp", {a, Tensor::Scalar<float>(1)}).ok());
  EXPECT_EQ(*ReadHandle(a), Tensor::Scalar<float>(1));
  EXPECT_FALSE(ReadHandle(b).ok());
  EXPECT_EQ(runner_.resources().size(), 0u);
}

TEST_F(StateTest, ResourceGatherAndScatter) {
  const Tensor handle = Handle("w");
  ASSERT_TRUE(
      RunOp("AssignVariableOp", {handle, Tensor::Of<float>({3, 2}, {0, 1, 2, 3, 4, 5})}).ok());
  auto rows = RunOp("ResourceGather", {handle, Tensor::Of<int64_t>({2}, {2, 0})},
                    {{"dtype", DType::kFloat}});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)[0], Tensor::Of<float>({2, 2}, {4, 5, 0, 1}));
  for (const char* op : {"ResourceGather", "ResourceGatherNd"}) {
    const Status other_dtype =
        RunOp(op, {handle, Tensor::Of<int64_t>({1, 1}, {2})}, {{"dtype", DType::kString}}).status();
    EXPECT_EQ(Message(other_dtype),
              "Trying to read variable with wrong dtype. Expected string got float");
  }
  ASSERT_TRUE(RunOp("ResourceScatterMul",
                    {handle, Tensor::Of<int32_t>({1}, {1}), Tensor::Scalar<float>(10)})
                  .ok());
  EXPECT_EQ(*ReadHandle(handle), Tensor::Of<float>({3, 2}, {0, 1, 20, 30, 4, 5}));
  EXPECT_EQ((*rows)[0], Tensor::Of<float>({2, 2}, {4, 5, 0, 1}));
}

}  // namespace
}  // namespace rheo::ops
