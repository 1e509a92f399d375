#include "rheo/runtime/task.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/device/device_name.h"
#include "rheo/devices/cpu/factory.h"
#include "rheo/devices/sim/factory.h"
#include "rheo/op/catalog_fingerprint.h"
#include "rheo/runtime/constant_evaluator.h"

namespace rheo::runtime {
namespace {

// The directory of a task that is a cluster by itself.
class LoneDirectory final : public service::WorkerDirectory {
 public:
  explicit LoneDirectory(std::string task) : task_(std::move(task)) {}

  std::vector<std::string> TaskNames() const override { return {task_}; }
  std::shared_ptr<service::WorkerService> Find(std::string_view task_name) override {
    return task_name == task_ ? worker_ : nullptr;
  }
  std::string Address(std::string_view) const override { return "this process"; }
  void SetWorker(std::shared_ptr<service::WorkerService> worker) { worker_ = std::move(worker); }

 private:
  const std::string task_;
  // Set before anybody asks.
  std::shared_ptr<service::WorkerService> worker_;
};

// More threads or devices than this are a slip of the pen, and not to be had on most machines.
constexpr int kMaxThreadsOrDevices = 10'000;

Status CheckConfig(const service::SessionConfig& config) {
  const auto check = [](std::string_view what, int count) {
    if (count <= kMaxThreadsOrDevices) return OkStatus();
    return InvalidArgument("{} is {}; it can be {} at most", what, count, kMaxThreadsOrDevices);
  };
  RHEO_RETURN_IF_ERROR(check("intra_op_parallelism_threads", config.intra_op_threads));
  RHEO_RETURN_IF_ERROR(check("inter_op_parallelism_threads", config.inter_op_threads));
  for (const auto& [type, count] : config.device_count) {
    RHEO_RETURN_IF_ERROR(check(fmt::format("device_count of {}", type), count));
  }
  if (config.collective_group_leader.empty()) return OkStatus();
  const auto leader = device::DeviceName::Parse(config.collective_group_leader);
  if (leader.ok() && leader->job && leader->task) return OkStatus();
  return InvalidArgument(
      "the collective_group_leader '{}' is no task; one is named like /job:worker/replica:0/task:0",
      config.collective_group_leader);
}

// CPU devices always; others where the configuration asks for them.
StatusOr<std::vector<std::unique_ptr<device::Device>>> MakeDevices(
    const std::string& task_name, const service::SessionConfig& config) {
  std::vector<std::unique_ptr<device::DeviceFactory>> factories;
  factories.push_back(devices::cpu::MakeFactory());
  factories.push_back(devices::sim::MakeFactory({.memory_fraction = config.gpu_memory_fraction}));
  std::vector<std::unique_ptr<device::Device>> all;
  for (const auto& factory : factories) {
    const auto asked = config.device_count.find(std::string(factory->type()));
    int count = asked == config.device_count.end() ? factory->DefaultCount() : asked->second;
    // The client device must exist.
    if (factory->type() == "CPU" && count < 1) count = 1;
    RHEO_ASSIGN_OR_RETURN(auto made, factory->Make(task_name, count));
    for (auto& device : made) all.push_back(std::move(device));
  }
  return all;
}

}  // namespace

StatusOr<std::unique_ptr<Task>> Task::CreateAlone(TaskOptions options) {
  auto directory = std::make_shared<LoneDirectory>(options.task_name);
  TaskPeers peers;
  peers.workers = directory;
  peers.on_worker = [directory](std::shared_ptr<service::WorkerService> worker) {
    directory->SetWorker(std::move(worker));
    return service::DirectoryFactory();
  };
  return Create(std::move(options), std::move(peers));
}

StatusOr<std::unique_ptr<Task>> Task::Create(TaskOptions options, TaskPeers peers) {
  RHEO_RETURN_IF_ERROR(CheckConfig(options.config));
  if (options.registries == nullptr) options.registries = &BuiltIn();
  auto task = std::unique_ptr<Task>(new Task(std::move(options)));
  const TaskOptions& o = task->options_;
  task->peers_ = std::move(peers);
  task->intra_op_pool_ = std::make_unique<ThreadPool>(
      ThreadPoolOptions{.name = "intra_op", .num_threads = o.config.intra_op_threads});
  task->inter_op_pool_ = std::make_unique<ThreadPool>(
      ThreadPoolOptions{.name = "inter_op", .num_threads = o.config.inter_op_threads});
  RHEO_ASSIGN_OR_RETURN(task->devices_, MakeDevices(o.task_name, o.config));

  const uint64_t kernels_fingerprint = op::Fingerprint(o.registries->kernels.catalog());
  worker::WorkerEnv env;
  env.task_name = o.task_name;
  for (const auto& device : task->devices_) env.devices.push_back(device.get());
  env.ops = &o.registries->ops;
  env.kernels = &o.registries->kernels;
  env.cluster = o.cluster;
  env.limits = o.limits;
  env.kernels_fingerprint = kernels_fingerprint;
  env.transport = task->peers_.transport.get();
  const auto step_sequences = std::make_shared<service::StepSequences>();
  env.workers = task->peers_.workers.get();
  env.collective_leader = o.config.collective_group_leader;
  env.recv_buf_max_chunk = o.config.recv_buf_max_chunk;
  env.step_sequences = step_sequences;
  env.make_transport = task->peers_.make_transport;
  env.inter_op_pool = task->inter_op_pool_.get();
  env.intra_op_pool = task->intra_op_pool_.get();
  task->worker_ = worker::Worker::Create(std::move(env));

  master::MasterEnv master;
  master.task_name = o.task_name;
  master.local_devices = task->devices();
  master.ops = &o.registries->ops;
  master.local_kernels = &o.registries->kernels.catalog();
  master.local_kernels_fingerprint = kernels_fingerprint;
  master.tensorflow_kernels = &TensorFlowKernels();
  master.make_directory = task->peers_.on_worker(task->worker_);
  master.workers = task->peers_.workers;
  master.step_sequences = step_sequences;
  master.evaluator = MakeConstantEvaluator(o.registries->kernels);
  master.pool = task->inter_op_pool_.get();
  master.default_config = o.config;
  master.forming_timeout = o.forming_timeout;
  master.session_idle_limit = o.session_idle_limit;
  master.limits = o.limits;
  task->master_ = master::Master::Create(std::move(master));
  task->timers_ = std::make_unique<TimerQueue>();
  task->blocked_log_ = std::make_unique<BlockedStepLog>(*task->worker_, *task->timers_);
  if (o.lost_master_limit.count() > 0) {
    task->collector_ = std::make_unique<SessionCollector>(*task->worker_, task->peers_.find_master,
                                                          o.lost_master_limit, *task->timers_);
  }
  if (o.housekeeping != nullptr) task->KeepHouse();
  return task;
}

void Task::KeepHouse() {
  constexpr std::chrono::seconds kEvery(2);
  timers_->Add(std::chrono::steady_clock::now() + kEvery, [this] {
    options_.housekeeping();
    KeepHouse();
  });
}

Task::~Task() { Stop(Unavailable("task {} has ended", options_.task_name)); }

std::vector<device::DeviceInfo> Task::devices() const {
  std::vector<device::DeviceInfo> infos;
  for (const auto& device : devices_) infos.push_back(device->info());
  return infos;
}

void Task::Stop(const Status& reason) {
  // Its callbacks use the pointer, so that the queue stays.
  if (timers_ != nullptr) timers_->Stop();
  collector_.reset();
  blocked_log_.reset();
  if (master_ != nullptr) master_->Stop(reason);
  if (worker_ != nullptr) worker_->Stop(reason);
}

}  // namespace rheo::runtime
