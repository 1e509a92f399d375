#include "rheo/rpc/server_call.h"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <utility>

#include "rheo/base/mutex.h"
#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/deadline.h"
#include "rheo/rpc/status_mapping.h"
#include "rheo/service/limits.h"

namespace rheo::rpc {

// gRPC takes one message at a time; the others wait here.
class ServerCall::Stream final : public AnswerStream, private Operation {
 public:
  explicit Stream(ServerCall& call) : call_(call) {}
  virtual ~Stream() = default;

  void Write(wire::Message message) override {
    {
      MutexLock lock(mutex_);
      unwritten_.push_back(std::move(message));
      if (std::exchange(is_writing_, true)) return;
    }
    WriteNext();
  }

  void Finish(Status status) override {
    {
      MutexLock lock(mutex_);
      end_ = std::move(status);
      if (std::exchange(is_writing_, true)) return;
    }
    WriteNext();
  }

 private:
  // A message is written, or will never be since the caller has gone.
  void Complete(bool ok) override {
    if (!ok) {
      MutexLock lock(mutex_);
      unwritten_.clear();
    }
    WriteNext();
  }

  // Begins what is due next; only by the thread that has set is_writing_.
  void WriteNext() {
    std::optional<wire::Message> message;
    Status end;
    {
      MutexLock lock(mutex_);
      if (!unwritten_.empty()) {
        message = std::move(unwritten_.front());
        unwritten_.pop_front();
      } else if (end_) {
        end = *std::move(end_);
      } else {
        is_writing_ = false;
        return;
      }
    }
    if (!message) return call_.Finish(end);
    call_.acceptor_.traffic().Sent(message->size());
    const grpc::ByteBuffer body = ToByteBuffer(*std::move(message));
    Begin(*this, [&](void* tag) { call_.stream_.Write(body, tag); });
  }

