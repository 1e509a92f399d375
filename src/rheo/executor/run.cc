// Running the nodes of a step: on the calling thread where that is cheaper than handing over.

#include <chrono>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rheo/executor/step.h"

namespace rheo::executor {
namespace {

using kernel::KernelContext;
using kernel::Value;

// Kernels that take longer than this are handed to another thread when there is other work.
constexpr uint32_t kExpensiveNanos = 20'000;
// Every so many steps the kernels' times are measured.
constexpr uint32_t kSampleEvery = 64;
constexpr uint32_t kAlwaysSampleFirst = 4;
// A continuation runs on the thread that brought its value only this deep; beyond that it goes to
// the pool, so that parts that feed each other do not pile up on one stack.
constexpr int kMaxInlineDepth = 4;

thread_local int inline_depth = 0;

int64_t MonotonicNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Rheo throws nothing, but libraries do: for memory that is not there, of a size from outside, or
// when the system refuses them something. It ends here, with the node and not with the process.
template <typename Call>
Status WithoutExceptions(Call call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("there is not enough memory");
  } catch (const std::length_error&) {
    return ResourceExhausted("there is no memory of that size");
  } catch (const std::exception& e) {
    return Internal("the kernel threw: {}", e.what());
  }
}

KernelContext::Params ContextParams(const kernel::StepContext* step, const NodeItem& node,
                                    Iteration& iteration, bool dead) {
  return {
      .step = step,
      .types = node.types,
      .inputs = {iteration.values.data() + node.input_start, static_cast<size_t>(node.num_inputs)},
      .outputs = {iteration.values.data() + node.output_start,
                  static_cast<size_t>(node.num_outputs)},
      .frame = iteration.frame == nullptr ? 0 : iteration.frame->id,
      .iteration = iteration.number,
      .is_dead = dead};
}

}  // namespace

// An asynchronous kernel between ComputeAsync and its callback.
struct Step::Suspended {
  Suspended(const KernelContext::Params& params, const Ready& r, int64_t start)
      : context(params), ready(r), start_nanos(start) {}
  KernelContext context;
  Ready ready;
  int64_t start_nanos;
  uint64_t waiting_id = 0;  // in RunArgs::waiting; 0: not listed
  Status status;
  // Whoever comes second (the caller of ComputeAsync or the callback) goes on with the node. After
  // an exception it is the caller, and a callback that comes nevertheless is of no account.
  enum class First { kNobody, kOne, kThrown };
  std::atomic<First> first{First::kNobody};

  // Whether it is `who` that came first.
  bool ComesFirst(First who) {
    First nobody = First::kNobody;
    return first.compare_exchange_strong(nobody, who, std::memory_order_acq_rel);
  }
  bool has_thrown() const { return first.load(std::memory_order_acquire) == First::kThrown; }
};

void Step::Start(std::unique_ptr<Step> self, std::shared_ptr<const PlanImpl> plan, RunArgs args,
                 DoneCallback done) {
  Step& step = *self;
  step.self_ = std::move(self);
  step.keep_plan_ = std::move(plan);
  step.args_ = std::move(args);
  step.done_ = std::move(done);
  const uint32_t number = step.plan_.steps_started.fetch_add(1, std::memory_order_relaxed);
  const device::Device* const device = step.args_.context->device;
  step.on_accelerator_ = device != nullptr && !device->is_host_memory();
  step.sample_costs_ = number < kAlwaysSampleFirst || number % kSampleEvery == 0;
  // One more, for this call: nothing can finish the step while roots are being started.
  step.outstanding_.store(static_cast<int64_t>(step.plan_.roots.size()) + 1,
                          std::memory_order_relaxed);
  if (step.args_.inline_on_caller) {
    step.RunRoots();
  } else {
    step.args_.pool->Schedule([&step] { step.RunRoots(); });
  }
}

void Step::RunRoots() {
  ReadyList roots;
  for (const int root : plan_.roots) {
    const NodeItem& node = plan_.nodes[static_cast<size_t>(root)];
    if (plan_.has_frames()) ++root_.outstanding_nodes;
    roots.push_back({&node, &root_, false});
  }
  if (!roots.empty()) Process(std::move(roots), Caller::kRoots);
  if (outstanding_.load(std::memory_order_acquire) > 1) Pause();
  if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish();
}

bool Step::Stopping() const {
  return failed_.load(std::memory_order_acquire) || args_.context->stop.stop_requested();
}

