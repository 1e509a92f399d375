#include "rheo/rpc/transport.h"

#include <utility>

#include "rheo/device/device_name.h"
#include "rheo/rpc/push_queue.h"

namespace rheo::rpc {
namespace {

// The receiver is told once; nobody waits for the answer.
struct Ack {
  service::MarkRecvFinishedRequest request;
  service::MarkRecvFinishedResponse response;
  service::Call call;
};

void SendAck(service::WorkerService& worker, RequestId request_id) {
  auto ack = std::make_shared<Ack>();
  ack->request.request_id = request_id;
  worker.MarkRecvFinished(ack->request, &ack->response, ack->call, [ack](Status) {});
}

// One RecvTensor on its way; owned by its callback.
struct PullCall {
  std::shared_ptr<service::WorkerService> worker;
  service::RecvTensorRequest request;
  service::RecvTensorResponse response;
  service::Call call;
  rendezvous::RecvCallback done;

  void Finish(Status status) {
    if (status.ok()) {
      if (response.require_ack) SendAck(*worker, request.request_id);
      return std::move(done)(std::move(response.item));
    }
    if (status.code() == StatusCode::kCancelled && call.stop.stop_requested()) {
      status = AsDerived(
          Cancelled("RecvFromRemoteAsync is cancelled; {} has not come", request.key.Describe()));
    }
    std::move(done)(std::move(status));
  }
};

}  // namespace

WorkerTransport::WorkerTransport(service::WorkerDirectory& workers, PushPolicy can_push)
    : workers_(workers), can_push_(std::move(can_push)) {}

WorkerTransport::~WorkerTransport() = default;

void WorkerTransport::Pull(StepId step, const rendezvous::RendezvousKey& key, StopToken stop,
                           rendezvous::RecvCallback done) {
  const std::string_view task = device::TaskOf(key.channel().src_device);
  auto pull = std::make_unique<PullCall>();
  pull->worker = workers_.Find(task);
  if (pull->worker == nullptr) {
    return done(InvalidArgument("{} comes from task '{}', which is not in the cluster",
                                key.Describe(), task));
  }
  pull->request = {step, key, NewRequestId()};
  pull->call.stop = std::move(stop);
  pull->done = std::move(done);
  if (pull->call.stop.stop_requested()) return pull->Finish(Cancelled("stopped"));
  PullCall* open = pull.get();
  open->worker->RecvTensor(
      open->request, &open->response, open->call,
      [pull = std::move(pull)](Status status) { pull->Finish(std::move(status)); });
}

bool WorkerTransport::CanPush(std::string_view task) const {
  return can_push_ != nullptr && can_push_(task);
}

void WorkerTransport::Push(std::string_view task, std::vector<rendezvous::PushedTensor> tensors,
                           DoneCallback done) {
  std::shared_ptr<PushQueue> queue = QueueOf(task);
  if (queue == nullptr) {
    return done(InvalidArgument("cannot push to task '{}', which is not in the cluster", task));
  }
  queue->Push(std::move(tensors), std::move(done));
}

std::shared_ptr<PushQueue> WorkerTransport::QueueOf(std::string_view task) {
  {
    MutexLock lock(mutex_);
    if (auto it = queues_.find(task); it != queues_.end()) return it->second;
  }
  std::shared_ptr<service::WorkerService> worker = workers_.Find(task);
  if (worker == nullptr) return nullptr;
  MutexLock lock(mutex_);
  auto [it, is_new] = queues_.try_emplace(std::string(task), nullptr);
  if (is_new) it->second = std::make_shared<PushQueue>(std::move(worker));
  return it->second;
}

}  // namespace rheo::rpc
