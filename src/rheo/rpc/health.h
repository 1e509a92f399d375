// HealthService: grpc.health.v1, by which load balancers and operators learn whether a server
// serves.
#ifndef RHEO_RPC_HEALTH_H_
#define RHEO_RPC_HEALTH_H_

#include <list>
#include <memory>

#include "rheo/base/mutex.h"
#include "rheo/rpc/method_table.h"

namespace rheo::rpc {

// Check answers once, Watch at once and with every change. Both know "" and the names of the
// services that a task may have; of others Check says NOT_FOUND and Watch SERVICE_UNKNOWN.
// Thread-safe.
class HealthService {
 public:
  HealthService();
  // Precondition: Shutdown() was called if AddTo() was.
  ~HealthService();
  HealthService(const HealthService&) = delete;
  HealthService& operator=(const HealthService&) = delete;

  // This outlives the table.
  void AddTo(MethodTable& table);
  // From now on the answer is NOT_SERVING; watchers are told.
  void StopServing();
  // Ends the calls of all watchers, present and future.
  void Shutdown();

 private:
  class Watcher;

  void Check(grpc::ByteBuffer request, Respond respond);
  void Watch(grpc::ByteBuffer request, const service::Call& call, AnswerStream& stream);
  void Leave(Watcher& watcher);

  Mutex mutex_;
  bool is_serving_ RHEO_GUARDED_BY(mutex_) = true;
  bool is_shut_down_ RHEO_GUARDED_BY(mutex_) = false;
  // Whoever takes a watcher out ends its call.
  std::list<std::shared_ptr<Watcher>> watchers_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_HEALTH_H_
