// KernelContext: what a kernel sees of the step that runs it.
#ifndef RHEO_KERNEL_KERNEL_CONTEXT_H_
#define RHEO_KERNEL_KERNEL_CONTEXT_H_

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include "rheo/async/stop.h"
#include "rheo/async/thread_pool.h"
#include "rheo/base/ids.h"
#include "rheo/base/status.h"
#include "rheo/device/device.h"
#include "rheo/kernel/function_caller.h"
#include "rheo/kernel/resource_manager.h"
#include "rheo/kernel/variable.h"
#include "rheo/op/op_schema.h"
#include "rheo/rendezvous/rendezvous.h"
#include "rheo/tensor/tensor.h"

namespace rheo::kernel {

class Collectives;

// One input or output of a node in a running step.
struct Value {
  enum class State : uint8_t { kAbsent, kLive, kDead };
  State state = State::kAbsent;
  Tensor tensor;                     // of a live value, unless it is a reference
  std::shared_ptr<RefVariable> ref;  // of a live reference
};

// What all nodes of a part share while it runs; constant then.
struct StepContext {
  StepId step;
  StopToken stop;
  rendezvous::Rendezvous* rendezvous = nullptr;
  device::Device* device = nullptr;
  ResourceManager* resources = nullptr;  // of the device
  ResourceManager* step_resources =
      nullptr;  // ends with the step: TensorArrays, stacks, temporaries
  ThreadPool* intra_op_pool = nullptr;
  FunctionCaller* functions = nullptr;  // null where the program has no functions
  CallFrame* call = nullptr;            // of the function whose body the step runs
  Collectives* collectives = nullptr;   // null: kernels cannot meet those of other devices
};

// Used by one kernel call; not thread-safe, except that threads of one ParallelFor may read inputs
// and write into outputs allocated before.
class KernelContext {
 public:
  // Filled by the executor. `types` are the node's.
  struct Params {
    const StepContext* step = nullptr;
    const op::NodeTypes* types = nullptr;
    std::span<Value> inputs;
    std::span<Value> outputs;
    uint64_t frame = 0;
    int64_t iteration = 0;
    bool is_dead = false;  // only Send and Recv run with dead inputs
  };
  explicit KernelContext(const Params& params) : p_(params) {}

  // ---- Inputs, by flattened position
  int num_inputs() const { return static_cast<int>(p_.inputs.size()); }
  // The value; of a reference input of a node that takes it by value, a snapshot.
  const Tensor& input(int i) const { return p_.inputs[static_cast<size_t>(i)].tensor; }
  DType input_type(int i) const { return p_.types->inputs[static_cast<size_t>(i)]; }
  // The variable behind a reference input; never null where the schema says Ref.
  RefVariable& input_ref(int i) const { return *p_.inputs[static_cast<size_t>(i)].ref; }
  const std::shared_ptr<RefVariable>& shared_input_ref(int i) const {
    return p_.inputs[static_cast<size_t>(i)].ref;
  }
  bool is_dead() const { return p_.is_dead; }
  // Takes the tensor out of the input, so that the kernel may hold its only reference.
  Tensor TakeInput(int i) { return std::move(p_.inputs[static_cast<size_t>(i)].tensor); }

  // ---- Outputs
  int num_outputs() const { return static_cast<int>(p_.outputs.size()); }
  DType output_type(int i) const { return p_.types->outputs[static_cast<size_t>(i)]; }
  void set_output(int i, Tensor tensor) {
    Value& v = p_.outputs[static_cast<size_t>(i)];
    v.tensor = std::move(tensor);
    v.state = Value::State::kLive;
  }
  void set_output_ref(int i, std::shared_ptr<RefVariable> ref) {
    Value& v = p_.outputs[static_cast<size_t>(i)];
    v.ref = std::move(ref);
    v.state = Value::State::kLive;
  }
  void set_output_dead(int i) { p_.outputs[static_cast<size_t>(i)].state = Value::State::kDead; }
  const Tensor& output(int i) const { return p_.outputs[static_cast<size_t>(i)].tensor; }

  // Output i as a fresh tensor of its dtype, to be filled. RESOURCE_EXHAUSTED when memory is short.
  // The pointer is valid until the kernel ends.
  StatusOr<Tensor*> AllocateOutput(int i, Shape shape);
  // As AllocateOutput, but takes over the buffer of one of `inputs` when it is of the same dtype
  // and element count and nobody else holds it.
  StatusOr<Tensor*> ForwardOrAllocateOutput(std::initializer_list<int> inputs, int i, Shape shape);
  // Scratch or state memory on the device.
  StatusOr<Tensor> AllocateTemp(DType dtype, Shape shape) const;

  // ---- The step
  const StepContext& step() const { return *p_.step; }
  const StopToken& stop() const { return p_.step->stop; }
  ResourceManager& resources() const { return *p_.step->resources; }
  uint64_t frame() const { return p_.frame; }
  int64_t iteration() const { return p_.iteration; }

  // Shards [0, total) over the intra-op pool; `cost_ns` as ThreadPool::ParallelFor.
  void ParallelFor(int64_t total, int64_t cost_ns,
                   absl::FunctionRef<void(int64_t, int64_t)> body) const {
    if (p_.step->intra_op_pool == nullptr) {
      if (total > 0) body(0, total);
    } else {
      p_.step->intra_op_pool->ParallelFor(total, cost_ns, body);
    }
  }

 private:
  Params p_;
};

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_KERNEL_CONTEXT_H_
