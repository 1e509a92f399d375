#include "rheo/worker/graph_run.h"

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace rheo::worker {
namespace {

// Steps that keep the calling thread longer than this go to the pool when the thread is a poller.
constexpr uint32_t kMaxPollerMicros = 20;

class Timeline final : public trace::StepObserver {
 public:
  void OnNode(std::string_view device, trace::NodeStats stats) override {
    MutexLock lock(mutex_);
    nodes_[std::string(device)].push_back(std::move(stats));
  }
  // The begin of a part, as TensorFlow shows it: a node in front of all others.
  void OnStart(std::string_view device) {
    const int64_t now = trace::NowNanos();
    OnNode(device, {.node_name = "_SOURCE",
                    .label = "_SOURCE = NoOp()",
                    .start_nanos = now,
                    .scheduled_nanos = now});
  }
  void MoveInto(trace::StepStats& stats) {
    MutexLock lock(mutex_);
    for (auto& [device, nodes] : nodes_) {
      stats.devices.push_back({.device = device, .nodes = std::move(nodes)});
    }
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::vector<trace::NodeStats>> nodes_ RHEO_GUARDED_BY(mutex_);
};

class GraphRun;

// The measured run that this thread is inside of, and when its last part ended here.
struct Measured {
  const GraphRun* run = nullptr;
  std::chrono::steady_clock::time_point end;
};
thread_local Measured measured;

class GraphRun : public std::enable_shared_from_this<GraphRun> {
 public:
  GraphRun(GraphRunArgs args, DoneCallback done) : args_(std::move(args)), done_(std::move(done)) {}

  // The caller holds the run until this returns: the last part may end inside.
  void Start() {
    const size_t num_parts = args_.graph->parts.size();
    parts_left_.store(static_cast<int>(num_parts), std::memory_order_relaxed);
    if (args_.stop.stop_possible()) {
      // Gone before the run is; but the run may end while it is being stopped.
      on_stop_.emplace(args_.stop, [this] {
        const auto self = shared_from_this();
        Stop();
      });
    }
    if (num_parts == 0) {
      AllPartsEnded();
      return;
    }
    if (args_.exec.record_timeline || args_.exec.record_costs) timeline_.emplace();
    contexts_.resize(num_parts);
    for (size_t i = 0; i < num_parts; ++i) Prepare(i);
    const bool poller = !args_.use_calling_thread;
    const bool inline_on_caller =
        !poller || args_.graph->inline_micros.load(std::memory_order_relaxed) <= kMaxPollerMicros;
    for (size_t i = 0; i < num_parts; ++i) {
      // Parts but the last go to the pool, so that all of them make progress at once.
      RunPart(i, i + 1 == num_parts && inline_on_caller, poller);
    }
  }

 private:
  void Prepare(size_t i) {
    const RegisteredGraph::Part& part = args_.graph->parts[i];
    contexts_[i] = {.step = args_.state->step,
                    .stop = args_.state->stop.get_token(),
                    .rendezvous = args_.state->rendezvous.get(),
                    .device = part.device,
                    .resources = part.resources,
                    .step_resources = &args_.state->resources,
                    .intra_op_pool = args_.env->intra_op_pool,
                    .functions = part.functions.get(),
                    .collectives = args_.env->collectives};
  }

  void RunPart(size_t i, bool inline_on_caller, bool poller) {
    if (timeline_) timeline_->OnStart(args_.graph->parts[i].device->info().name);
    executor::RunArgs run{.context = &contexts_[i],
                          .pool = args_.env->inter_op_pool,
                          .inline_on_caller = inline_on_caller,
                          .observer = timeline_ ? &*timeline_ : nullptr,
                          .on_error = [this](const Status& s) { OnError(s); },
                          .waiting = args_.env->waiting_ops};
    if (args_.graph->routes->pushes) {
      run.on_pause = [this] { args_.state->rendezvous->FlushPushes(); };
    }
    const bool measure = poller && args_.graph->parts.size() == 1;
    if (measure && !inline_on_caller) {
      args_.env->inter_op_pool->Schedule([this, self = shared_from_this(), i, run]() mutable {
        run.inline_on_caller = true;
        RunMeasured(i, std::move(run));
      });
    } else if (measure) {
      RunMeasured(i, std::move(run));
    } else {
      Execute(i, std::move(run));
    }
  }

  // Measures how long the part keeps this thread. What comes after its end (sending the answer, the
  // next task's work) does not count.
  void RunMeasured(size_t i, executor::RunArgs run) {
    const std::shared_ptr<RegisteredGraph> graph = args_.graph;
    const auto start = std::chrono::steady_clock::now();
    const Measured outer = std::exchange(measured, {.run = this, .end = {}});
    Execute(i, std::move(run));
    const Measured inner = std::exchange(measured, outer);
    const auto end = inner.run == nullptr ? inner.end : std::chrono::steady_clock::now();
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(end - start).count();
    const uint32_t old = graph->inline_micros.load(std::memory_order_relaxed);
    const auto now = static_cast<uint32_t>(std::min<int64_t>(micros, 1'000'000));
    graph->inline_micros.store(old - old / 4 + now / 4, std::memory_order_relaxed);
  }

  void Execute(size_t i, executor::RunArgs run) {
    executor::Run(
        args_.graph->parts[i].plan, std::move(run),
        [self = shared_from_this()](Status status) { self->PartEnded(std::move(status)); });
  }

  void OnError(const Status& status) { args_.state->Stop(status); }

  void Stop() { args_.state->Stop(Cancelled("Step {} was cancelled", args_.state->step.value)); }

  void NoteStatus(Status status) {
    if (status.ok()) return;
    MutexLock lock(mutex_);
    if (status_.ok() || (IsDerived(status_) && !IsDerived(status))) status_ = std::move(status);
  }

  void PartEnded(Status status) {
    NoteStatus(std::move(status));
    // Acquire and release: the last one sees the status of all others.
    if (parts_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) AllPartsEnded();
  }

  void AllPartsEnded() {
    if (measured.run == this) measured = {.run = nullptr, .end = std::chrono::steady_clock::now()};
    if (timeline_) return AwaitStreams(0);
    Collect();
  }

  // What is traced ends when the devices have done their work: only then all its times are known.
  void AwaitStreams(size_t part) {
    device::Stream* stream = nullptr;
    while (stream == nullptr && part < args_.graph->parts.size()) {
      stream = args_.graph->parts[part++].device->stream();
    }
    if (stream == nullptr) return Collect();
    stream->WhenDone([self = shared_from_this(), part](Status status) {
      self->NoteStatus(std::move(status));
      self->AwaitStreams(part);
    });
  }

  void Collect() {
    if (timeline_ && args_.step_stats != nullptr) timeline_->MoveInto(*args_.step_stats);
    if (args_.pushed != nullptr && !args_.answer_carries_for.empty()) {
      *args_.pushed = args_.state->rendezvous->TakePushes(args_.answer_carries_for);
    }
    if (!args_.graph->routes->pushes) return Answer(OkStatus());
    args_.state->rendezvous->WhenPushed(
        [self = shared_from_this()](Status pushed) { self->Answer(std::move(pushed)); });
  }

  void Answer(Status pushed) {
    Status status;
    {
      MutexLock lock(mutex_);
      if (status_.ok()) status_ = std::move(pushed);
      status = status_;
    }
    on_stop_.reset();
    DoneCallback done = std::move(done_);
    std::move(done)(std::move(status));
  }

  GraphRunArgs args_;
  DoneCallback done_;
  std::optional<StopCallback> on_stop_;
  std::optional<Timeline> timeline_;
  absl::InlinedVector<kernel::StepContext, 1> contexts_;
  std::atomic<int> parts_left_{0};
  Mutex mutex_;
  Status status_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace

void RunGraphParts(GraphRunArgs args, DoneCallback done) {
  std::make_shared<GraphRun>(std::move(args), std::move(done))->Start();
}

}  // namespace rheo::worker
