#include <optional>
#include <utility>

#include "rheo/ops/collective/kernels.h"

namespace rheo::ops {

using kernel::CollectiveCall;
using kernel::KernelContext;
using kernel::KernelInit;

namespace {

// The scalar int32 input.
StatusOr<int32_t> KeyInput(KernelContext& c, int input, const char* name) {
  const Tensor& value = c.input(input);
  if (value.rank() == 0) return value.scalar<int32_t>();
  return InvalidArgument("Unexpected dimensions on input {}, got {}", name,
                         value.shape().ToString());
}

StatusOr<int32_t> Int32Attr(const KernelInit& init, const char* name) {
  RHEO_ASSIGN_OR_RETURN(const int64_t value, init.attrs.Get<int64_t>(name));
  return ToInt32(name, value);
}

}  // namespace

StatusOr<InstanceKeys> CollectiveKernel::KeysOf(KernelContext& c) const {
  if (keys_) return *keys_;
  InstanceKeys keys;
  RHEO_ASSIGN_OR_RETURN(keys.group_size, KeyInput(c, first_key_input_, "group_size"));
  RHEO_ASSIGN_OR_RETURN(keys.group_key, KeyInput(c, first_key_input_ + 1, "group_key"));
  RHEO_ASSIGN_OR_RETURN(keys.instance_key, KeyInput(c, first_key_input_ + 2, "instance_key"));
  return keys;
}

void CollectiveKernel::ComputeAsync(KernelContext& c, DoneCallback done) {
  const StatusOr<InstanceKeys> keys = KeysOf(c);
  if (!keys.ok()) return done(keys.status());
  CollectiveCall call{.plan = &plan_,
                      .group_key = keys->group_key,
                      .group_size = keys->group_size,
                      .instance_key = keys->instance_key,
                      .device = c.step().device,
                      .step = c.step().step,
                      .stop = c.stop(),
                      .frame = c.frame(),
                      .iteration = c.iteration()};
  if (Status status = Fill(c, call); !status.ok()) return done(std::move(status));
  kernel::Collectives* const collectives = c.step().collectives;
  if (collectives == nullptr) return done(Internal("the step has no collectives"));
  collectives->Run(std::move(call), [&c, done = std::move(done)](StatusOr<Tensor> result) mutable {
    if (!result.ok()) return done(result.status());
    c.set_output(0, *std::move(result));
    done(OkStatus());
  });
}

StatusOr<std::optional<InstanceKeys>> KeysFromAttrs(const KernelInit& init) {
  if (!init.attrs.Get<int64_t>("group_key").ok()) return std::nullopt;
  InstanceKeys keys;
  RHEO_ASSIGN_OR_RETURN(keys.group_size, Int32Attr(init, "group_size"));
  RHEO_ASSIGN_OR_RETURN(keys.group_key, Int32Attr(init, "group_key"));
  RHEO_ASSIGN_OR_RETURN(keys.instance_key, Int32Attr(init, "instance_key"));
  if (keys.group_size <= 0) {
    return InvalidArgument("group_size must be positive integer but got {}", keys.group_size);
  }
  return keys;
}

StatusOr<int32_t> ToInt32(const char* name, int64_t value) {
  if (value == static_cast<int32_t>(value)) return static_cast<int32_t>(value);
  return InvalidArgument("Attr {} has value {} out of range for an int32", name, value);
}

StatusOr<std::chrono::milliseconds> TimeoutOf(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const float seconds, init.attrs.Get<float>("timeout_seconds"));
  constexpr float kLongest = 1e9f;
  const float sane = seconds > 0 ? std::min(seconds, kLongest) : 0;
  return std::chrono::milliseconds(static_cast<int64_t>(sane * 1000));
}

}  // namespace rheo::ops
