#include "rheo/executor/executor.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>

#include "rheo/devices/cpu/device.h"
#include "rheo/graph/import.h"
#include "rheo/rendezvous/local_rendezvous.h"

namespace rheo::executor {
namespace {

using kernel::Kernel;
using kernel::KernelContext;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Kernels of a small language: every value is an int32 scalar.
class LambdaKernel : public Kernel {
 public:
  explicit LambdaKernel(std::function<Status(KernelContext&)> f) : f_(std::move(f)) {}
  Status Compute(KernelContext& context) override { return f_(context); }

 private:
  std::function<Status(KernelContext&)> f_;
};

class ConstKernel : public Kernel {
 public:
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}
  Status Compute(KernelContext& context) override {
    context.set_output(0, value_);
    return OkStatus();
  }
  const Tensor* ConstantOutput() const override { return &value_; }

 private:
  const Tensor value_;
};

class HeldKernel : public kernel::AsyncKernel {
 public:
  void ComputeAsync(KernelContext& context, DoneCallback done) override {
    context.set_output(0, Tensor::Scalar<int32_t>(5));
    held = std::move(done);
  }
  DoneCallback held;
};

class ThrowingKernel : public HeldKernel {
 public:
  enum class When { kInstead, kAfterAnswer, kBeforeAnswer };
  ThrowingKernel(When when, std::function<void()> raise) : when_(when), raise_(std::move(raise)) {}
  void ComputeAsync(KernelContext& context, DoneCallback done) override {
    context.set_output(0, Tensor::Scalar<int32_t>(5));
    if (when_ == When::kAfterAnswer) {
      std::move(done)(OkStatus());
    } else if (when_ == When::kBeforeAnswer) {
      held = std::move(done);
    }
    raise_();
  }

 private:
  const When when_;
  const std::function<void()> raise_;
};

Status SetInt(KernelContext& c, int i, int32_t v) {
  c.set_output(i, Tensor::Scalar<int32_t>(v));
  return OkStatus();
}
int32_t In(KernelContext& c, int i) { return c.input(i).scalar<int32_t>(); }

class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() {
    EXPECT_TRUE(ops_.AddTable(op::PublicOpTable()).ok());
    device_ = *devices::cpu::CpuDevice::Create("/job:a/replica:0/task:0/device:CPU:0");
    context_.rendezvous = &rendezvous_;
    context_.device = device_.get();
    context_.resources = context_.step_resources = &resources_;
    context_.stop = stop_.get_token();
    Define("AddV2", [](KernelContext& c) { return SetInt(c, 0, In(c, 0) + In(c, 1)); });
    Define("Mul", [](KernelContext& c) { return SetInt(c, 0, In(c, 0) * In(c, 1)); });
    Define("Less", [](KernelContext& c) {
      c.set_output(0, Tensor::Scalar<bool>(In(c, 0) < In(c, 1)));
      return OkStatus();
    });
    Define("Switch", [](KernelContext& c) {
      c.set_output(c.input(1).scalar<bool>() ? 1 : 0, c.input(0));
      return OkStatus();
    });
    Define("Identity", [](KernelContext& c) {
      c.set_output(0, c.input(0));
      return OkStatus();
    });
    Define("NoOp", [](KernelContext&) { return OkStatus(); });
    for (const char* native : {"Merge", "Enter", "Exit", "NextIteration", "LoopCond"}) {
      Define(native, [](KernelContext&) { return Internal("not run natively"); });
    }
  }

  void Define(const std::string& op, std::function<Status(KernelContext&)> f) {
    kernels_[op] = [f](const graph::Node&) { return std::make_shared<LambdaKernel>(f); };
  }

