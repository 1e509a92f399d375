#include "rheo/session/callable.h"

#include <utility>

#include "rheo/session/session_core.h"

namespace rheo::session {

// The request and answer of one running step.
struct Callable::Slot {
  service::RunCallableRequest request;
  service::RunCallableResponse response;
};

struct Callable::State {
  std::shared_ptr<SessionCore> core;
  int64_t handle = 0;
  size_t num_feeds = 0;
  size_t num_fetches = 0;
  std::chrono::milliseconds timeout{0};
  StopToken stop;
  // One slot that rests between steps, so that a loop of one thread allocates none. Owned: whoever
  // takes it out by exchange is its only user.
  std::atomic<Slot*> resting{nullptr};

  ~State() { delete resting.load(std::memory_order_acquire); }

  std::unique_ptr<Slot> TakeSlot() {
    if (Slot* slot = resting.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<Slot>(slot);
    }
    auto slot = std::make_unique<Slot>();
    slot->request.session = core->handle;
    slot->request.handle = handle;
    return slot;
  }

  void ReturnSlot(std::unique_ptr<Slot> slot) {
    slot->request.feeds.clear();
    slot->response.metadata = {};
    const std::unique_ptr<Slot> surplus(
        resting.exchange(slot.release(), std::memory_order_acq_rel));
  }
};

Callable::Callable(std::unique_ptr<State> state) : state_(std::move(state)) {}
Callable::Callable(Callable&&) noexcept = default;

Callable& Callable::operator=(Callable&& other) noexcept {
  Callable old(std::exchange(state_, std::move(other.state_)));
  return *this;
}

Callable::~Callable() {
  if (state_ == nullptr || !state_->core->CheckOpen().ok()) return;
  const service::ReleaseCallableRequest request{.session = state_->core->handle,
                                                .handle = state_->handle};
  service::ReleaseCallableResponse response;
  service::Call call{.deadline = DeadlineAfter(kReleaseTimeout)};
  // The session's end releases it otherwise.
  (void)service::Wait(call, [&](DoneCallback done) {
    state_->core->master->ReleaseCallable(request, &response, call, std::move(done));
  });
}

Callable Callable::Make(std::shared_ptr<SessionCore> core, int64_t handle, size_t num_feeds,
                        size_t num_fetches, std::chrono::milliseconds timeout, StopToken stop) {
  auto state = std::make_unique<State>();
  state->core = std::move(core);
  state->handle = handle;
  state->num_feeds = num_feeds;
  state->num_fetches = num_fetches;
  state->timeout = timeout;
  state->stop = std::move(stop);
  return Callable(std::move(state));
}

StatusOr<std::vector<Tensor>> Callable::Run(std::span<const Tensor> feeds) const {
  std::vector<Tensor> fetches;
  RHEO_RETURN_IF_ERROR(RunInto(feeds, fetches));
  return fetches;
}

Status Callable::RunInto(std::span<const Tensor> feeds, std::vector<Tensor>& fetches,
                         service::RunMetadata* metadata) const {
  State& state = *state_;
  RHEO_RETURN_IF_ERROR(state.core->CheckOpen());
  if (feeds.size() != state.num_feeds) {
    return InvalidArgument("the callable takes {} feeds, not {}", state.num_feeds, feeds.size());
  }
  std::unique_ptr<Slot> slot = state.TakeSlot();
  slot->request.feeds.assign(feeds.begin(), feeds.end());
  fetches.clear();
  slot->response.fetches.swap(fetches);  // lends the caller's memory to the master
  service::Call call{.stop = state.stop, .deadline = DeadlineAfter(state.timeout)};
  Status status = service::Wait(call, [&](DoneCallback done) {
    state.core->master->RunCallable(slot->request, &slot->response, call, std::move(done));
  });
  slot->response.fetches.swap(fetches);
  slot->response.fetches.clear();
  if (metadata != nullptr) *metadata = std::exchange(slot->response.metadata, {});
  state.ReturnSlot(std::move(slot));
  if (status.ok() && fetches.size() != state.num_fetches) {
    status = Internal("the master answered {} tensors, not {}", fetches.size(), state.num_fetches);
  }
  return status;
}

StatusOr<std::vector<Tensor>> PartialRun::Run(std::vector<service::NamedTensor> feeds,
                                              const std::vector<std::string>& fetches) const {
  RHEO_RETURN_IF_ERROR(core_->CheckOpen());
  const service::RunStepRequest request{.session = core_->handle,
                                        .feeds = std::move(feeds),
                                        .fetches = fetches,
                                        .partial_run_handle = handle_};
  return RunStep(*core_, request, core_->OperationCall(), nullptr);
}

}  // namespace rheo::session
