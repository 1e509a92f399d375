#include <gtest/gtest.h>

#include <functional>

#include "rheo/async/thread_pool.h"
#include "rheo/kernel/function_caller.h"
#include "rheo/ops/common/family_test.h"
#include "rheo/ops/functional/register.h"
#include "rheo/ops/functional/truth.h"

namespace rheo::ops {
namespace {

using Tensors = std::vector<Tensor>;

// Functions written in C++; with a pool each call ends on another thread.
class TestFunctions final : public kernel::FunctionCaller {
 public:
  using Body = std::function<StatusOr<Tensors>(const Tensors&)>;

  explicit TestFunctions(ThreadPool* pool = nullptr) : pool_(pool) {}
  void Add(const std::string& name, Body body) { bodies_.push_back({name, std::move(body)}); }

  StatusOr<kernel::FunctionId> Instantiate(const op::FuncRef& function) override {
    for (size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].first == function.name) return kernel::FunctionId{static_cast<int>(i)};
    }
    return NotFound("function {} is not defined", function.name);
  }
  void Run(kernel::FunctionId id, RunArgs args, Callback done) override {
    auto call = [this, id, args = std::move(args), done = std::move(done)]() mutable {
      done(bodies_[static_cast<size_t>(id.value)].second(args.inputs));
    };
    if (pool_ == nullptr) {
      call();
    } else {
      pool_->Schedule(std::move(call));
    }
  }

 private:
  ThreadPool* const pool_;
  std::vector<std::pair<std::string, Body>> bodies_;
};

int32_t IntOf(const Tensor& t) { return t.scalar<int32_t>(); }

class FunctionalTest : public ::testing::Test {
 protected:
  void Define(TestFunctions& functions) {
    for (const int32_t step : {1, 10, 100}) {
      functions.Add("add" + std::to_string(step), [step](const Tensors& in) -> StatusOr<Tensors> {
        return Tensors{Tensor::Scalar<int32_t>(IntOf(in[0]) + step)};
      });
    }
    functions.Add("below_limit", [](const Tensors& in) -> StatusOr<Tensors> {
      return Tensors{Tensor::Scalar(IntOf(in[0]) < IntOf(in[1]))};
    });
    functions.Add("step", [](const Tensors& in) -> StatusOr<Tensors> {
      return Tensors{Tensor::Scalar<int32_t>(IntOf(in[0]) + 1), in[1]};
    });
    functions.Add("fails", [](const Tensors&) -> StatusOr<Tensors> { return DataLoss("broken"); });
  }

  StatusOr<Tensors> Run(std::string_view op, op::AttrMap attrs, Tensors inputs,
                        TestFunctions& functions) {
    RHEO_ASSIGN_OR_RETURN(const std::unique_ptr<PreparedKernel> kernel,
                          runner_.Prepare(op, std::move(attrs), inputs));
    kernel->step().functions = &functions;
    kernel->step().stop = stop_.get_token();
    return kernel->Run(std::move(inputs));
  }

  const std::unique_ptr<TestRegistries> registries_ =
      MakeTestRegistries(&RegisterFunctionalSchemas, &RegisterFunctionalKernels);
  KernelRunner runner_{registries_->ops, registries_->kernels};
  ThreadPool pool_{{.name = "calls", .num_threads = 2}};
  StopSource stop_;
};

op::FuncRef Function(const std::string& name) { return {.name = name, .attrs = {}}; }
const std::vector<DType> kOneInt = {DType::kInt32};

TEST_F(FunctionalTest, RegistersTheRowsOfTensorFlow) { CheckFamily(*registries_, FunctionalOps()); }

TEST_F(FunctionalTest, ACallGivesTheResults) {
  TestFunctions functions;
  Define(functions);
  for (const char* op : {"PartitionedCall", "StatefulPartitionedCall"}) {
    auto out = Run(op, {{"f", Function("add10")}, {"Tout", kOneInt}}, {Tensor::Scalar<int32_t>(5)},
                   functions);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(IntOf((*out)[0]), 15);
  }
}

