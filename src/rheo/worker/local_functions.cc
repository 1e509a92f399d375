#include "rheo/worker/local_functions.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/mutex.h"
#include "rheo/executor/executor.h"
#include "rheo/graph/function.h"
#include "rheo/graph/import.h"
#include "rheo/rendezvous/local_rendezvous.h"
#include "rheo/worker/registered_graph.h"

namespace rheo::worker {
namespace {

// A function that calls itself without end is stopped here, before memory is: a call takes a few
// KiB.
constexpr int kMaxCallsOfAStep = 20'000;

// Calls inside calls run on the calling thread only this deep; the next one begins on a stack of
// its own.
constexpr int kMaxInlineCalls = 32;
thread_local int inline_calls = 0;

// A compiled body.
struct Function {
  op::FuncRef ref;
  std::shared_ptr<const executor::Plan> plan;
  size_t num_args = 0;
  size_t num_returns = 0;
};

// One call, alive until its callback ran.
struct RunningCall {
  rendezvous::LocalRendezvous rendezvous;
  kernel::ResourceManager resources{"call"};
  kernel::CallFrame frame;
  kernel::StepContext context;
};

class LocalFunctions final : public kernel::FunctionCaller {
 public:
  LocalFunctions(graph::FunctionLibraryRef library, const WorkerEnv& env, SessionDevice device)
      : library_(std::move(library)), env_(env), device_(device) {}

  StatusOr<kernel::FunctionId> Instantiate(const op::FuncRef& ref) override {
    {
      MutexLock lock(mutex_);
      for (size_t i = 0; i < functions_.size(); ++i) {
        if (functions_[i]->ref == ref) return kernel::FunctionId{static_cast<int>(i)};
      }
    }
    auto made = std::make_shared<Function>();
    made->ref = ref;
    RHEO_ASSIGN_OR_RETURN(const graph::FunctionBody body,
                          graph::InstantiateFunction(ref, library_, *env_.ops));
    made->num_args = body.arg_types.size();
    made->num_returns = body.return_types.size();
    for (graph::Node* node : body.graph->nodes()) {
      RHEO_RETURN_IF_ERROR(CheckDevice(ref.name, *node));
      node->set_assigned_device(device_.device->info().name);
    }
    RHEO_ASSIGN_OR_RETURN(made->plan,
                          executor::Plan::Compile(*body.graph, [&](const graph::Node& node) {
                            return KernelFor(node, env_, *device_.device, nullptr);
                          }));
    MutexLock lock(mutex_);
    functions_.push_back(std::move(made));
    return kernel::FunctionId{static_cast<int>(functions_.size()) - 1};
  }

  void Run(kernel::FunctionId id, RunArgs args, Callback done) override {
    std::shared_ptr<const Function> function;
    {
      MutexLock lock(mutex_);
      if (id.value >= 0 && id.value < static_cast<int>(functions_.size())) {
        function = functions_[static_cast<size_t>(id.value)];
      }
    }
    if (function == nullptr) {
      std::move(done)(Internal("there is no function with the id {}", id.value));
      return;
    }
    if (args.inputs.size() != function->num_args) {
      std::move(done)(InvalidArgument("function '{}' takes {} arguments, not {}",
                                      function->ref.name, function->num_args, args.inputs.size()));
      return;
    }
    if (!Enter(args.step)) {
      std::move(done)(ResourceExhausted(
          "{} calls of functions are open at once in this step, the last one of '{}'; does it call "
          "itself without end?",
          kMaxCallsOfAStep, function->ref.name));
      return;
    }
    const StepId step = args.step;
    auto call = std::make_shared<RunningCall>();
    call->frame.arguments = std::move(args.inputs);
    call->frame.results.resize(function->num_returns);
    call->context = {.step = args.step,
                     .stop = std::move(args.stop),
                     .rendezvous = &call->rendezvous,
                     .device = device_.device,
                     .resources = device_.resources,
                     .step_resources = &call->resources,
                     .intra_op_pool = env_.intra_op_pool,
                     .functions = this,
                     .call = &call->frame,
                     .collectives = env_.collectives};
    executor::RunArgs run{.context = &call->context,
                          .pool = env_.inter_op_pool,
                          .inline_on_caller = inline_calls < kMaxInlineCalls,
                          .on_error = [call](const Status& s) { call->rendezvous.Abort(s); },
                          .waiting = env_.waiting_ops};
    ++inline_calls;
    executor::Run(function->plan, std::move(run),
                  [this, step, call, done = std::move(done)](Status status) mutable {
                    Leave(step);
                    if (!status.ok()) {
                      std::move(done)(std::move(status));
                    } else {
                      std::move(done)(std::move(call->frame.results));
                    }
                  });
    --inline_calls;
  }

 private:
  bool Enter(StepId step) {
    MutexLock lock(mutex_);
    int& calls = calls_of_[step];
    if (calls >= kMaxCallsOfAStep) return false;
    ++calls;
    return true;
  }
  void Leave(StepId step) {
    MutexLock lock(mutex_);
    const auto it = calls_of_.find(step);
    if (--it->second == 0) calls_of_.erase(it);
  }

  Status CheckDevice(const std::string& function, const graph::Node& node) const {
    if (node.requested_device().empty()) return OkStatus();
    RHEO_ASSIGN_OR_RETURN(const device::DeviceName asked,
                          device::DeviceName::Parse(node.requested_device()));
    if (asked.TaskPart().IsCompatibleWith(device_.device->name())) return OkStatus();
    return InvalidArgument(
        "Cannot assign a device for operation {} of function '{}': it asks for {}, but the "
        "function "
        "runs on {}",
        node.name(), function, node.requested_device(), device_.device->info().name);
  }

  const graph::FunctionLibraryRef library_;
  const WorkerEnv& env_;
  const SessionDevice device_;
  Mutex mutex_;
  std::vector<std::shared_ptr<const Function>> functions_ RHEO_GUARDED_BY(mutex_);
  // Calls that have not answered.
  absl::flat_hash_map<StepId, int> calls_of_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<kernel::FunctionCaller> MakeLocalFunctions(graph::FunctionLibraryRef library,
                                                           const WorkerEnv& env,
                                                           SessionDevice device) {
  return std::make_unique<LocalFunctions>(std::move(library), env, device);
}

}  // namespace rheo::worker
