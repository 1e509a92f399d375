#include "rheo/worker/step_state.h"

#include <algorithm>
#include <utility>

#include "rheo/device/device_name.h"

namespace rheo::worker {
namespace {

using rendezvous::Item;
using rendezvous::PushedTensor;
using rendezvous::RecvCallback;
using rendezvous::RendezvousKey;

// Larger tensors are announced, so that they do not hold up the small ones behind them.
constexpr size_t kMaxPushBytes = 64 << 10;

size_t PayloadBytes(const Tensor& tensor) {
  size_t bytes = tensor.num_bytes();
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.flat<std::string>()) bytes += text.size();
  }
  return bytes;
}

}  // namespace

void StepRendezvous::SetRoutes(std::shared_ptr<const GraphRoutes> routes,
                               std::shared_ptr<TransferLog> log) {
  std::vector<RendezvousKey> announced;
  {
    MutexLock lock(mutex_);
    routes_ = std::move(routes);
    log_ = std::move(log);
    announced = std::exchange(early_announcements_, {});
  }
  for (const RendezvousKey& key : announced) PullAnnounced(key);
}

bool StepRendezvous::IsLocal(const std::string& device) const {
  return routes_ == nullptr || routes_->transport == nullptr ||
         device::TaskOf(device) == routes_->task;
}

Status StepRendezvous::Send(const RendezvousKey& key, Item item) {
  const rendezvous::Channel& channel = key.channel();
  if (!IsLocal(channel.src_device)) {
    return InvalidArgument("a Send of '{}' runs on {}, which is not the task of its device {}",
                           channel.edge, routes_->task, channel.src_device);
  }
  if (IsLocal(channel.dst_device) || !routes_->pushed_edges.contains(channel.edge)) {
    return local_.Send(key, std::move(item));
  }
  Push(key, std::move(item));
  return OkStatus();
}

void StepRendezvous::Push(const RendezvousKey& key, Item item) {
  const bool announced = !item.is_dead && PayloadBytes(item.tensor) > kMaxPushBytes;
  PushedTensor pushed{.step = step_, .key = key, .announced = announced};
  if (announced) {
    // Kept here until the receiver asks; after an abort it no longer matters.
    if (!local_.Send(key, std::move(item)).ok()) return;
  } else {
    pushed.item = std::move(item);
  }
  const std::string_view task = device::TaskOf(key.channel().dst_device);
  MutexLock lock(mutex_);
  auto parcel = std::ranges::find(outbox_, task, &Parcel::task);
  // The name is the first key's, whose channel lives as long as the graph.
  if (parcel == outbox_.end()) parcel = outbox_.insert(parcel, {.task = task, .tensors = {}});
  parcel->tensors.push_back(std::move(pushed));
}

void StepRendezvous::FlushPushes() {
  std::vector<Parcel> outbox;
  {
    MutexLock lock(mutex_);
    if (outbox_.empty()) return;
    outbox = std::exchange(outbox_, {});
    pushes_under_way_ += static_cast<int>(outbox.size());
  }
  for (Parcel& parcel : outbox) {
    const std::string task(parcel.task);
    routes_->transport->Push(
        task, std::move(parcel.tensors),
        [self = shared_from_this()](Status status) { self->OnPushDone(std::move(status)); });
  }
}

std::vector<PushedTensor> StepRendezvous::TakePushes(std::string_view task) {
  MutexLock lock(mutex_);
  const auto parcel = std::ranges::find(outbox_, task, &Parcel::task);
  if (parcel == outbox_.end()) return {};
  std::vector<PushedTensor> tensors = std::move(parcel->tensors);
  outbox_.erase(parcel);
  return tensors;
}

void StepRendezvous::OnPushDone(Status status) {
  // The receiver will never have the value: the step cannot succeed.
  if (!status.ok()) Abort(status);
  DoneCallback done;
  Status result;
  {
    MutexLock lock(mutex_);
    if (push_status_.ok()) push_status_ = std::move(status);
    if (--pushes_under_way_ > 0 || !when_pushed_) return;
    done = std::exchange(when_pushed_, nullptr);
    result = push_status_;
  }
  std::move(done)(std::move(result));
}

void StepRendezvous::WhenPushed(DoneCallback done) {
  FlushPushes();
  Status result;
  {
    MutexLock lock(mutex_);
    if (pushes_under_way_ > 0) {
      when_pushed_ = std::move(done);
      return;
    }
    result = push_status_;
  }
  std::move(done)(std::move(result));
}

void StepRendezvous::Recv(const RendezvousKey& key, StopToken stop, RecvCallback done) {
  const rendezvous::Channel& channel = key.channel();
  const bool is_local = IsLocal(channel.src_device);
  if (log_ != nullptr && !is_local) done = Logged(key, std::move(done));
  if (is_local || routes_->pushed_edges.contains(channel.edge)) {
    local_.Recv(key, std::move(stop), std::move(done));
    return;
  }
  auto pulling = std::make_shared<Pulling>(Pulling{key, std::chrono::steady_clock::now()});
  {
    MutexLock lock(mutex_);
    pulling_.push_back(pulling);
  }
  routes_->transport->Pull(
      step_, key, std::move(stop),
      [self = shared_from_this(), pulling, done = std::move(done)](StatusOr<Item> item) mutable {
        {
          MutexLock lock(self->mutex_);
          std::erase(self->pulling_, pulling);
        }
        std::move(done)(std::move(item));
      });
}

RecvCallback StepRendezvous::Logged(const RendezvousKey& key, RecvCallback done) {
  return [log = log_, step = step_, key, start = trace::NowNanos(),
          done = std::move(done)](StatusOr<Item> item) mutable {
    if (item.ok()) log->Add(step, key.channel(), start, PayloadBytes(item->tensor));
    std::move(done)(std::move(item));
  };
}

void StepRendezvous::OnPushed(const RendezvousKey& key, Item item, bool announced) {
  if (!announced) {
    // Refused only after an abort, when nobody wants it any more.
    (void)local_.Send(key, std::move(item));
    return;
  }
  {
    MutexLock lock(mutex_);
    if (routes_ == nullptr) {
      early_announcements_.push_back(key);
      return;
    }
  }
  PullAnnounced(key);
}

void StepRendezvous::PullAnnounced(const RendezvousKey& key) {
  if (routes_->transport == nullptr) {
    local_.Abort(
        Internal("a large value of {} was announced to a step that has no peers", key.Describe()));
    return;
  }
  routes_->transport->Pull(step_, key, stop_.get_token(),
                           [self = shared_from_this(), key](StatusOr<Item> item) {
                             if (item.ok()) {
                               (void)self->local_.Send(key, *std::move(item));
                             } else {
                               self->local_.Abort(item.status());
                             }
                           });
}

void StepRendezvous::Abort(const Status& status) {
  local_.Abort(status);
  stop_.request_stop();
}

std::vector<rendezvous::WaitingRecv> StepRendezvous::Waiting() const {
  std::vector<rendezvous::WaitingRecv> waiting = local_.Waiting();
  MutexLock lock(mutex_);
  for (const auto& pulling : pulling_) waiting.push_back({pulling->key, pulling->since});
  return waiting;
}

}  // namespace rheo::worker