void Step::Process(ReadyList work, Caller caller) {
  const bool may_keep = caller != Caller::kGuest;
  const bool pauses = caller != Caller::kRoots && args_.on_pause != nullptr;
  size_t next = 0;
  ReadyList newly_ready;
  while (next < work.size()) {
    const Ready ready = work[next++];
    if (next == work.size()) {
      work.clear();
      next = 0;
    }
    // Expensive work goes to other threads while there is something else to do here.
    const bool expensive = plan_.cost_ns[static_cast<size_t>(ready.node->index)].load(
                               std::memory_order_relaxed) > kExpensiveNanos &&
                           ready.node->async == nullptr;
    // Once the last node is handed over or suspended, the step may end at any time.
    const bool is_last = next == work.size();
    if (is_last && pauses && (expensive || ready.node->async != nullptr)) Pause();
    if (expensive && args_.pool != nullptr && (!is_last || !may_keep)) {
      args_.pool->Schedule([this, ready] { Process(ReadyList{ready}, Caller::kPool); });
      continue;
    }
    if (!RunNode(ready)) continue;
    newly_ready.clear();
    FinishNode(ready, newly_ready);
    for (const Ready& r : newly_ready) work.push_back(r);
    const auto change = static_cast<int64_t>(newly_ready.size()) - 1;
    if (change < 0 && pauses && work.empty() && outstanding_.load(std::memory_order_acquire) > 1) {
      Pause();
    }
    if (change > 0) {
      outstanding_.fetch_add(change, std::memory_order_relaxed);
    } else if (change < 0 && outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Finish();
      return;
    }
  }
}

void Step::FinishNode(const Ready& ready, ReadyList& newly_ready) {
  if (!failed_.load(std::memory_order_acquire)) Propagate(ready, newly_ready);
  // In a loop the iteration may be gone by now, with its values.
  if (plan_.has_frames()) return;
  Value* const out = outputs(*ready.node, *ready.iteration);
  for (int i = 0; i < ready.node->num_outputs; ++i) {
    if (out[i].state != Value::State::kAbsent) out[i] = Value();
  }
}

bool Step::RunNode(const Ready& ready) {
  const NodeItem& node = *ready.node;
  if (Stopping()) {
    dirty_.store(true, std::memory_order_relaxed);
    if (!failed_.load(std::memory_order_acquire)) {
      Fail(node, AsDerived(Cancelled("the step was stopped")));
    }
    return true;
  }
  if (ready.dead && node.kind != NodeKind::kTransfer) return true;
  if (node.check_inputs && !ready.dead) {
    if (Status status = PrepareInputs(node, *ready.iteration); !status.ok()) {
      Fail(node, std::move(status));
      return true;
    }
  }
  if (node.kind != NodeKind::kOrdinary && ForwardNatively(ready)) return true;
  if (node.async != nullptr) return RunAsync(ready);
  RunSync(ready);
  return true;
}

bool Step::ForwardNatively(const Ready& ready) {
  const NodeItem& node = *ready.node;
  Value* const in = inputs(node, *ready.iteration);
  Value* const out = outputs(node, *ready.iteration);
  switch (node.kind) {
    case NodeKind::kEnter:
    case NodeKind::kConstantEnter:
    case NodeKind::kExit:
    case NodeKind::kNextIteration:
    case NodeKind::kLoopCond:
      out[0] = std::move(in[0]);
      out[0].state = Value::State::kLive;
      in[0] = Value();
      return true;
    case NodeKind::kMerge: {
      int live = 0;
      while (live + 1 < node.num_inputs && in[live].state != Value::State::kLive) ++live;
      out[0] = std::move(in[live]);
      in[live] = Value();
      if (node.num_outputs > 1) {
        out[1].tensor = Tensor::Scalar<int32_t>(live);
        out[1].state = Value::State::kLive;
      }
      return true;
    }
    default:
      return false;
  }
}

void Step::RunSync(const Ready& ready) {
  const NodeItem& node = *ready.node;
  Iteration& iteration = *ready.iteration;
  const bool traced = args_.observer != nullptr;
  const bool timed = sample_costs_ || traced;
  const int64_t start_wall = traced ? trace::NowNanos() : 0;
  const int64_t start = timed ? MonotonicNanos() : 0;
  KernelContext context(ContextParams(args_.context, node, iteration, ready.dead));
  std::optional<trace::DeviceWorkScope> scope;
  if (on_accelerator_) scope.emplace(DeviceWorkOf(node));
  Status status = WithoutExceptions([&] { return node.kernel->Compute(context); });
  scope.reset();
  if (timed) {
    const int64_t elapsed = MonotonicNanos() - start;
    std::atomic<uint32_t>& cost = plan_.cost_ns[static_cast<size_t>(node.index)];
    const uint32_t old = cost.load(std::memory_order_relaxed);
    const auto now = static_cast<uint32_t>(std::min<int64_t>(elapsed, UINT32_MAX / 2));
    cost.store(old == 0 ? now : old - old / 4 + now / 4, std::memory_order_relaxed);
    if (traced) Trace(ready, start_wall, start_wall + elapsed);
  }
  for (int i = 0; i < node.num_inputs; ++i) inputs(node, iteration)[i] = Value();
  if (status.ok()) status = CheckOutputs(node, iteration);
  if (!status.ok()) Fail(node, std::move(status));
}