  ServerCall& call_;
  Mutex mutex_;
  std::deque<wire::Message> unwritten_ RHEO_GUARDED_BY(mutex_);
  std::optional<Status> end_ RHEO_GUARDED_BY(mutex_);
  bool is_writing_ RHEO_GUARDED_BY(mutex_) = false;
};

void ServerCall::Post(CallAcceptor& acceptor, grpc::AsyncGenericService& generic,
                      grpc::ServerCompletionQueue& queue) {
  auto* call = new ServerCall(acceptor);
  Begin(call->ended_, [&](void* tag) { call->context_.AsyncNotifyWhenDone(tag); });
  Begin(call->accepted_, [&](void* tag) {
    generic.RequestCall(&call->context_, &call->stream_, &queue, &queue, tag);
  });
}

ServerCall::ServerCall(CallAcceptor& acceptor) : acceptor_(acceptor), stream_(&context_) {}

ServerCall::~ServerCall() = default;

void ServerCall::OnAccepted(bool ok) {
  if (!ok) {  // The server shuts down; gRPC sends no notice of the end of a call that never was.
    references_.store(1);
    return Unref();
  }
  acceptor_.PostAccept();
  if (Status refused = acceptor_.CheckCaller(context_); !refused.ok()) {
    return Send({std::move(refused)});
  }
  FaultPoints* const faults = acceptor_.faults();
  if (faults == nullptr) return Enter();
  faults->Reach("accept", [this](Status fault) {
    if (!fault.ok()) return Send({std::move(fault)});
    Enter();
  });
}

void ServerCall::Enter() {
  method_ = acceptor_.methods().Find(context_.method());
  if (method_ == nullptr) return Send({Unimplemented("no method {} here", context_.method())});
  if (Status status = acceptor_.AdmitTo(*method_); !status.ok()) return Send({std::move(status)});
  is_admitted_ = method_->stream_handler == nullptr;
  if (method_->waits_for_room && acceptor_.max_message_bytes() > 0) {
    Status status = CheckSize(DeclaredBytes().value_or(0));
    if (!status.ok()) return Send({std::move(status)});
  }
  MessageRoom* const room = Room();
  if (room == nullptr || room->Enter(*this)) Read();
}

MessageRoom* ServerCall::Room() const {
  return method_ != nullptr && method_->waits_for_room ? acceptor_.room() : nullptr;
}

std::optional<int64_t> ServerCall::DeclaredBytes() const {
  const auto header = context_.client_metadata().find(kSizeHeader);
  if (header == context_.client_metadata().end()) return std::nullopt;
  return ParseSize({header->second.data(), header->second.size()});
}

Status ServerCall::CheckSize(int64_t bytes) const {
  const int64_t limit = acceptor_.max_message_bytes();
  if (limit == 0 || bytes <= limit) return OkStatus();
  return service::BeyondLimit(
      fmt::format("the request to {} has {} bytes", context_.method(), bytes), limit,
      "max_message_bytes");
}

void ServerCall::Read() {
  Begin(read_, [this](void* tag) { stream_.Read(&request_, tag); });
}

void ServerCall::OnRead(bool ok) {
  if (!ok) return Send({Internal("Unable to parse request")});
  const auto size = static_cast<int64_t>(request_.Length());
  acceptor_.traffic().Received(request_.Length());
  if (MessageRoom* const room = Room()) {
    if (const int64_t held = room->Arrived(*this, size); held > 0) {
      request_ = WithEndNotice(request_, [room, held] { room->Decoded(held); });
    }
  }
  if (Status status = CheckSize(size); !status.ok()) {
    request_.Clear();
    return Send({std::move(status)});
  }
  call_.stop = stop_.get_token();
  call_.deadline = FromGrpcDeadline(context_.raw_deadline());
  // Reading a request of this size takes longer than waking another thread.
  constexpr size_t kLongRequestBytes = 256 << 10;
  if (method_->is_long || request_.Length() > kLongRequestBytes) {
    acceptor_.RunElsewhere([this] { Handle(); });
  } else {
    Handle();
  }
}

void ServerCall::Handle() {
  if (method_->stream_handler != nullptr) {
    answers_ = std::make_unique<Stream>(*this);
    return method_->stream_handler(request_, call_, *answers_);
  }
  method_->handler(request_, call_, [this](Answer answer) { Send(std::move(answer)); });
}

void ServerCall::Send(Answer answer) {
  if (MessageRoom* const room = Room()) room->Leave(*this);
  if (!answer.status.ok()) return Finish(answer.status);
  acceptor_.traffic().Sent(answer.body.size());
  const grpc::ByteBuffer body = ToByteBuffer(std::move(answer.body));
  const grpc::Status status = OkWithPayloadsOf(answer.body_error);
  Begin(finished_,
        [&](void* tag) { stream_.WriteAndFinish(body, grpc::WriteOptions(), status, tag); });
}

void ServerCall::Finish(const Status& status) {
  if (!status.ok()) context_.AddTrailingMetadata(kAnsweredTrailer, "1");
  const grpc::Status grpc_status = ToGrpcStatus(status);
  Begin(finished_, [&](void* tag) { stream_.Finish(grpc_status, tag); });
}

void ServerCall::OnFinished(bool) { Unref(); }

void ServerCall::OnEnded(bool) {
  if (!context_.IsCancelled()) return Unref();
  // Not Room(): this may run beside Enter().
  if (MessageRoom* const room = acceptor_.room(); room != nullptr && room->Withdraw(*this)) {
    Send({Cancelled("the call was cancelled before it was read")});
  }
  const auto stop = [this] {
    stop_.request_stop();
    Unref();
  };
  FaultPoints* const faults = acceptor_.faults();
  if (faults == nullptr) return stop();
  faults->Reach("cancel", [stop](const Status&) { stop(); });
}

void ServerCall::Unref() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  CallAcceptor& acceptor = acceptor_;
  const bool was_admitted = is_admitted_;
  if (was_admitted && method_->is_repeated) acceptor.ExpectRequest();
  delete this;
  acceptor.CallGone(was_admitted);
}

}  // namespace rheo::rpc
