#include "rheo/rpc/health.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/method_path.h"

namespace rheo::rpc {
namespace {

constexpr std::array<std::string_view, 7> kServiceNames = {"",
                                                           "tensorflow.MasterService",
                                                           "tensorflow.grpc.MasterService",
                                                           "tensorflow.WorkerService",
                                                           "tensorflow.grpc.WorkerService",
                                                           "rheo.WorkerService",
                                                           "grpc.health.v1.Health"};

// HealthCheckResponse.ServingStatus
constexpr char kServing = 1;
constexpr char kNotServing = 2;
constexpr char kServiceUnknown = 3;

bool IsKnown(std::string_view service) {
  return std::ranges::find(kServiceNames, service) != kServiceNames.end();
}

// HealthCheckRequest { string service = 1; }, with no other field expected.
bool ParseRequest(grpc::ByteBuffer& bytes, std::string& service) {
  ByteSource source(bytes);
  google::protobuf::io::CodedInputStream in(source.source().stream());
  constexpr uint32_t kServiceTag = (1 << 3) | 2;
  while (const uint32_t tag = in.ReadTag()) {
    uint32_t size = 0;
    if (tag != kServiceTag || !in.ReadVarint32(&size) || size > bytes.Length()) return false;
    if (!in.ReadString(&service, static_cast<int>(size))) return false;
  }
  return true;
}

Status NotParsed() { return Internal("Unable to parse request"); }

// HealthCheckResponse { ServingStatus status = 1; }
wire::Message Response(char status) {
  wire::Message message;
  message.slices.emplace_back(std::string{(1 << 3) | 0, status});
  return message;
}

wire::Message Response(bool is_serving) { return Response(is_serving ? kServing : kNotServing); }

}  // namespace

// One call of Watch, from its first answer to its end.
class HealthService::Watcher {
 public:
  Watcher(AnswerStream& stream, bool is_known) : stream_(stream), is_known_(is_known) {}

  // Only while the watcher is in the list.
  void Tell(bool is_serving) {
    stream_.Write(is_known_ ? Response(is_serving) : Response(kServiceUnknown));
  }
  void Finish(Status status) { stream_.Finish(std::move(status)); }

  std::optional<StopCallback> on_gone;

 private:
  AnswerStream& stream_;
  const bool is_known_;
};

HealthService::HealthService() = default;
HealthService::~HealthService() = default;

void HealthService::AddTo(MethodTable& table) {
  table.Add(std::string(kHealthCheckPath),
            [this](grpc::ByteBuffer request, const service::Call&, Respond respond) {
              Check(request, std::move(respond));
            });
  table.AddStream(std::string(kHealthWatchPath),
                  [this](grpc::ByteBuffer request, const service::Call& call,
                         AnswerStream& stream) { Watch(request, call, stream); });
  table.Mark(kHealthCheckPath, &Method::is_for_stopping);
  table.Mark(kHealthWatchPath, &Method::is_for_stopping);
}

void HealthService::Check(grpc::ByteBuffer request, Respond respond) {
  std::string service;
  if (!ParseRequest(request, service)) return respond({NotParsed()});
  if (!IsKnown(service)) return respond({NotFound("no service '{}' here", service)});
  bool is_serving = false;
  {
    MutexLock lock(mutex_);
    is_serving = is_serving_;
  }
  respond({OkStatus(), Response(is_serving)});
}

void HealthService::Watch(grpc::ByteBuffer request, const service::Call& call,
                          AnswerStream& stream) {
  std::string service;
  if (!ParseRequest(request, service)) return stream.Finish(NotParsed());
  const StopToken stop = call.stop;  // the call may end as soon as the watcher is in the list
  auto watcher = std::make_shared<Watcher>(stream, IsKnown(service));
  bool is_watching = false;
  {
    MutexLock lock(mutex_);
    is_watching = !is_shut_down_;
    if (is_watching) {
      watchers_.push_back(watcher);
      // Under the lock, as in StopServing: it only queues, and no change or end may come between.
      watcher->Tell(is_serving_);
    }
  }
  if (!is_watching) return stream.Finish(Unavailable("the server is stopping"));
  watcher->on_gone.emplace(stop, [this, w = watcher.get()] { Leave(*w); });
}

void HealthService::Leave(Watcher& watcher) {
  std::shared_ptr<Watcher> gone;
  {
    MutexLock lock(mutex_);
    const auto it = std::ranges::find(watchers_, &watcher, &std::shared_ptr<Watcher>::get);
    if (it == watchers_.end()) return;
    gone = std::move(*it);
    watchers_.erase(it);
  }
  gone->Finish(Cancelled("the caller has gone"));
}

void HealthService::StopServing() {
  MutexLock lock(mutex_);
  is_serving_ = false;
  for (const auto& watcher : watchers_) watcher->Tell(false);
}

void HealthService::Shutdown() {
  std::list<std::shared_ptr<Watcher>> watchers;
  {
    MutexLock lock(mutex_);
    is_shut_down_ = true;
    watchers = std::exchange(watchers_, {});
  }
  for (const auto& watcher : watchers) watcher->Finish(Unavailable("the server is stopping"));
}

}  // namespace rheo::rpc
