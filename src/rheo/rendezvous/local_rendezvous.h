// LocalRendezvous: a Rendezvous whose two ends are on this task.
#ifndef RHEO_RENDEZVOUS_LOCAL_RENDEZVOUS_H_
#define RHEO_RENDEZVOUS_LOCAL_RENDEZVOUS_H_

#include <memory>

#include "rheo/rendezvous/rendezvous.h"

namespace rheo::rendezvous {

class LocalRendezvous final : public Rendezvous {
 public:
  LocalRendezvous();
  // Aborts with CANCELLED (derived) whoever still waits.
  ~LocalRendezvous() override;

  Status Send(const RendezvousKey& key, Item item) override;
  void Recv(const RendezvousKey& key, StopToken stop, RecvCallback done) override;
  void Abort(const Status& status) override;
  std::vector<WaitingRecv> Waiting() const override;

  // The value of `key` if one is there now (it is taken), the abort's status, or NOT_FOUND.
  StatusOr<Item> TryTake(const RendezvousKey& key);

  // Whether a value waits for its receiver.
  bool HasValues() const;

  // Back to the state after construction, for reuse by another step. Precondition: no waiters and
  // no concurrent calls.
  void Reset();

 private:
  // Shared with stop callbacks that may outlive the step.
  struct Table;
  std::shared_ptr<Table> table_;
};

}  // namespace rheo::rendezvous

#endif  // RHEO_RENDEZVOUS_LOCAL_RENDEZVOUS_H_
