// Tasks with one or more devices that reach each other directly, for the tests of collectives.
#ifndef RHEO_COLLECTIVE_WORLD_FOR_TEST_H_
#define RHEO_COLLECTIVE_WORLD_FOR_TEST_H_

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/collective/runner.h"

namespace rheo::collective {

class TestDevice final : public device::Device {
 public:
  explicit TestDevice(const std::string& name)
      : info_{.name = name, .type = "CPU", .incarnation = NewIncarnation()},
        name_(device::DeviceName::Parse(name).value()) {}

  const device::DeviceInfo& info() const override { return info_; }
  const device::DeviceName& name() const override { return name_; }
  Allocator& allocator() override { return HostAllocator(); }
  device::Stream* stream() override { return nullptr; }
  bool is_host_memory() const override { return true; }
  void CopyToHost(const Tensor& t, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    done(t);
  }
  void CopyFromHost(const Tensor& t, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    done(t);
  }

  device::DeviceInfo info_;

 private:
  const device::DeviceName name_;
};

// One task: answers what other tasks ask of its collectives. It has one step at a time.
class TestTask final : public service::WorkerService {
 public:
  TestTask(const std::string& name, int num_devices, const std::string& leader,
           service::WorkerDirectory* workers)
      : runner(
            {.task_name = name, .leader = leader, .workers = workers, .buffers_of = [this](StepId) {
               return buffers;
             }}) {
    for (int i = 0; i < num_devices; ++i) {
      devices.push_back(std::make_unique<TestDevice>(fmt::format("{}/device:CPU:{}", name, i)));
    }
  }

  void RecvBuf(const service::RecvBufRequest& request, service::RecvBufResponse* response,
               const service::Call& call, DoneCallback done) override {
    keys.push_back(request.key);
    for (const auto& device : devices) {
      if (device->info().name == request.src_device &&
          device->info().incarnation != request.src_incarnation) {
        return done(FailedPrecondition("{} was restarted", request.src_device));
      }
    }
    auto table = buffers;
    const Wanted wanted{.key = request.key,
                        .from = request.src_device,
                        .to = request.dst_device,
                        .num_bytes = request.num_bytes,
                        .terms = others_are_rheo ? request.terms : ""};
    table->Take(wanted, call.stop,
                [table, response, done = std::move(done)](StatusOr<Tensor> piece) mutable {
                  if (!piece.ok()) return done(piece.status());
                  response->value = *std::move(piece);
                  done(OkStatus());
                });
  }
  void CompleteGroup(const service::CompleteGroupRequest& request,
                     service::CompleteGroupResponse* response, const service::Call& call,
                     DoneCallback done) override {
    ++groups_asked;
    service::CompleteGroupRequest joining = request;
    joining.is_rheo = others_are_rheo;
    runner.resolver().OnCompleteGroup(joining, response, call, std::move(done));
  }
  void CompleteInstance(const service::CompleteInstanceRequest& request,
                        service::CompleteInstanceResponse* response, const service::Call& call,
                        DoneCallback done) override {
    runner.resolver().OnCompleteInstance(request, response, call, std::move(done));
  }

#define RHEO_NOT_CALLED(Method)                                                                  \
  void Method(const service::Method##Request&, service::Method##Response*, const service::Call&, \
              DoneCallback done) override {                                                      \
    std::move(done)(Unimplemented(#Method));                                                     \
  }
  RHEO_NOT_CALLED(GetStatus)
  RHEO_NOT_CALLED(CreateWorkerSession)
  RHEO_NOT_CALLED(DeleteWorkerSession)
  RHEO_NOT_CALLED(RegisterGraph)
  RHEO_NOT_CALLED(DeregisterGraph)
  RHEO_NOT_CALLED(RunGraph)
  RHEO_NOT_CALLED(CleanupGraph)
  RHEO_NOT_CALLED(CleanupAll)
  RHEO_NOT_CALLED(RecvTensor)
  RHEO_NOT_CALLED(PushTensors)
  RHEO_NOT_CALLED(MarkRecvFinished)
  RHEO_NOT_CALLED(GetStepSequence)
  RHEO_NOT_CALLED(Logging)
#undef RHEO_NOT_CALLED

  std::shared_ptr<BufferTable> buffers = std::make_shared<BufferTable>();
  Runner runner;
  std::vector<std::unique_ptr<TestDevice>> devices;
  std::vector<std::string> keys;  // that others asked for
  int groups_asked = 0;
  // false: what others ask for comes as from TensorFlow's tasks.
  bool others_are_rheo = true;
};

// Tasks /job:w/replica:0/task:0 …; task 0 is the leader. Everything runs on the test's thread.
class TestWorld final : public service::WorkerDirectory {
 public:
  explicit TestWorld(const std::vector<int>& devices_of_tasks) {
    for (size_t i = 0; i < devices_of_tasks.size(); ++i) {
      const std::string name = TaskName(i);
      tasks.push_back(std::make_shared<TestTask>(name, devices_of_tasks[i], TaskName(0), this));
      for (auto& device : tasks.back()->devices)
        members.emplace_back(tasks.back().get(), device.get());
    }
  }

  static std::string TaskName(size_t i) { return fmt::format("/job:w/replica:0/task:{}", i); }
  std::vector<std::string> TaskNames() const override { return {}; }
  std::shared_ptr<service::WorkerService> Find(std::string_view task) override {
    for (size_t i = 0; i < tasks.size(); ++i) {
      if (TaskName(i) == task) return tasks[i];
    }
    return nullptr;
  }
  std::string Address(std::string_view) const override { return ""; }

  // A run of one member, to be looked at when it has ended.
  struct Run {
    kernel::CollectivePlan plan;
    StopSource stop;
    StatusOr<Tensor> result = Internal("has not ended");
    std::atomic<bool> is_over = false;  // says that `result` is there
  };
  std::shared_ptr<Run> Start(size_t member, kernel::CollectivePlan plan, Tensor input,
                             const Shape& shape = {}, int32_t instance = 1,
                             int32_t group_size = 0) {
    auto run = std::make_shared<Run>();
    run->plan = std::move(plan);
    run->plan.name = "op";
    kernel::CollectiveCall call{
        .plan = &run->plan,
        .group_key = 7,
        .group_size = group_size != 0 ? group_size : static_cast<int32_t>(members.size()),
        .instance_key = instance,
        .device = members[member].second,
        .step = StepId(1),
        .stop = run->stop.get_token(),
        .input = input,
        .dtype = input.has_value() ? input.dtype() : DType::kFloat,
        .shape = shape.rank() == 0 && input.has_value() ? input.shape() : shape};
    members[member].first->runner.Run(std::move(call), [run](StatusOr<Tensor> result) {
      run->result = std::move(result);
      run->is_over = true;
    });
    return run;
  }
  // The next step of every task.
  void NextStep() {
    for (auto& task : tasks) task->buffers = std::make_shared<BufferTable>();
  }

  std::vector<std::shared_ptr<TestTask>> tasks;
  std::vector<std::pair<TestTask*, TestDevice*>> members;  // by rank
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_WORLD_FOR_TEST_H_
