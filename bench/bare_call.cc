#include "bare_call.h"

#include <absl/synchronization/mutex.h>
#include <fmt/core.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <utility>

namespace rheo::bench {
namespace {

// As many as a server keeps posted, so that a burst finds one.
constexpr int kPostedCalls = 16;

grpc::ByteBuffer Bytes(std::string text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

// One call on the serving side; each event leads to the next.
class ServedCall {
 public:
  ServedCall(grpc::AsyncGenericService& service, grpc::ServerCompletionQueue& queue,
             const grpc::ByteBuffer& answer)
      : service_(service), queue_(queue), answer_(answer), stream_(&context_) {
    service_.RequestCall(&context_, &stream_, &queue_, &queue_, this);
  }

  void Proceed(bool ok) {
    if (!ok || stage_ == Stage::kAnswered) {
      delete this;
    } else if (stage_ == Stage::kWaiting) {
      stage_ = Stage::kReading;
      new ServedCall(service_, queue_, answer_);
      stream_.Read(&request_, this);
    } else {
      stage_ = Stage::kAnswered;
      stream_.WriteAndFinish(answer_, grpc::WriteOptions(), grpc::Status::OK, this);
    }
  }

 private:
  enum class Stage { kWaiting, kReading, kAnswered };

  grpc::AsyncGenericService& service_;
  grpc::ServerCompletionQueue& queue_;
  const grpc::ByteBuffer& answer_;
  Stage stage_ = Stage::kWaiting;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer request_;
};

// Debian's abseil looks for deadlocks at each lock unless told otherwise; Rheo tells it, too.
void PrepareGrpc() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

}  // namespace

void ServeBareCalls(size_t answer_bytes, const std::function<void(int)>& report_port) {
  PrepareGrpc();
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  grpc::AsyncGenericService service;
  builder.RegisterAsyncGenericService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const grpc::ByteBuffer answer = Bytes(std::string(answer_bytes, 'a'));
  for (int i = 0; i < kPostedCalls; ++i) new ServedCall(service, *queue, answer);
  report_port(port);
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) static_cast<ServedCall*>(tag)->Proceed(ok);
}

struct BareCaller::State {
  State(int port, std::string text) : stub(Channel(port)), request(Bytes(std::move(text))) {}

  static std::shared_ptr<grpc::Channel> Channel(int port) {
    PrepareGrpc();
    return grpc::CreateChannel(fmt::format("127.0.0.1:{}", port),
                               grpc::InsecureChannelCredentials());
  }

  grpc::GenericStub stub;
  grpc::CompletionQueue queue;
  const grpc::ByteBuffer request;
};

BareCaller::BareCaller(int port, std::string request)
    : state_(std::make_unique<State>(port, std::move(request))) {}

BareCaller::~BareCaller() {
  state_->queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (state_->queue.Next(&tag, &ok)) {
  }
}

Status BareCaller::Call() {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  grpc::ByteBuffer answer;
  grpc::Status status;
  const auto reader =
      state_->stub.PrepareUnaryCall(&context, "/bench/Call", state_->request, &state_->queue);
  reader->StartCall();
  reader->Finish(&answer, &status, this);
  void* tag = nullptr;
  bool ok = false;
  state_->queue.Next(&tag, &ok);
  if (!status.ok()) return Internal("the bare call failed: {}", status.error_message());
  return OkStatus();
}

}  // namespace rheo::bench
