#include "rheo/runtime/constant_evaluator.h"

#include <memory>
#include <utility>
#include <vector>

#include "rheo/devices/cpu/device.h"
#include "rheo/rendezvous/local_rendezvous.h"

namespace rheo::runtime {
namespace {

StatusOr<std::vector<Tensor>> Evaluate(const kernel::KernelRegistry& kernels,
                                       device::Device& device, const graph::Node& node,
                                       std::vector<Tensor> inputs) {
  if (kernels.Find(node.op(), "CPU", node.attrs()) == nullptr) {
    return Unimplemented("there is no kernel for {}", node.op());
  }
  const std::vector<bool> host_inputs(inputs.size(), true);
  const std::vector<bool> host_outputs(static_cast<size_t>(node.num_outputs()), true);
  RHEO_ASSIGN_OR_RETURN(std::unique_ptr<kernel::Kernel> made,
                        kernels.Create({.node_name = node.name(),
                                        .schema = node.schema(),
                                        .attrs = node.attrs(),
                                        .types = node.types(),
                                        .device = device,
                                        .host_inputs = host_inputs,
                                        .host_outputs = host_outputs}));
  if (made->AsAsync() != nullptr) return Unimplemented("{} may wait", node.op());
  rendezvous::LocalRendezvous rendezvous;
  kernel::ResourceManager resources("constants");
  const kernel::StepContext step{.rendezvous = &rendezvous,
                                 .device = &device,
                                 .resources = &resources,
                                 .step_resources = &resources};
  std::vector<kernel::Value> in(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    in[i].state = kernel::Value::State::kLive;
    in[i].tensor = std::move(inputs[i]);
  }
  std::vector<kernel::Value> out(static_cast<size_t>(node.num_outputs()));
  kernel::KernelContext context(
      {.step = &step, .types = &node.types(), .inputs = in, .outputs = out});
  RHEO_RETURN_IF_ERROR(made->Compute(context));
  std::vector<Tensor> results;
  for (kernel::Value& value : out) {
    if (value.state != kernel::Value::State::kLive || value.ref != nullptr) {
      return Unimplemented("{} does not give plain values", node.op());
    }
    results.push_back(std::move(value.tensor));
  }
  return results;
}

}  // namespace

passes::ConstantEvaluator MakeConstantEvaluator(const kernel::KernelRegistry& kernels) {
  StatusOr<std::unique_ptr<devices::cpu::CpuDevice>> made =
      devices::cpu::CpuDevice::Create("/job:constants/replica:0/task:0/device:CPU:0");
  std::shared_ptr<device::Device> device = *std::move(made);
  return [&kernels, device](const graph::Node& node, std::vector<Tensor> inputs) {
    return Evaluate(kernels, *device, node, std::move(inputs));
  };
}

}  // namespace rheo::runtime
