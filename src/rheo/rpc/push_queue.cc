#include "rheo/rpc/push_queue.h"

#include <atomic>
#include <utility>

namespace rheo::rpc {
namespace {

// A message is closed once it holds this much, far below gRPC's limit of 2 GiB.
constexpr size_t kMaxShipmentBytes = size_t{16} << 20;

size_t NumBytes(const std::vector<rendezvous::PushedTensor>& tensors) {
  size_t bytes = 0;
  for (const auto& t : tensors) bytes += t.item.tensor.num_bytes();
  return bytes;
}

}  // namespace

// One message.
struct PushQueue::Shipment {
  service::PushTensorsRequest request;
  service::PushTensorsResponse response;
  service::Call call;
  std::vector<DoneCallback> done;
  // Set by the first of the two that are through with it: the starter and the answer.
  std::atomic<bool> half_done{false};
};

void PushQueue::Push(std::vector<rendezvous::PushedTensor> tensors, DoneCallback done) {
  {
    MutexLock lock(mutex_);
    waiting_.push_back({std::move(tensors), std::move(done)});
    if (in_flight_) return;
    in_flight_ = true;
  }
  SendWaiting();
}

std::shared_ptr<PushQueue::Shipment> PushQueue::TakeShipment() {
  MutexLock lock(mutex_);
  if (waiting_.empty()) {
    in_flight_ = false;
    return nullptr;
  }
  auto shipment = std::make_shared<Shipment>();
  size_t bytes = 0;
  while (!waiting_.empty() && bytes < kMaxShipmentBytes) {
    Parcel parcel = std::move(waiting_.front());
    waiting_.pop_front();
    bytes += NumBytes(parcel.tensors);
    for (auto& t : parcel.tensors) {
      shipment->request.tensors.push_back(
          {t.step, std::move(t.key), std::move(t.item), t.announced});
    }
    shipment->done.push_back(std::move(parcel.done));
  }
  return shipment;
}

void PushQueue::SendWaiting() {
  while (std::shared_ptr<Shipment> shipment = TakeShipment()) {
    worker_->PushTensors(shipment->request, &shipment->response, shipment->call,
                         [self = shared_from_this(), shipment](Status status) {
                           for (DoneCallback& done : shipment->done) std::move(done)(status);
                           // The starter goes on when the answer came inside its call.
                           if (shipment->half_done.exchange(true)) self->SendWaiting();
                         });
    if (!shipment->half_done.exchange(true)) return;
  }
}

}  // namespace rheo::rpc