TEST_F(FunctionalTest, IfTakesTheBranchOfItsCondition) {
  TestFunctions functions(&pool_);
  Define(functions);
  const op::AttrMap attrs = {{"then_branch", Function("add1")},
                             {"else_branch", Function("add10")},
                             {"Tin", kOneInt},
                             {"Tout", kOneInt}};
  const auto run = [&](Tensor condition) {
    op::AttrMap all = attrs;
    all.Set("Tcond", condition.dtype());
    auto out = Run("If", all, {std::move(condition), Tensor::Scalar<int32_t>(0)}, functions);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? IntOf((*out)[0]) : -1;
  };
  EXPECT_EQ(run(Tensor::Scalar(true)), 1);
  EXPECT_EQ(run(Tensor::Scalar(false)), 10);
  EXPECT_EQ(run(Tensor::Scalar<float>(0.5F)), 1);
  EXPECT_EQ(run(Tensor::Scalar("")), 10);
}

TEST_F(FunctionalTest, CaseTakesTheLastBranchForAnIndexOutOfRange) {
  TestFunctions functions;
  Define(functions);
  const op::AttrMap attrs = {
      {"branches",
       std::vector<op::FuncRef>{Function("add1"), Function("add10"), Function("add100")}},
      {"Tin", kOneInt},
      {"Tout", kOneInt}};
  for (const auto& [index, expected] :
       {std::pair{0, 1}, std::pair{1, 10}, std::pair{7, 100}, std::pair{-1, 100}}) {
    auto out = Run("StatelessCase", attrs,
                   {Tensor::Scalar<int32_t>(index), Tensor::Scalar<int32_t>(0)}, functions);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(IntOf((*out)[0]), expected);
  }
}

TEST_F(FunctionalTest, WhileRunsAnyNumberOfTurns) {
  const op::AttrMap attrs = {{"cond", Function("below_limit")}, {"body", Function("step")}};
  TestFunctions here;
  TestFunctions elsewhere(&pool_);
  Define(here);
  Define(elsewhere);
  for (TestFunctions* functions : {&here, &elsewhere}) {
    // So many turns that recursion would exhaust the stack.
    auto out = Run("While", attrs, {Tensor::Scalar<int32_t>(0), Tensor::Scalar<int32_t>(100000)},
                   *functions);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(IntOf((*out)[0]), 100000);
    out = Run("StatelessWhile", attrs, {Tensor::Scalar<int32_t>(9), Tensor::Scalar<int32_t>(3)},
              *functions);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(IntOf((*out)[0]), 9);
  }
}

TEST_F(FunctionalTest, ErrorsOfTheFunctionAreTheNodes) {
  TestFunctions functions;
  Define(functions);
  const Tensors two = {Tensor::Scalar<int32_t>(0), Tensor::Scalar<int32_t>(3)};
  EXPECT_EQ(
      Run("While", {{"cond", Function("below_limit")}, {"body", Function("fails")}}, two, functions)
          .status()
          .code(),
      StatusCode::kDataLoss);
  EXPECT_EQ(Run("PartitionedCall", {{"f", Function("none")}, {"Tout", kOneInt}},
                {Tensor::Scalar<int32_t>(5)}, functions)
                .status()
                .code(),
            StatusCode::kNotFound);
  EXPECT_EQ(
      Run("While", {{"cond", Function("below_limit")}, {"body", Function("add1")}}, two, functions)
          .status()
          .code(),
      StatusCode::kInvalidArgument);
}

TEST_F(FunctionalTest, AStoppedLoopIsCancelled) {
  TestFunctions functions;
  Define(functions);
  functions.Add("stop", [this](const Tensors& in) -> StatusOr<Tensors> {
    stop_.request_stop();
    return in;
  });
  const Status status =
      Run("While", {{"cond", Function("below_limit")}, {"body", Function("stop")}},
          {Tensor::Scalar<int32_t>(0), Tensor::Scalar<int32_t>(3)}, functions)
          .status();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
}

TEST(TruthTest, NumbersTextsAndSizes) {
  EXPECT_TRUE(*IsTrue(Tensor::Scalar<int64_t>(-1)));
  EXPECT_FALSE(*IsTrue(Tensor::Scalar<double>(0)));
  EXPECT_TRUE(*IsTrue(Tensor::Scalar("x")));
  EXPECT_TRUE(*IsTrue(Tensor::Of<float>({1}, {0})));
  EXPECT_FALSE(*IsTrue(Tensor(DType::kFloat, {0})));
  EXPECT_FALSE(IsTrue(Tensor::Scalar(ResourceHandle())).ok());
}

}  // namespace
}  // namespace rheo::ops
