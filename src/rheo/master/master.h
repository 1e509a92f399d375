// Master: the direct MasterService of a task: sessions, placed graphs, compiled steps.
#ifndef RHEO_MASTER_MASTER_H_
#define RHEO_MASTER_MASTER_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/thread_pool.h"
#include "rheo/device/device.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/op/op_registry.h"
#include "rheo/passes/passes.h"
#include "rheo/service/limits.h"
#include "rheo/service/master_service.h"
#include "rheo/service/step_sequences.h"
#include "rheo/service/worker_service.h"

namespace rheo::master {

// Everything a master uses and does not own; it all outlives the master.
struct MasterEnv {
  std::string task_name;                          // the task whose server this master belongs to
  std::vector<device::DeviceInfo> local_devices;  // the first is the client device
  const op::OpRegistry* ops = nullptr;
  const op::KernelCatalog* local_kernels = nullptr;
  uint64_t local_kernels_fingerprint = 0;  // 0: peers tell their kernels even if they are the same
  const op::KernelCatalog* tensorflow_kernels = nullptr;  // for TensorFlow peers
  std::shared_ptr<service::WorkerDirectory> workers;
  service::DirectoryFactory make_directory;  // for cluster-spec propagation
  passes::ConstantEvaluator evaluator;       // null: no constant folding
  ThreadPool* pool = nullptr;                // for compiling steps
  service::SessionConfig default_config;
  // Ids of steps with collectives, shared with the task's worker; null: the master's own.
  std::shared_ptr<service::StepSequences> step_sequences;
  // How long CreateSession waits for missing tasks when the client gives no timeout.
  std::chrono::milliseconds forming_timeout = std::chrono::minutes(10);
  // Sessions that nobody used for this long are closed, since their clients may have vanished; 0:
  // they stay.
  std::chrono::milliseconds session_idle_limit{0};
  service::Limits limits = service::Limits::None();  // of sessions and their graphs
};

// Thread-safe.
class Master : public service::MasterService {
 public:
  static std::unique_ptr<Master> Create(MasterEnv env);
  // Closes all sessions and refuses new ones with `reason`.
  virtual void Stop(const Status& reason) = 0;
  virtual int num_sessions() const = 0;
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_MASTER_H_