  // "name = Op(inputs) attr=value": the attr T is int32 everywhere.
  void Node(const std::string& name, const std::string& op, std::vector<std::string> inputs,
            op::AttrMap attrs = {}) {
    const op::OpSchema* schema = ops_.Find(op);
    if (schema->FindAttr("T") != nullptr && !attrs.Has("T")) attrs.Set("T", DType::kInt32);
    if (op == "Merge") attrs.Set("N", int64_t{2});
    def_.nodes.push_back(
        {.name = name, .op = op, .inputs = std::move(inputs), .attrs = std::move(attrs)});
  }
  void Const(const std::string& name, int32_t value, std::vector<std::string> inputs = {}) {
    Node(name, "Const", std::move(inputs),
         {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(value)}});
  }
  // A node that records the value of `input` under `name`, also whether it ran at all.
  void Probe(const std::string& name, const std::string& input) {
    Node(name, "Identity", {input});
    probes_.insert(name);
  }

  StatusOr<std::shared_ptr<const Plan>> Compile() {
    RHEO_ASSIGN_OR_RETURN(graph_, graph::ImportNew(def_, {.allow_internal_names = true}, ops_));
    return Plan::Compile(
        *graph_, [this](const graph::Node& node) -> StatusOr<std::shared_ptr<Kernel>> {
          if (probes_.contains(node.name())) {
            return std::make_shared<LambdaKernel>([this, name = node.name()](KernelContext& c) {
              MutexLock lock(mutex_);
              seen_[name].push_back(In(c, 0));
              c.set_output(0, c.input(0));
              return OkStatus();
            });
          }
          if (node.op() == "Const") {
            return std::make_shared<ConstKernel>(*node.attrs().Get<Tensor>("value"));
          }
          const auto it = kernels_.find(node.op());
          if (it == kernels_.end()) return NotFound("no kernel for {}", node.op());
          return it->second(node);
        });
  }

  Status Run() {
    StatusOr<std::shared_ptr<const Plan>> plan = Compile();
    if (!plan.ok()) return plan.status();
    return RunPlan(*plan);
  }
  Status RunPlan(const std::shared_ptr<const Plan>& plan, RunArgs args = {}) {
    Notification ended;
    Status result;
    args.context = &context_;
    args.pool = &pool_;
    executor::Run(plan, std::move(args), [&](Status status) {
      result = std::move(status);
      ended.Notify();
    });
    ended.Wait();
    return result;
  }

  // while (i < limit) { acc = acc * 2; i = i + 1 } from i = start, acc = 1; inside frame `name`.
  void Loop(const std::string& p, const std::string& start, const std::string& limit,
            int parallel = 10) {
    const auto enter = [&](const std::string& n, const std::string& in, bool constant) {
      Node(p + n, "Enter", {in},
           {{"frame_name", p}, {"is_constant", constant}, {"parallel_iterations", parallel}});
    };
    enter("ei", start, false);
    enter("ea", "one", false);
    enter("el", limit, true);
    enter("e1", "one", true);
    enter("e2", "two", true);
    Node(p + "mi", "Merge", {p + "ei", p + "ni"});
    Node(p + "ma", "Merge", {p + "ea", p + "na"});
    Node(p + "less", "Less", {p + "mi", p + "el"});
    Node(p + "cond", "LoopCond", {p + "less"});
    Node(p + "si", "Switch", {p + "mi", p + "cond"});
    Node(p + "sa", "Switch", {p + "ma", p + "cond"});
    Node(p + "inc", "AddV2", {p + "si:1", p + "e1"});
    Node(p + "dbl", "Mul", {p + "sa:1", p + "e2"});
    Node(p + "ni", "NextIteration", {p + "inc"});
    Node(p + "na", "NextIteration", {p + "dbl"});
    Node(p + "xi", "Exit", {p + "si"});
    Node(p + "xa", "Exit", {p + "sa"});
  }

  op::OpRegistry ops_;
  std::unique_ptr<devices::cpu::CpuDevice> device_;
  rendezvous::LocalRendezvous rendezvous_;
  kernel::ResourceManager resources_{"a"};
  StopSource stop_;
  kernel::StepContext context_;
  ThreadPool pool_{{.name = "test", .num_threads = 2}};
  std::map<std::string, std::function<std::shared_ptr<Kernel>(const graph::Node&)>> kernels_;
  StringSet probes_;
  graph::GraphDef def_;
  std::unique_ptr<graph::Graph> graph_;
  Mutex mutex_;
  std::map<std::string, std::vector<int32_t>> seen_;
};

TEST_F(ExecutorTest, ADiamondRunsEachNodeOnce) {
  Const("a", 3);
  Node("b", "AddV2", {"a", "a"});
  Node("c", "Mul", {"a", "b"});
  Probe("d", "c");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(seen_["d"], std::vector<int32_t>{18});
}

TEST_F(ExecutorTest, APlanRunsManyTimesWithTheSameResult) {
  Const("a", 3);
  Node("b", "AddV2", {"a", "a"});
  Probe("c", "b");
  const auto plan = Compile();
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(RunPlan(*plan).ok());
  EXPECT_EQ(seen_["c"], std::vector<int32_t>(200, 6));
}