bool Step::RunAsync(const Ready& ready) {
  const NodeItem& node = *ready.node;
  const int64_t start = args_.observer != nullptr ? trace::NowNanos() : 0;
  auto suspended = std::make_shared<Suspended>(
      ContextParams(args_.context, node, *ready.iteration, ready.dead), ready, start);
  if (node.may_wait && args_.waiting != nullptr) {
    suspended->waiting_id = args_.waiting->Add(args_.context->step, node.label);
  }
  std::optional<trace::DeviceWorkScope> scope;
  if (on_accelerator_) scope.emplace(DeviceWorkOf(node));
  auto done = [this, suspended](Status status) {
    suspended->status = std::move(status);
    if (suspended->ComesFirst(Suspended::First::kOne) || suspended->has_thrown()) return;
    if (suspended->waiting_id != 0) args_.waiting->Remove(suspended->waiting_id);
    // ComputeAsync has returned: the node goes on here, or on the pool when this thread is deep in
    // other steps already.
    if (inline_depth < kMaxInlineDepth || args_.pool == nullptr) {
      ++inline_depth;
      Resume(suspended->ready, std::move(suspended->status));
      --inline_depth;
    } else {
      args_.pool->Schedule(
          [this, suspended] { Resume(suspended->ready, std::move(suspended->status)); });
    }
  };
  Status status = WithoutExceptions([&] {
    node.async->ComputeAsync(suspended->context, std::move(done));
    return OkStatus();
  });
  scope.reset();
  const bool first =
      suspended->ComesFirst(status.ok() ? Suspended::First::kOne : Suspended::First::kThrown);
  if (first && status.ok()) return false;
  // The callback ran inside ComputeAsync already, or never will.
  if (!first) status = std::move(suspended->status);
  if (suspended->waiting_id != 0) args_.waiting->Remove(suspended->waiting_id);
  if (args_.observer != nullptr) Trace(ready, start, trace::NowNanos());
  for (int i = 0; i < node.num_inputs; ++i) inputs(node, *ready.iteration)[i] = Value();
  if (status.ok()) status = CheckOutputs(node, *ready.iteration);
  if (!status.ok()) Fail(node, std::move(status));
  return true;
}

void Step::Resume(const Ready& ready, Status status) {
  const NodeItem& node = *ready.node;
  for (int i = 0; i < node.num_inputs; ++i) inputs(node, *ready.iteration)[i] = Value();
  if (status.ok()) status = CheckOutputs(node, *ready.iteration);
  if (!status.ok()) Fail(node, std::move(status));
  ReadyList newly_ready;
  FinishNode(ready, newly_ready);
  const auto change = static_cast<int64_t>(newly_ready.size()) - 1;
  if (change > 0) outstanding_.fetch_add(change, std::memory_order_relaxed);
  if (change < 0) {
    if (outstanding_.load(std::memory_order_acquire) > 1) Pause();
    if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) Finish();
    return;
  }
  // A guest on this thread: whatever is expensive goes to the pool.
  Process(std::move(newly_ready), Caller::kGuest);
}

Status Step::PrepareInputs(const NodeItem& node, Iteration& iteration) {
  Value* const in = inputs(node, iteration);
  for (int i = 0; i < node.num_inputs; ++i) {
    const InputItem& item = plan_.input(node, i);
    Value& value = in[i];
    if (item.constant != nullptr) {
      value.tensor = *item.constant;
      value.state = Value::State::kLive;
      continue;
    }
    if (value.ref == nullptr) {
      if (item.takes_ref && value.state == Value::State::kLive) {
        return InvalidArgument("{}-th input expects a ref type", i);
      }
      continue;
    }
    if (item.takes_ref && node.allows_uninitialized) continue;
    MutexLock lock(value.ref->mutex);
    if (!value.ref->tensor.has_value() && !node.allows_uninitialized) {
      return FailedPrecondition("Attempting to use uninitialized value {}", value.ref->name());
    }
    if (item.takes_ref) continue;
    value.tensor = value.ref->tensor;
    lock.Unlock();
    value.ref.reset();
  }
  return OkStatus();
}

