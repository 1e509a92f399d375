// ClusterDirectory: the WorkerDirectory of a cluster specification.
#ifndef RHEO_RPC_WORKER_DIRECTORY_H_
#define RHEO_RPC_WORKER_DIRECTORY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/remote_worker.h"
#include "rheo/service/cluster_spec.h"
#include "rheo/service/worker_service.h"

namespace rheo::rpc {

// Thread-safe. `client` outlives it.
class ClusterDirectory final : public service::WorkerDirectory {
 public:
  // `own_task` may be absent from the cluster, and "" for a process that is no task.
  ClusterDirectory(RpcClient& client, service::ClusterSpec cluster, std::string own_task);

  // The direct object behind own_task. Set once, before the first Find of it; it is separate from
  // the constructor because a worker needs a transport, which needs a directory.
  void SetOwnWorker(std::shared_ptr<service::WorkerService> worker);

  std::vector<std::string> TaskNames() const override;
  std::shared_ptr<service::WorkerService> Find(std::string_view task_name) override;
  std::string Address(std::string_view task_name) const override;

  // Whether a task's last GetStatus said that it is a Rheo task; false when nobody asked.
  bool IsRheoPeer(std::string_view task_name) const;
  // For tasks that are known to be Rheo in another way. Ignored for unknown names.
  void SetRheoPeer(std::string_view task_name, bool is_rheo);

 private:
  // Made at the start; the stub on demand.
  struct Task {
    std::string address;
    std::shared_ptr<PeerTraits> traits = std::make_shared<PeerTraits>();
    std::shared_ptr<service::WorkerService> worker;
  };

  RpcClient& client_;
  const service::ClusterSpec cluster_;
  const std::string own_task_;
  mutable Mutex mutex_;
  StringMap<Task> tasks_ RHEO_GUARDED_BY(mutex_);  // the keys never change
};

// Makes directories of other clusters over `client`, in which the task we are is `own_worker`.
service::DirectoryFactory MakeDirectoryFactory(RpcClient& client,
                                               std::shared_ptr<service::WorkerService> own_worker);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_WORKER_DIRECTORY_H_
