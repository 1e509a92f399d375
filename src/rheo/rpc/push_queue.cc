#include "rheo/rpc/push_queue.h"

#include <algorithm>
#include <atomic>
#include <iterator>
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
  // The call that sent it has returned. Before that, the sender looks for more by itself, so that
  // answers inside the call do not pile up on the stack. Read after Landed(), set before the
  // sender looks: one of the two sees the other.
  std::atomic<bool> started{false};
};

void PushQueue::Push(std::vector<rendezvous::PushedTensor> tensors, DoneCallback done) {
  {
    MutexLock lock(mutex_);
    waiting_.push_back({std::move(tensors), std::move(done)});
  }
  SendWaiting();
}

std::shared_ptr<PushQueue::Shipment> PushQueue::TakeShipment() {
  MutexLock lock(mutex_);
  if (waiting_.empty() || in_flight_ >= kMaxInFlight) return nullptr;
  ++in_flight_;
  auto shipment = std::make_shared<Shipment>();
  size_t bytes = 0;
  while (!waiting_.empty() && bytes < kMaxShipmentBytes) {
    Parcel parcel = std::move(waiting_.front());
    waiting_.pop_front();
    bytes += NumBytes(parcel.tensors);
    std::ranges::move(parcel.tensors, std::back_inserter(shipment->request.tensors));
    shipment->done.push_back(std::move(parcel.done));
  }
  return shipment;
}

void PushQueue::Landed() {
  MutexLock lock(mutex_);
  --in_flight_;
}

void PushQueue::SendWaiting() {
  while (std::shared_ptr<Shipment> shipment = TakeShipment()) {
    worker_->PushTensors(shipment->request, &shipment->response, shipment->call,
                         [self = shared_from_this(), shipment](Status status) {
                           for (DoneCallback& done : shipment->done) std::move(done)(status);
                           self->Landed();
                           // The starter goes on by itself when the answer came inside its call.
                           if (shipment->started) self->SendWaiting();
                         });
    shipment->started = true;
  }
}

}  // namespace rheo::rpc
