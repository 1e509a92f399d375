#include "rheo/collective/runner.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/collective/algorithms.h"
#include "rheo/collective/merge.h"

namespace rheo::collective {
namespace {

using kernel::CollectiveCall;
using kernel::CollectiveKind;

Status CheckCall(const CollectiveCall& call) {
  if (call.group_size <= 0) {
    return InvalidArgument("group_size must be positive integer but got {}", call.group_size);
  }
  if (!IsPlainData(call.dtype)) {
    return InvalidArgument("values of dtype {} cannot be in a collective", DTypeName(call.dtype));
  }
  int64_t num_bytes = 0;
  if (__builtin_mul_overflow(call.shape.num_elements(), DTypeSize(call.dtype), &num_bytes)) {
    return InvalidArgument("a value of {}{} has more than 2^63-1 bytes", DTypeName(call.dtype),
                           call.shape.ToString());
  }
  return call.plan->kind == CollectiveKind::kReduce ? CheckMergeable(call.dtype) : OkStatus();
}

service::CompleteGroupRequest GroupRequestOf(const CollectiveCall& call) {
  return {.group_key = call.group_key,
          .group_size = call.group_size,
          .device_type = call.device->info().type,
          .device = call.device->info(),
          .is_rheo = true};
}

int32_t TypeOf(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kReduce:
      return kReduction;
    case CollectiveKind::kBroadcast:
      return kBroadcast;
    case CollectiveKind::kGather:
      return kGather;
  }
  return kReduction;
}

service::CompleteInstanceRequest InstanceRequestOf(const CollectiveCall& call) {
  service::CompleteInstanceRequest request;
  request.name = call.plan->name;
  request.type = TypeOf(call.plan->kind);
  request.dtype = call.dtype;
  request.shape = call.shape;
  request.group_key = call.group_key;
  request.group_size = call.group_size;
  request.instance_key = call.instance_key;
  request.device_type = call.device->info().type;
  request.subdiv_offsets.assign(call.plan->ring_offsets.begin(), call.plan->ring_offsets.end());
  request.device = call.device->info().name;
  request.is_source = call.plan->is_source;
  return request;
}

// Starts the algorithm once everybody is known.
void Begin(const std::shared_ptr<Exchange>& exchange, int source_rank) {
  const CollectiveCall& call = exchange->call();
  const int rank = exchange->group().RankOf(call.device->info().name);
  if (rank < 0) {
    return exchange->Fail(
        Internal("{} is not in the group that the leader told", call.device->info().name));
  }
  const std::string instance =
      fmt::format("{}:{}:{}:{}", call.group_key, call.instance_key, call.frame, call.iteration);
  exchange->Join(instance);
  if (call.plan->kind == CollectiveKind::kReduce) return ReduceInRings(exchange, rank, instance);
  if (call.plan->kind == CollectiveKind::kGather) return GatherInRing(exchange, rank, instance);
  if (source_rank < 0 || source_rank >= exchange->group().size()) {
    return exchange->Fail(
        Internal("rank {} of the broadcast's source is not in the group", source_rank));
  }
  BroadcastInTrees(exchange, rank, source_rank, instance);
}

}  // namespace

Runner::Runner(RunnerEnv env)
    : env_(std::move(env)),
      exchange_({.workers = env_.workers, .pool = env_.pool, .timers = &timers_}),
      resolver_(std::make_shared<Resolver>(env_.task_name, env_.leader, env_.workers)) {}

void Runner::Run(CollectiveCall call, Callback done) {
  if (Status status = CheckCall(call); !status.ok()) return done(std::move(status));
  std::shared_ptr<BufferTable> buffers = env_.buffers_of(call.step);
  if (buffers == nullptr) {
    return done(AsDerived(Aborted("step {} is gone", call.step.value)));
  }
  const auto group_request =
      std::make_shared<const service::CompleteGroupRequest>(GroupRequestOf(call));
  auto finish = [resolver = resolver_, key = call.group_key,
                 done = std::move(done)](StatusOr<Tensor> result) mutable {
    // Whoever failed may have been restarted.
    if (!result.ok()) resolver->Forget(key);
    done(std::move(result));
  };
  auto exchange =
      std::make_shared<Exchange>(exchange_, std::move(call), std::move(buffers), std::move(finish));
  exchange->Start();
  resolver_->FindGroup(
      *group_request, exchange->stop(),
      [resolver = resolver_, exchange, group_request](StatusOr<GroupRef> group) {
        if (!group.ok()) {
          exchange->Fail(Prefix(group.status(), exchange->Describe() + ": "));
          return exchange->Release();
        }
        exchange->SetGroup(*group);
        const auto request = std::make_shared<const service::CompleteInstanceRequest>(
            InstanceRequestOf(exchange->call()));
        resolver->FindSource(
            *group, *request, exchange->stop(), [exchange, request](StatusOr<int> source) {
              if (source.ok()) {
                exchange->SetDeclared();
                Begin(exchange, *source);
              } else {
                exchange->Fail(Prefix(source.status(), exchange->Describe() + ": "));
              }
              exchange->Release();
            });
      });
}

}  // namespace rheo::collective
