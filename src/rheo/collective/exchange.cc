#include "rheo/collective/exchange.h"

#include <fmt/format.h>

#include <utility>

namespace rheo::collective {
namespace {

using kernel::CollectiveKind;
using kernel::CollectivePlan;
using kernel::FinalOp;
using kernel::MergeOp;

// Work on more bytes than this does not run on the thread that brought them.
constexpr int64_t kLongWork = int64_t{128} << 10;

std::string_view NameOf(MergeOp op) {
  switch (op) {
    case MergeOp::kAdd:
      return "Add";
    case MergeOp::kMul:
      return "Mul";
    case MergeOp::kMax:
      return "Max";
    case MergeOp::kMin:
      return "Min";
  }
  return "";
}

std::string KindOf(const CollectivePlan& plan) {
  switch (plan.kind) {
    case CollectiveKind::kReduce:
      return fmt::format("Reduce({},{})", NameOf(plan.merge),
                         plan.final == FinalOp::kDiv ? "Div" : "Id");
    case CollectiveKind::kBroadcast:
      return "Broadcast";
    case CollectiveKind::kGather:
      return "Gather";
  }
  return "";
}

struct Ack {
  service::MarkRecvFinishedRequest request;
  service::MarkRecvFinishedResponse response;
  service::Call call;
};

// Lets the sender forget its answer; nobody waits.
void SendAck(service::WorkerService& worker, RequestId request_id) {
  auto ack = std::make_shared<Ack>();
  ack->request.request_id = request_id;
  worker.MarkRecvFinished(ack->request, &ack->response, ack->call, [ack](Status) {});
}

// One RecvBuf; owned by its callback.
struct PullCall {
  std::shared_ptr<service::WorkerService> worker;
  service::RecvBufRequest request;
  service::RecvBufResponse response;
  service::Call call;
};

}  // namespace

Exchange::Exchange(const ExchangeEnv& env, kernel::CollectiveCall call,
                   std::shared_ptr<BufferTable> buffers, Done done)
    : env_(env),
      call_(std::move(call)),
      terms_(fmt::format("{} of {}{}", KindOf(*call_.plan), DTypeName(call_.dtype),
                         call_.shape.ToString())),
      buffers_(std::move(buffers)),
      done_(std::move(done)) {}

std::string Exchange::Describe() const {
  return fmt::format("{} on {}", call_.plan->name, call_.device->info().name);
}

void Exchange::Join(const std::string& instance) {
  instance_ = instance;
  buffers_->Join(instance, call_.device->info().name, terms_, call_.shape.num_elements() == 0);
}

std::string Exchange::DescribeWait() const {
  switch (stage_.load(std::memory_order_relaxed)) {
    case Stage::kJoining:
      return fmt::format("waited for all {} members of group {} to join", call_.group_size,
                         call_.group_key);
    case Stage::kDeclaring:
      return fmt::format("waited for all {} members of group {} to come to instance {}",
                         call_.group_size, call_.group_key, call_.instance_key);
    default:
      return fmt::format("exchanged values with the {} members of group {} in instance {}",
                         call_.group_size, call_.group_key, call_.instance_key);
  }
}

void Exchange::Start() {
  watch_ = buffers_->Watch([weak = weak_from_this()](Status status) {
    if (const auto self = weak.lock()) {
      self->Fail(AsDerived(Prefix(status, self->Describe() + " ended with its step: ")));
    }
  });
  if (call_.stop.stop_possible()) {
    on_stop_.emplace(call_.stop, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->Fail(AsDerived(
            Cancelled("{} was cancelled while it {}", self->Describe(), self->DescribeWait())));
      }
    });
  }
  if (call_.plan->timeout.count() <= 0 || env_.timers == nullptr) return;
  const auto when = std::chrono::steady_clock::now() + call_.plan->timeout;
  timer_ = env_.timers->Add(when, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->Fail(DeadlineExceeded("{} did not finish within its timeout of {} ms: it {}",
                                  self->Describe(), self->call_.plan->timeout.count(),
                                  self->DescribeWait()));
    }
  });
}

void Exchange::Send(const std::string& key, Tensor piece) {
  Hold();
  buffers_->Offer(key, std::move(piece), [self = shared_from_this()](Status status) {
    if (!status.ok()) self->Fail(std::move(status));
    self->Release();
  });
}

