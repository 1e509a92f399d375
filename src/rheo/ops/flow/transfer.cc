// Send and Recv: the two ends of a value's way from one device or task to another, or from and to
// the client, over the rendezvous of the step. What is in a rendezvous is in host memory.
#include <utility>

#include "rheo/ops/flow/kernels.h"
#include "rheo/rendezvous/rendezvous.h"
#include "rheo/trace/device_work.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;
using rendezvous::Item;
using rendezvous::RendezvousKey;

// The key of the node in the root frame.
StatusOr<RendezvousKey> KeyOf(const KernelInit& init) {
  rendezvous::Channel channel;
  RHEO_ASSIGN_OR_RETURN(channel.src_device, init.attrs.Get<std::string>("send_device"));
  RHEO_ASSIGN_OR_RETURN(channel.dst_device, init.attrs.Get<std::string>("recv_device"));
  RHEO_ASSIGN_OR_RETURN(channel.edge, init.attrs.Get<std::string>("tensor_name"));
  RHEO_ASSIGN_OR_RETURN(const int64_t incarnation,
                        init.attrs.Get<int64_t>("send_device_incarnation"));
  channel.src_incarnation = Incarnation(static_cast<uint64_t>(incarnation));
  return RendezvousKey(std::move(channel));
}

RendezvousKey KeyInFrame(const RendezvousKey& key, const KernelContext& c) {
  return c.frame() == 0 && c.iteration() == 0 ? key : key.At(c.frame(), c.iteration());
}

Status NoRendezvous() { return Internal("the step has no rendezvous"); }

class SendKernel final : public kernel::Kernel {
 public:
  explicit SendKernel(RendezvousKey key) : key_(std::move(key)) {}

  Status Compute(KernelContext& c) override {
    rendezvous::Rendezvous* const rendezvous = c.step().rendezvous;
    if (rendezvous == nullptr) return NoRendezvous();
    Item item{.tensor = {}, .is_dead = c.is_dead()};
    if (!item.is_dead) item.tensor = c.TakeInput(0);
    return rendezvous->Send(KeyInFrame(key_, c), std::move(item));
  }

 private:
  const RendezvousKey key_;
};

// Sends a value that lies in a device's memory: what is in the rendezvous is in host memory.
class DeviceSendKernel final : public kernel::AsyncKernel {
 public:
  DeviceSendKernel(RendezvousKey key, device::Device& device)
      : key_(std::move(key)), device_(device) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    rendezvous::Rendezvous* const rendezvous = c.step().rendezvous;
    if (rendezvous == nullptr) return done(NoRendezvous());
    if (c.is_dead()) return done(rendezvous->Send(KeyInFrame(key_, c), {.is_dead = true}));
    const Tensor value = c.TakeInput(0);
    device_.CopyToHost(value, [rendezvous, key = KeyInFrame(key_, c),
                               done = std::move(done)](StatusOr<Tensor> copy) mutable {
      done(copy.ok() ? rendezvous->Send(key, {.tensor = *std::move(copy)}) : copy.status());
    });
  }

 private:
  const RendezvousKey key_;
  device::Device& device_;
};

StatusOr<std::unique_ptr<kernel::Kernel>> MakeSend(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(RendezvousKey key, KeyOf(init));
  if (init.device.is_host_memory() || init.host_inputs.at(0)) {
    return std::make_unique<SendKernel>(std::move(key));
  }
  return std::make_unique<DeviceSendKernel>(std::move(key), init.device);
}

class RecvKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(RendezvousKey key, KeyOf(init));
    const bool to_host = init.device.is_host_memory() || init.host_outputs.at(0);
    return std::make_unique<RecvKernel>(std::move(key), to_host ? nullptr : &init.device);
  }
  // `device` is where values are copied to; null: they stay in host memory.
  RecvKernel(RendezvousKey key, device::Device* device) : key_(std::move(key)), device_(device) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    rendezvous::Rendezvous* const rendezvous = c.step().rendezvous;
    if (rendezvous == nullptr) return done(NoRendezvous());
    // The value may come on any thread.
    std::shared_ptr<const trace::DeviceWork> work;
    if (device_ != nullptr) work = trace::CurrentDeviceWork();
    rendezvous->Recv(
        KeyInFrame(key_, c), c.stop(),
        [this, &c, work = std::move(work), done = std::move(done)](StatusOr<Item> item) mutable {
          if (!item.ok()) return done(item.status());
          if (device_ == nullptr || item->is_dead) {
            return done(Deliver(c, *std::move(item)));
          }
          const trace::DeviceWorkScope scope(std::move(work));
          DeliverOnDevice(c, item->tensor, std::move(done));
        });
  }

 private:
  // The executor checks the dtype, as of every output.
  static Status Deliver(KernelContext& c, Item item) {
    if (item.is_dead) {
      c.set_output_dead(0);
      return OkStatus();
    }
    c.set_output(0, std::move(item.tensor));
    return OkStatus();
  }

  void DeliverOnDevice(KernelContext& c, const Tensor& value, DoneCallback done) const {
    device_->CopyFromHost(value, [&c, done = std::move(done)](StatusOr<Tensor> copy) mutable {
      const Status status = copy.status();
      if (status.ok()) c.set_output(0, *std::move(copy));
      done(status);
    });
  }

  const RendezvousKey key_;
  device::Device* const device_;
};

}  // namespace

void AddTransferKernels(TableKernels& kernels) {
  for (const char* op : {"_Send", "_HostSend", "Send"}) {
    kernels.Add(op, &MakeSend);
  }
  for (const char* op : {"_Recv", "_HostRecv", "Recv"}) {
    kernels.Add(op, kernel::ClassKernel<RecvKernel>());
  }
}

}  // namespace rheo::ops
