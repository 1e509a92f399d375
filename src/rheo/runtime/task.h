// Task: the devices, pools, worker and master of one task, without a port.
#ifndef RHEO_RUNTIME_TASK_H_
#define RHEO_RUNTIME_TASK_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/thread_pool.h"
#include "rheo/device/device.h"
#include "rheo/master/master.h"
#include "rheo/runtime/registries.h"
#include "rheo/runtime/session_collector.h"
#include "rheo/runtime/task_status.h"
#include "rheo/service/limits.h"
#include "rheo/service/session_config.h"
#include "rheo/worker/worker.h"

namespace rheo::runtime {

struct TaskOptions {
  std::string task_name = "/job:localhost/replica:0/task:0";
  service::SessionConfig config;  // device_count, thread counts, defaults of sessions
  std::shared_ptr<const service::ClusterSpec> cluster;  // for masters that compare; may be null
  std::chrono::milliseconds forming_timeout = std::chrono::minutes(10);
  std::chrono::milliseconds session_idle_limit{0};
  // Sessions that other masters made here are dropped when their master cannot be reached for this
  // long; 0: never.
  std::chrono::milliseconds lost_master_limit{0};
  service::Limits limits = service::Limits::None();
  const Registries* registries = nullptr;  // null: BuiltIn()
  std::function<void()> housekeeping;      // called every few seconds by the task's timer
};

// How a task reaches others.
struct TaskPeers {
  std::shared_ptr<service::WorkerDirectory> workers;
  std::shared_ptr<rendezvous::TensorTransport> transport;
  std::function<std::shared_ptr<rendezvous::TensorTransport>(const service::ClusterSpec& cluster,
                                                             const std::string& own_task)>
      make_transport;
  worker::MasterWatch::FindTask find_master;  // null where lost_master_limit is 0
  // Called once, when the worker exists: the directory must find it, and other directories too.
  std::function<service::DirectoryFactory(std::shared_ptr<service::WorkerService> own_worker)>
      on_worker;
};

// Any number in one process: they share nothing but code and the registries.
class Task {
 public:
  // INVALID_ARGUMENT for a device type that there is no factory for, and for a share of memory that
  // is none.
  static StatusOr<std::unique_ptr<Task>> Create(TaskOptions options, TaskPeers peers);
  // A task without peers.
  static StatusOr<std::unique_ptr<Task>> CreateAlone(TaskOptions options);
  // Stops master and worker.
  ~Task();

  const std::string& name() const { return options_.task_name; }
  master::Master& master() { return *master_; }
  worker::Worker& worker() { return *worker_; }
  std::vector<device::DeviceInfo> devices() const;
  // Ends with `reason` the steps that wait for other steps: a dequeue, say.
  void StopWaitingSteps(const Status& reason) { worker_->StopWaitingSteps(reason); }
  // Ends all sessions and steps with `reason`.
  void Stop(const Status& reason);

 private:
  void KeepHouse();

  explicit Task(TaskOptions options) : options_(std::move(options)) {}

  const TaskOptions options_;
  TaskPeers peers_;
  std::unique_ptr<ThreadPool> intra_op_pool_;
  std::unique_ptr<ThreadPool> inter_op_pool_;
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::shared_ptr<worker::Worker> worker_;
  std::unique_ptr<master::Master> master_;
  std::unique_ptr<BlockedStepLog> blocked_log_;
  std::unique_ptr<SessionCollector> collector_;  // null: none
  std::unique_ptr<TimerQueue> timers_;           // goes before what runs on it
};

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_TASK_H_
