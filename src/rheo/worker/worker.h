// Worker: the direct WorkerService of a task: worker sessions, registered graphs, running steps.
#ifndef RHEO_WORKER_WORKER_H_
#define RHEO_WORKER_WORKER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/thread_pool.h"
#include "rheo/device/device.h"
#include "rheo/executor/waiting_ops.h"
#include "rheo/kernel/collectives.h"
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"
#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/service/limits.h"
#include "rheo/service/step_sequences.h"
#include "rheo/service/worker_service.h"
#include "rheo/worker/master_watch.h"

namespace rheo::worker {

// Everything a worker uses and does not own; it all outlives the worker.
struct WorkerEnv {
  std::string task_name;  // "/job:worker/replica:0/task:0"
  std::vector<device::Device*> devices;
  const op::OpRegistry* ops = nullptr;
  const kernel::KernelRegistry* kernels = nullptr;
  uint64_t kernels_fingerprint = 0;  // of their catalog; masters that have the same need no copy
  rendezvous::TensorTransport* transport = nullptr;  // null: a task without peers
  // A transport for a cluster other than the server's own (cluster-spec propagation), in which this
  // task has another name. Null: such sessions have no peers.
  std::function<std::shared_ptr<rendezvous::TensorTransport>(const service::ClusterSpec& cluster,
                                                             const std::string& own_task)>
      make_transport;
  // Told to masters that ask; null: not told.
  std::shared_ptr<const service::ClusterSpec> cluster;
  ThreadPool* inter_op_pool = nullptr;
  ThreadPool* intra_op_pool = nullptr;
  service::Limits limits = service::Limits::None();  // of sessions and of registered graphs
  // Other tasks, for collectives; null: a task without peers. Outlives the worker's calls.
  service::WorkerDirectory* workers = nullptr;
  std::string collective_leader;   // as SessionConfig's collective_group_leader
  int64_t recv_buf_max_chunk = 0;  // as SessionConfig's
  std::shared_ptr<service::StepSequences> step_sequences;  // null: its own
  // Set by the worker itself:
  executor::WaitingOps* waiting_ops = nullptr;
  kernel::Collectives* collectives = nullptr;
};

// What a running step waits for, for status pages and logs.
struct BlockedStep {
  StepId step;
  // A value, "edge_3_w from /job:ps/… to /job:worker/…", or an operation, "d = QueueDequeueV2(q)".
  std::string what;
  std::chrono::steady_clock::time_point since;
};

struct WorkerCounts {
  int sessions = 0;
  int sessions_ever = 0;
  int graphs = 0;
  int steps = 0;  // running, or kept for requests of other tasks
};

// Thread-safe.
class Worker : public service::WorkerService {
 public:
  static std::unique_ptr<Worker> Create(WorkerEnv env);
  virtual std::vector<BlockedStep> BlockedSteps() const = 0;
  virtual WorkerCounts counts() const = 0;
  // Other masters whose sessions are kept here.
  virtual std::vector<KnownMaster> ForeignMasters() const = 0;
  // Deletes the sessions of a master that is gone; returns how many there were.
  virtual int DropSessionsOf(const std::string& master_task, int64_t incarnation) = 0;
  // Ends with `reason` the steps that wait in an operation for other steps (a dequeue, say).
  virtual void StopWaitingSteps(const Status& reason) = 0;
  // Cancels all running steps with `reason` and refuses new calls with it; returns when none runs
  // and nothing is left in the devices' memory, so that the devices may end before this object.
  virtual void Stop(const Status& reason) = 0;
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_WORKER_H_