TEST_F(ExecutorTest, StepsOfOnePlanRunAtOnce) {
  Const("a", 1);
  std::string last = "a";
  for (int i = 0; i < 50; ++i) {
    Node("n" + std::to_string(i), "AddV2", {last, "a"});
    last = "n" + std::to_string(i);
  }
  Probe("end", last);
  const auto plan = Compile();
  ASSERT_TRUE(plan.ok());
  Notification all;
  std::atomic<int> left{64};
  for (int i = 0; i < 64; ++i) {
    RunArgs args{.context = &context_, .pool = &pool_, .inline_on_caller = i % 2 == 0};
    executor::Run(*plan, args, [&](Status status) {
      EXPECT_TRUE(status.ok());
      if (--left == 0) all.Notify();
    });
  }
  all.Wait();
  EXPECT_EQ(seen_["end"], std::vector<int32_t>(64, 51));
}

TEST_F(ExecutorTest, AFailureNamesTheNodeAndStopsItsConsumers) {
  Define("Neg", [](KernelContext&) { return InvalidArgument("bad value"); });
  Const("a", 3);
  Node("n", "Neg", {"a"});
  Probe("after", "n");
  int on_error = 0;
  const auto plan = Compile();
  ASSERT_TRUE(plan.ok());
  const Status status = RunPlan(*plan, {.on_error = [&](const Status&) { ++on_error; }});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "bad value\n\t [[{{node n}}]]");
  EXPECT_FALSE(IsDerived(status));
  EXPECT_EQ(on_error, 1);
  EXPECT_TRUE(seen_["after"].empty());
}

TEST_F(ExecutorTest, UnavailableFromAKernelIsNoLostTask) {
  Define("Neg", [](KernelContext&) { return Unavailable("disk"); });
  Const("a", 3);
  Node("n", "Neg", {"a"});
  EXPECT_EQ(Run().code(), StatusCode::kInternal);
}

TEST_F(ExecutorTest, WhatAKernelsLibrariesThrowFailsTheNodeOnly) {
  struct Case {
    std::function<void()> raise;
    Status status;
  };
  const Case cases[] = {
      {[] { throw std::bad_alloc(); }, ResourceExhausted("there is not enough memory")},
      {[] { throw std::length_error("x"); }, ResourceExhausted("there is no memory of that size")},
      {[] { throw std::runtime_error("odd"); }, Internal("the kernel threw: odd")}};
  Const("a", 3);
  Node("n", "Neg", {"a"});
  for (const Case& c : cases) {
    SCOPED_TRACE(Message(c.status));
    const auto expect = [&](const Status& status) {
      EXPECT_EQ(status.code(), c.status.code());
      EXPECT_THAT(std::string(Message(status)),
                  AllOf(HasSubstr(std::string(Message(c.status))), HasSubstr("{{node n}}")));
    };
    Define("Neg", [&](KernelContext&) -> Status {
      c.raise();
      return OkStatus();
    });
    expect(Run());
    // An asynchronous kernel, before it answers, after it, and with an answer still to come.
    for (const auto when : {ThrowingKernel::When::kInstead, ThrowingKernel::When::kAfterAnswer,
                            ThrowingKernel::When::kBeforeAnswer}) {
      auto kernel = std::make_shared<ThrowingKernel>(when, c.raise);
      kernels_["Neg"] = [&kernel](const graph::Node&) { return kernel; };
      const Status status = Run();
      if (when == ThrowingKernel::When::kAfterAnswer) {
        EXPECT_EQ(status, OkStatus());
      } else {
        expect(status);
      }
      if (kernel->held != nullptr) std::move(kernel->held)(OkStatus());
    }
  }
}

TEST_F(ExecutorTest, AMissingOutputIsInternal) {
  Define("Neg", [](KernelContext&) { return OkStatus(); });
  Const("a", 3);
  Node("n", "Neg", {"a"});
  const Status status = Run();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_NE(Message(status).find("Missing 0-th output from {{node n}}"), std::string::npos);
}

TEST_F(ExecutorTest, TheUntakenBranchDoesNotRun) {
  Const("a", 1);
  Const("b", 2);
  Node("p", "Less", {"a", "b"});
  Node("s", "Switch", {"a", "p"});
  Probe("then", "s:1");
  Probe("else", "s:0");
  Node("m", "Merge", {"else", "then"}, {});
  Probe("merged", "m");
  Probe("which", "m:1");
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(seen_["else"].empty());
  EXPECT_EQ(seen_["then"], std::vector<int32_t>{1});
  EXPECT_EQ(seen_["merged"], std::vector<int32_t>{1});
  EXPECT_EQ(seen_["which"], std::vector<int32_t>{1});
}

