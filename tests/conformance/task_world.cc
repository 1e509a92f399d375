#include "task_world.h"

#include "rheo/rpc/remote_master.h"
#include "rheo/rpc/remote_worker.h"

namespace rheo {
namespace {

// Waits until it is stopped.
class HoldKernel final : public kernel::AsyncKernel {
 public:
  explicit HoldKernel(std::shared_ptr<Notification> entered) : entered_(std::move(entered)) {}

  void ComputeAsync(kernel::KernelContext& context, DoneCallback done) override {
    done_ = std::move(done);
    entered_->Notify();
    on_stop_.emplace(context.stop(), [this] {
      DoneCallback stopped = std::move(done_);
      stopped(AsDerived(Cancelled("the operation was cancelled")));
    });
  }

 private:
  const std::shared_ptr<Notification> entered_;
  DoneCallback done_;
  std::optional<StopCallback> on_stop_;
};

void RegisterHold(runtime::Registries& registries, std::shared_ptr<Notification> entered) {
  auto schema = op::ParseSignature("Hold\t\t\t\tstateful");
  ASSERT_TRUE(schema.ok()) << schema.status();
  ASSERT_TRUE(registries.ops.Add(*std::move(schema)).ok());
  registries.kernels.Add({.op = "Hold",
                          .factory = [entered = std::move(entered)](const kernel::KernelInit&)
                              -> StatusOr<std::unique_ptr<kernel::Kernel>> {
                            return std::make_unique<HoldKernel>(entered);
                          }});
}

// Not the owner.
template <typename T>
std::shared_ptr<T> Borrowed(T& object) {
  return {std::shared_ptr<void>(), &object};
}

}  // namespace

TaskWorld::TaskWorld(Reach reach) {
  EXPECT_TRUE(runtime::RegisterAll(registries_).ok());
  RegisterHold(registries_, hold_entered_);
  auto task = runtime::Task::CreateAlone({.task_name = kTask, .registries = &registries_});
  EXPECT_TRUE(task.ok()) << task.status();
  task_ = *std::move(task);
  if (reach == Reach::kDirect) {
    master_ = Borrowed<service::MasterService>(task_->master());
    worker_ = Borrowed<service::WorkerService>(task_->worker());
    return;
  }
  auto server = rpc::RpcServer::Bind({.address = "127.0.0.1:0"});
  EXPECT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  server_->Start(&task_->master(), &task_->worker());
  const std::string address = "127.0.0.1:" + std::to_string(server_->port());
  master_ = rpc::ConnectMaster(client_, address);
  worker_ = rpc::ConnectWorker(client_, kTask, address);
}

TaskWorld::~TaskWorld() {
  client_.Shutdown();
  if (server_ != nullptr) server_->Shutdown({});
}

}  // namespace rheo
