// While: calls the condition and the body in turn.
#include <atomic>
#include <memory>
#include <utility>

#include "rheo/ops/functional/call.h"
#include "rheo/ops/functional/kernels.h"
#include "rheo/ops/functional/truth.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

struct LoopFunctions {
  op::FuncRef condition;
  op::FuncRef body;
};

// One running loop. Each call is a turn: of the condition, then of the body if it held. A call that
// ends inside CallFunction is followed by the next one on the same thread in a loop, not by
// recursion, so that the number of turns does not matter.
class RunningLoop : public std::enable_shared_from_this<RunningLoop> {
 public:
  RunningLoop(KernelContext& context, const LoopFunctions& functions, DoneCallback done)
      : context_(context),
        functions_(functions),
        done_(std::move(done)),
        values_(TakeInputs(context, 0)) {}

  // Runs turns until one is left to another thread, or the loop is over.
  void Drive() {
    do {
      if (context_.stop().stop_requested()) {
        return done_(AsDerived(Cancelled("the loop was stopped")));
      }
      met_.store(false, std::memory_order_relaxed);
      StartTurn();
      // Whoever comes second, this thread or the callback, goes on.
      if (!met_.exchange(true, std::memory_order_acq_rel)) return;
    } while (FinishTurn());
  }

 private:
  // The body gets the values for itself, so that it may reuse their buffers.
  void StartTurn() {
    CallFunction(context_, in_body_ ? functions_.body : functions_.condition,
                 in_body_ ? std::move(values_) : values_,
                 [self = shared_from_this()](StatusOr<std::vector<Tensor>> results) {
                   self->results_ = std::move(results);
                   if (self->met_.exchange(true, std::memory_order_acq_rel) && self->FinishTurn()) {
                     self->Drive();
                   }
                 });
  }

  // Takes up the results. False when the loop is over, and `done_` was called.
  bool FinishTurn() {
    const Status status = TakeResults();
    if (status.ok() && !is_over_) return true;
    done_(status.ok() ? SetOutputs(context_, std::move(values_)) : status);
    return false;
  }

  Status TakeResults() {
    RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> results, std::move(results_));
    if (in_body_) {
      if (static_cast<int>(results.size()) != context_.num_outputs()) {
        return InvalidArgument("the body of the loop gave {} results for {} loop variables",
                               results.size(), context_.num_outputs());
      }
      values_ = std::move(results);
    } else {
      if (results.size() != 1) {
        return InvalidArgument("the condition of the loop gave {} results, must be one",
                               results.size());
      }
      RHEO_ASSIGN_OR_RETURN(const bool holds, IsTrue(results[0]));
      is_over_ = !holds;
    }
    in_body_ = !in_body_;
    return OkStatus();
  }

  KernelContext& context_;
  const LoopFunctions& functions_;  // the kernel's
  DoneCallback done_;
  std::vector<Tensor> values_;  // of the loop variables
  // Between a turn's start and its end `results_` is the callback's.
  StatusOr<std::vector<Tensor>> results_ = std::vector<Tensor>();
  std::atomic<bool> met_{false};
  bool in_body_ = false;
  bool is_over_ = false;
};

class WhileKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    LoopFunctions functions;
    RHEO_ASSIGN_OR_RETURN(functions.condition, init.attrs.Get<op::FuncRef>("cond"));
    RHEO_ASSIGN_OR_RETURN(functions.body, init.attrs.Get<op::FuncRef>("body"));
    return std::make_unique<WhileKernel>(std::move(functions));
  }
  explicit WhileKernel(LoopFunctions functions) : functions_(std::move(functions)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    std::make_shared<RunningLoop>(c, functions_, std::move(done))->Drive();
  }

 private:
  const LoopFunctions functions_;
};

}  // namespace

void AddWhileKernels(TableKernels& kernels) {
  for (const char* op : {"While", "StatelessWhile", "_While"}) {
    kernels.Add(op, kernel::ClassKernel<WhileKernel>());
  }
}

}  // namespace rheo::ops