TEST_F(ExecutorTest, AControlInputOfADeadNodeIsDead) {
  Const("a", 1);
  Const("b", 2);
  Node("p", "Less", {"b", "a"});
  Node("s", "Switch", {"a", "p"});
  Node("dead", "Identity", {"s:1"});
  Node("k", "Identity", {"a", "^dead"});
  Probe("after", "k");
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(seen_["after"].empty());
}

TEST_F(ExecutorTest, LoopRunsUntilItsConditionFails) {
  for (const int parallel : {1, 3, 10}) {
    def_ = {};
    seen_.clear();
    Const("zero", 0);
    Const("one", 1);
    Const("two", 2);
    Const("limit", 9);
    Loop("w/", "zero", "limit", parallel);
    Probe("i", "w/xi");
    Probe("acc", "w/xa");
    const Status status = Run();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(seen_["i"], std::vector<int32_t>{9});
    EXPECT_EQ(seen_["acc"], std::vector<int32_t>{512});
  }
}

TEST_F(ExecutorTest, WhatALoopGivesIsSentOnceAndAlive) {
  std::vector<bool> sent;
  Define("_Send", [&](KernelContext& c) {
    MutexLock lock(mutex_);
    sent.push_back(!c.is_dead());
    return OkStatus();
  });
  Const("zero", 0);
  Const("one", 1);
  Const("two", 2);
  Const("limit", 9);
  Loop("w/", "zero", "limit");
  for (const char* exit : {"w/xi", "w/xa"}) {
    Node(std::string("send_") + exit[3], "_Send", {exit},
         {{"tensor_name", exit},
          {"send_device", ""},
          {"send_device_incarnation", 0},
          {"recv_device", ""}});
  }
  const Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(sent, std::vector<bool>(2, true));
}

TEST_F(ExecutorTest, LoopOfZeroIterationsGivesItsInitialValues) {
  Const("zero", 0);
  Const("one", 1);
  Const("two", 2);
  Loop("w/", "one", "zero");
  Probe("acc", "w/xa");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(seen_["acc"], std::vector<int32_t>{1});
}

TEST_F(ExecutorTest, LoopOnAnUntakenBranchIsDeadAndEnds) {
  Const("zero", 0);
  Const("one", 1);
  Const("two", 2);
  Const("limit", 4);
  Node("p", "Less", {"two", "one"});
  Node("s", "Switch", {"zero", "p"});
  Loop("w/", "s:1", "limit");
  Probe("dead", "w/xi");
  Node("m", "Merge", {"s:0", "dead"});
  Probe("merged", "m");
  const Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(seen_["dead"].empty());
  EXPECT_EQ(seen_["merged"], std::vector<int32_t>{0});
}

TEST_F(ExecutorTest, NestedLoopRunsItsInnerLoopEachTime) {
  // Outer: i from 0 to 3; inner counts from i to 5; `total` sums the inner exits.
  Const("zero", 0);
  Const("one", 1);
  Const("three", 3);
  Const("five", 5);
  const auto enter = [&](const std::string& n, const std::string& in, const std::string& frame,
                         bool constant) {
    Node(n, "Enter", {in}, {{"frame_name", frame}, {"is_constant", constant}});
  };
  enter("oi", "zero", "o", false);
  enter("ot", "zero", "o", false);
  enter("o1", "one", "o", true);
  enter("o3", "three", "o", true);
  enter("o5", "five", "o", true);
  Node("mi", "Merge", {"oi", "ni"});
  Node("mt", "Merge", {"ot", "nt"});
  Node("ol", "Less", {"mi", "o3"});
  Node("oc", "LoopCond", {"ol"});
  Node("si", "Switch", {"mi", "oc"});
  Node("st", "Switch", {"mt", "oc"});
  enter("ii", "si:1", "in", false);
  enter("i1", "o1", "in", true);
  enter("i5", "o5", "in", true);
  Node("imi", "Merge", {"ii", "ini"});
  Node("il", "Less", {"imi", "i5"});
  Node("ic", "LoopCond", {"il"});
  Node("isi", "Switch", {"imi", "ic"});
  Node("iinc", "AddV2", {"isi:1", "i1"});
  Probe("inner", "iinc");
  Node("ini", "NextIteration", {"inner"});
  Node("ix", "Exit", {"isi"});
  Node("oinc", "AddV2", {"si:1", "o1"});
  Node("tot", "AddV2", {"st:1", "ix"});
  Node("ni", "NextIteration", {"oinc"});
  Node("nt", "NextIteration", {"tot"});
  Node("xt", "Exit", {"st"});
  Probe("total", "xt");
  const auto plan = Compile();
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (int round = 0; round < 20; ++round) {
    seen_.clear();
    const Status status = RunPlan(*plan);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(seen_["inner"].size(), 5u + 4u + 3u);
    EXPECT_EQ(seen_["total"], std::vector<int32_t>{15});
  }
}