Status Step::CheckOutputs(const NodeItem& node, Iteration& iteration) {
  Value* const out = outputs(node, iteration);
  for (int i = 0; i < node.num_outputs; ++i) {
    const Value& value = out[i];
    if (value.state == Value::State::kLive) {
      const DType declared = node.types->outputs[static_cast<size_t>(i)];
      if (value.ref == nullptr && value.tensor.dtype() != declared) {
        return Internal(
            "Output {} of type {} does not match declared output type {} for node "
            "{{{{node {}}}}}",
            i, DTypeName(value.tensor.dtype()), DTypeName(declared), node.name);
      }
      if (value.ref != nullptr && MakeRef(value.ref->dtype()) != declared) {
        return Internal(
            "Output {} of type {}_ref does not match declared output type {} for node "
            "{{{{node {}}}}}",
            i, DTypeName(value.ref->dtype()), DTypeName(declared), node.name);
      }
    } else if (value.state == Value::State::kAbsent && !node.may_leave_outputs) {
      return Internal("Missing {}-th output from {{{{node {}}}}}", i, node.name);
    }
  }
  return OkStatus();
}

void Step::Fail(const NodeItem& node, Status status) {
  dirty_.store(true, std::memory_order_relaxed);
  const bool consequence =
      args_.context->stop.stop_requested() &&
      (status.code() == StatusCode::kCancelled || status.code() == StatusCode::kAborted);
  if (consequence) status = AsDerived(std::move(status));
  if (status.code() == StatusCode::kUnavailable && !node.is_communication) {
    // Training loops take UNAVAILABLE for a lost task; a kernel's own trouble is none.
    status = Internal("{}", Message(status));
  }
  status = Append(status, fmt::format("\n\t [[{{{{node {}}}}}]]", node.name));
  {
    MutexLock lock(mutex_);
    if (!status_.ok()) {
      // A root error takes the place of a consequence that was quicker.
      if (IsDerived(status_) && !IsDerived(status)) status_ = std::move(status);
      return;
    }
    status_ = status;
  }
  failed_.store(true, std::memory_order_release);
  if (args_.on_error) args_.on_error(status);
}

void Step::Finish() {
  std::unique_ptr<Step> self = std::move(self_);
  std::shared_ptr<const PlanImpl> plan = std::move(keep_plan_);
  DoneCallback done = std::move(done_);
  const bool dirty = dirty_.exchange(false, std::memory_order_relaxed) || plan_.has_frames();
  Status status;
  if (dirty) {
    MutexLock lock(mutex_);
    status = std::exchange(status_, OkStatus());
    frames_.clear();
    frame_by_key_.clear();
  }
  args_ = RunArgs();
  failed_.store(false, std::memory_order_relaxed);
  root_.Reset(plan_, plan_.frames[0], dirty);
  plan->ReturnStep(std::move(self));
  // The kernels, where this was the last to hold them, and this step go before the caller is told:
  // it may give up what they use.
  plan.reset();
  std::move(done)(std::move(status));
}

void Step::Trace(const Ready& ready, int64_t start_nanos, int64_t end_nanos) {
  if (ready.node->kind == NodeKind::kTransfer) return;
  trace::NodeStats stats;
  stats.node_name = ready.node->name;
  stats.label = ready.node->label;
  stats.start_nanos = start_nanos;
  stats.scheduled_nanos = start_nanos;
  stats.op_end_rel_nanos = end_nanos - start_nanos;
  stats.end_rel_nanos = end_nanos - start_nanos;
  const Value* const out = outputs(*ready.node, *ready.iteration);
  for (int i = 0; i < ready.node->num_outputs; ++i) {
    if (out[i].state != Value::State::kLive || out[i].ref != nullptr) continue;
    const Tensor& tensor = out[i].tensor;
    stats.outputs.push_back({.slot = i,
                             .dtype = static_cast<int>(tensor.dtype()),
                             .dims = {tensor.shape().dims().begin(), tensor.shape().dims().end()},
                             .num_bytes = static_cast<int64_t>(tensor.num_bytes())});
  }
  args_.observer->OnNode(args_.context->device->info().name, std::move(stats));
}

std::shared_ptr<const trace::DeviceWork> Step::DeviceWorkOf(const NodeItem& node) const {
  if (args_.observer == nullptr) return nullptr;
  return std::make_shared<const trace::DeviceWork>(
      *args_.observer, args_.context->device->info().name, node.name, node.label);
}

void Run(std::shared_ptr<const Plan> plan, RunArgs args, DoneCallback done) {
  auto impl = std::static_pointer_cast<const PlanImpl>(std::move(plan));
  std::unique_ptr<Step> step = impl->TakeStep();
  Step::Start(std::move(step), std::move(impl), std::move(args), std::move(done));
}

}  // namespace rheo::executor
