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
#include "rheo/kernel/kernel_registry.h"
#include "rheo/op/op_registry.h"
#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/service/worker_service.h"

namespace rheo::worker {

// Everything a worker uses and does not own; it all outlives the worker.
struct WorkerEnv {
  std::string task_name;  // "/job:worker/replica:0/task:0"
  std::vector<device::Device*> devices;
  const op::OpRegistry* ops = nullptr;
  const kernel::KernelRegistry* kernels = nullptr;
  rendezvous::TensorTransport* transport = nullptr;  // null: a task without peers
  // A transport for a cluster other than the server's own (cluster-spec propagation), in which this
  // task has another name. Null: such sessions have no peers.
  std::function<std::shared_ptr<rendezvous::TensorTransport>(const service::ClusterSpec& cluster,
                                                             const std::string& own_task)>
      make_transport;
  ThreadPool* inter_op_pool = nullptr;
  ThreadPool* intra_op_pool = nullptr;
};

// A blocked receive of a running step, for status pages and logs.
struct BlockedStep {
  StepId step;
  std::string what;  // "edge_3_w from /job:ps/… to /job:worker/…"
  std::chrono::steady_clock::time_point since;
};

// Thread-safe.
class Worker : public service::WorkerService {
 public:
  static std::unique_ptr<Worker> Create(WorkerEnv env);
  virtual std::vector<BlockedStep> BlockedSteps() const = 0;
  // Cancels all running steps with `reason` and refuses new calls with it; returns when none runs
  // and nothing is left in the devices' memory, so that the devices may end before this object.
  virtual void Stop(const Status& reason) = 0;
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_WORKER_H_