TEST_F(ExecutorTest, InputsFromDifferentFramesAreRefused) {
  Const("zero", 0);
  Node("e", "Enter", {"zero"}, {{"frame_name", "f"}});
  Node("i", "Identity", {"zero"});
  Node("bad", "AddV2", {"e", "i"});
  const Status status = Compile().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(Message(status).find("'bad'"), std::string::npos);
}

TEST_F(ExecutorTest, AnAsynchronousNodeHoldsNoThread) {
  auto held = std::make_shared<HeldKernel>();
  kernels_["Placeholder"] = [held](const graph::Node&) { return held; };
  Node("p", "Placeholder", {}, {{"dtype", DType::kInt32}});
  Probe("v", "p");
  const auto plan = Compile();
  ASSERT_TRUE(plan.ok());
  bool ended = false;
  executor::Run(*plan, {.context = &context_, .pool = &pool_}, [&](Status) { ended = true; });
  EXPECT_FALSE(ended);
  std::move(held->held)(OkStatus());
  EXPECT_TRUE(ended);
  EXPECT_EQ(seen_["v"], std::vector<int32_t>{5});
}

TEST_F(ExecutorTest, NothingOfAStepIsLeftWhenItsEndIsTold) {
  auto held = std::make_shared<HeldKernel>();
  kernels_["Placeholder"] = [&held](const graph::Node&) { return held; };
  Node("p", "Placeholder", {}, {{"dtype", DType::kInt32}});
  auto plan = Compile();
  ASSERT_TRUE(plan.ok());
  const std::weak_ptr<const Plan> weak = *plan;
  bool was_gone = false;
  executor::Run(*std::move(plan), {.context = &context_, .pool = &pool_},
                [&](Status) { was_gone = weak.expired(); });
  plan = NotFound("moved");
  DoneCallback end = std::move(held->held);
  std::move(end)(OkStatus());
  EXPECT_TRUE(was_gone);
}

TEST_F(ExecutorTest, AStoppedStepStartsNoNodeAndIsDerived) {
  auto held = std::make_shared<HeldKernel>();
  kernels_["Placeholder"] = [held](const graph::Node&) { return held; };
  Node("p", "Placeholder", {}, {{"dtype", DType::kInt32}});
  Probe("v", "p");
  const auto plan = Compile();
  ASSERT_TRUE(plan.ok());
  Status result;
  executor::Run(*plan, {.context = &context_, .pool = &pool_}, [&](Status s) { result = s; });
  stop_.request_stop();
  std::move(held->held)(OkStatus());
  EXPECT_EQ(result.code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(result));
  EXPECT_TRUE(seen_["v"].empty());
}

TEST_F(ExecutorTest, AnUninitializedVariableIsFailedPrecondition) {
  auto variable = std::make_shared<kernel::RefVariable>("v", DType::kInt32);
  Define("VariableV2", [variable](KernelContext& c) {
    c.set_output_ref(0, variable);
    return OkStatus();
  });
  Node("v", "VariableV2", {}, {{"dtype", DType::kInt32}, {"shape", Shape{}}});
  Probe("read", "v");
  const Status status = Run();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(status).find("Attempting to use uninitialized value v"), 0u);
}

TEST_F(ExecutorTest, AChainOfAHundredThousandNodesNeedsNoStack) {
  Const("a", 1);
  std::string last = "a";
  for (int i = 0; i < 100'000; ++i) {
    Node("n" + std::to_string(i), "Identity", {last});
    last = "n" + std::to_string(i);
  }
  Probe("end", last);
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(seen_["end"], std::vector<int32_t>{1});
}

}  // namespace
}  // namespace rheo::executor
