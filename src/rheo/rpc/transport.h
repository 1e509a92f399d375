// WorkerTransport: tensors between tasks through their WorkerService: RecvTensor to pull, Rheo's
// PushTensors to push. Works over stubs and direct objects alike.
#ifndef RHEO_RPC_TRANSPORT_H_
#define RHEO_RPC_TRANSPORT_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/service/worker_service.h"

namespace rheo::rpc {

class PushQueue;

class WorkerTransport final : public rendezvous::TensorTransport {
 public:
  // Whether a task takes pushes; asked for every CanPush.
  using PushPolicy = std::function<bool(std::string_view task)>;

  // `workers` outlives the transport and its callbacks. Without a policy nothing is pushed.
  explicit WorkerTransport(service::WorkerDirectory& workers, PushPolicy can_push = nullptr);
  ~WorkerTransport() override;

  // Each pull is one RecvTensor with a request id of its own. INVALID_ARGUMENT when the key's
  // source task is not in the cluster; CANCELLED (derived) "RecvFromRemoteAsync is cancelled; …"
  // once `stop` fires.
  void Pull(StepId step, const rendezvous::RendezvousKey& key, StopToken stop,
            rendezvous::RecvCallback done) override;

  bool CanPush(std::string_view task) const override;

  // While a few messages to a task are on their way, further tensors for it queue up and leave
  // together in the next one.
  void Push(std::string_view task, std::vector<rendezvous::PushedTensor> tensors,
            DoneCallback done) override;

 private:
  std::shared_ptr<PushQueue> QueueOf(std::string_view task);

  service::WorkerDirectory& workers_;
  const PushPolicy can_push_;
  Mutex mutex_;
  StringMap<std::shared_ptr<PushQueue>> queues_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_TRANSPORT_H_
