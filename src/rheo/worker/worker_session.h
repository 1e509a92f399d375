// WorkerSession: what a worker keeps for one session of a master: the names and state of its
// devices, the kernels of stateful nodes, the registered graphs.
#ifndef RHEO_WORKER_WORKER_SESSION_H_
#define RHEO_WORKER_WORKER_SESSION_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/kernel/kernel.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/worker/registered_graph.h"
#include "rheo/worker/worker.h"

namespace rheo::worker {

// A device as one session sees it.
struct SessionDevice {
  device::Device* device = nullptr;
  kernel::ResourceManager* resources = nullptr;
};

// Thread-safe. Kept alive by the steps that use it after it was deleted.
class WorkerSession {
 public:
  struct Options {
    std::string handle;     // "" for the legacy session
    std::string task_name;  // this task in the session's cluster
    std::string master_task;
    int64_t master_incarnation = 0;
    std::shared_ptr<const service::ClusterSpec> cluster;  // that came with it; null: the worker's
    std::vector<SessionDevice> devices;
    // What `devices` points to, where the session has devices or state of its own.
    std::vector<std::unique_ptr<device::Device>> own_devices;
    std::vector<std::unique_ptr<kernel::ResourceManager>> own_resources;
    std::shared_ptr<rendezvous::TensorTransport> transport;  // null: no peers
  };
  explicit WorkerSession(Options options) : options_(std::move(options)) {}

  const Options& options() const { return options_; }
  // Counts the calls for the session. Relaxed: nothing depends on the order.
  void NoteUse() { uses_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t uses() const { return uses_.load(std::memory_order_relaxed); }
  // The device of a full or local name; INVALID_ARGUMENT "<name> unknown device."
  StatusOr<SessionDevice> FindDevice(std::string_view name) const;

  // The kernel of a stateful node, made by `make` the first time. Shared by all graphs of the
  // session that have a node of this name on this device.
  StatusOr<std::shared_ptr<kernel::Kernel>> CachedKernel(
      const std::string& device, const std::string& node,
      const std::function<StatusOr<std::unique_ptr<kernel::Kernel>>()>& make);

  std::string NextGraphHandle();
  // False after DropGraphs: the session was deleted while the graph was compiled.
  bool AddGraph(std::string handle, std::shared_ptr<RegisteredGraph> graph);
  std::shared_ptr<RegisteredGraph> FindGraph(std::string_view handle) const;  // null: unknown
  bool RemoveGraph(std::string_view handle);
  int num_graphs() const;
  // Forgets all graphs; the graphs hold the session, so this is how a deleted session goes away.
  void DropGraphs();

 private:
  const Options options_;
  std::atomic<uint64_t> uses_{1};  // it was made
  mutable Mutex mutex_;
  int64_t last_graph_ RHEO_GUARDED_BY(mutex_) = 0;
  bool is_deleted_ RHEO_GUARDED_BY(mutex_) = false;
  StringMap<std::shared_ptr<RegisteredGraph>> graphs_ RHEO_GUARDED_BY(mutex_);
  StringMap<std::shared_ptr<kernel::Kernel>> kernels_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_WORKER_SESSION_H_