void Exchange::Receive(int from_rank, const std::string& key, int64_t num_bytes, Then then) {
  Hold();
  auto done = [self = shared_from_this(), from_rank, num_bytes,
               then = std::move(then)](StatusOr<Tensor> piece) mutable {
    if (!piece.ok()) {
      self->Fail(self->FromMember(from_rank, piece.status()));
    } else if (static_cast<int64_t>(piece->num_bytes()) != num_bytes) {
      self->Fail(self->FromMember(
          from_rank, Internal("Tensor Size Mismatch: {} bytes came where {} were expected",
                              piece->num_bytes(), num_bytes)));
    } else if (!self->has_failed()) {
      then(*std::move(piece));
    }
    self->Release();
  };
  const std::string_view task =
      device::TaskOf(group().members[static_cast<size_t>(from_rank)].name);
  if (task == device::TaskOf(call_.device->info().name)) {
    return buffers_->Take({.key = key,
                           .from = group().members[static_cast<size_t>(from_rank)].name,
                           .to = call_.device->info().name,
                           .num_bytes = num_bytes,
                           .terms = terms_},
                          stop(), std::move(done));
  }
  auto worker = env_.workers == nullptr ? nullptr : env_.workers->Find(task);
  if (worker == nullptr) return done(InvalidArgument("task {} is not in the cluster", task));
  Pull(std::move(worker), from_rank, key, num_bytes, std::move(done));
}

void Exchange::Pull(std::shared_ptr<service::WorkerService> worker, int from_rank,
                    const std::string& key, int64_t num_bytes, BufferTable::TakeCallback done) {
  const device::DeviceInfo& from = group().members[static_cast<size_t>(from_rank)];
  auto pull = std::make_shared<PullCall>();
  pull->worker = std::move(worker);
  pull->request = {.step = call_.step,
                   .key = key,
                   .num_bytes = num_bytes,
                   .src_device = from.name,
                   .dst_device = call_.device->info().name,
                   .src_incarnation = from.incarnation,
                   .request_id = NewRequestId(),
                   .terms = terms_};
  pull->call.stop = stop();
  if (stop().stop_requested()) return done(Cancelled("the run has ended"));
  pull->worker->RecvBuf(pull->request, &pull->response, pull->call,
                        [pull, done = std::move(done)](Status status) mutable {
                          if (!status.ok()) return done(std::move(status));
                          if (pull->response.require_ack) {
                            SendAck(*pull->worker, pull->request.request_id);
                          }
                          done(std::move(pull->response.value));
                        });
}

// What a member answers is a consequence of what happened there; that it cannot be reached, or was
// restarted, is not.
Status Exchange::FromMember(int rank, const Status& status) const {
  const std::string text =
      fmt::format("{}: from {}: {}", Describe(), group().members[static_cast<size_t>(rank)].name,
                  Message(status));
  switch (status.code()) {
    case StatusCode::kCancelled:  // not this step, but the member's
      return AsDerived(Aborted("{}", text));
    case StatusCode::kUnavailable:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kInternal:
      return Status(status.code(), text);
    case StatusCode::kInvalidArgument:
      // That the two do not fit is nobody's consequence.
      if (group().all_are_rheo && !IsDerived(status)) return Status(status.code(), text);
      break;
    default:
      break;
  }
  return AsDerived(Status(status.code(), text));
}

void Exchange::Work(int64_t num_bytes, absl::AnyInvocable<void()> work) {
  if (num_bytes <= kLongWork || env_.pool == nullptr) return work();
  Hold();
  env_.pool->Schedule([self = shared_from_this(), work = std::move(work)]() mutable {
    work();
    self->Release();
  });
}

void Exchange::SetResult(Tensor result) {
  MutexLock lock(mutex_);
  result_ = std::move(result);
}

void Exchange::Fail(Status status) {
  Hold();
  bool is_first = false;
  {
    MutexLock lock(mutex_);
    is_first = status_.ok() && done_ != nullptr;
    if (is_first) status_ = status;
  }
  if (is_first) {
    stop_.request_stop();
    buffers_->Abort(status);
  }
  Release();
}

bool Exchange::has_failed() {
  MutexLock lock(mutex_);
  return !status_.ok();
}

void Exchange::Hold() {
  MutexLock lock(mutex_);
  ++holds_;
}

void Exchange::Release() {
  {
    MutexLock lock(mutex_);
    if (--holds_ > 0 || done_ == nullptr) return;
  }
  Finish();
}

void Exchange::Finish() {
  Done done;
  StatusOr<Tensor> result = Tensor();
  {
    MutexLock lock(mutex_);
    done = std::exchange(done_, nullptr);
    if (done == nullptr) return;
    if (status_.ok()) {
      result = std::move(result_);
    } else {
      result = status_;
    }
  }
  on_stop_.reset();
  buffers_->Unwatch(watch_);
  // A member without elements may be done before TensorFlow's ask it.
  if (!instance_.empty() && (call_.shape.num_elements() > 0 || group().all_are_rheo)) {
    buffers_->Leave(instance_, call_.device->info().name);
  }
  if (timer_) env_.timers->Cancel(*timer_);
  done(std::move(result));
}

}  // namespace rheo::collective
