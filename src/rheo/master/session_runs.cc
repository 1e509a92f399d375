// The runs of a session: steps, partial runs, callables.
#include <algorithm>
#include <iterator>
#include <utility>

#include "rheo/master/call_guard.h"
#include "rheo/master/master_session.h"
#include "rheo/master/step_ids.h"
#include "rheo/master/transfer_logs.h"

namespace rheo::master {
namespace {

bool WantsMetadata(const service::ExecOptions& exec) {
  return exec.record_timeline || exec.record_costs || exec.record_partition_graphs;
}

}  // namespace

std::shared_ptr<CallGuard> MasterSession::GuardCompiling(const service::Call& call,
                                                         service::Deadline answer_by,
                                                         DoneCallback done) {
  return CallGuard::Start(
      timers_, call, answer_by, "compiling the step and registering its parts",
      [tasks = registering_] { return tasks->Describe(); }, std::move(done));
}

StepOptions MasterSession::OptionsFor(const service::RunOptions& options,
                                      const service::Call& call) {
  option_warnings_.Warn(handle_, options.without_effect);
  StepOptions result;
  result.exec.record_timeline = options.trace >= service::TraceLevel::kFull;
  result.exec.record_partition_graphs = options.output_partition_graphs;
  result.exec.report_allocations_upon_oom = options.report_allocations_upon_oom;
  result.stop = call.stop;
  result.caller_waits = call.caller_waits;
  const int64_t timeout_ms =
      options.timeout_ms != 0 ? options.timeout_ms : config_.operation_timeout_ms;
  if (timeout_ms <= 0 && !call.deadline) return result;
  const Clock::time_point now = Clock::now();
  const service::Deadline granted = WithTimeout(call.deadline, timeout_ms, now);
  if (!granted) return result;
  result.answer_by = WithTimeout(AnswerBy(call.deadline, now), timeout_ms, now);
  result.granted = *granted - now;
  return result;
}

void MasterSession::RunStep(const service::RunStepRequest& request,
                            service::RunStepResponse* response, const service::Call& call,
                            DoneCallback done) {
  if (!request.partial_run_handle.empty()) {
    return RunPartial(request, response, call, std::move(done));
  }
  StepOptions options = OptionsFor(request.options, call);
  if (const std::shared_ptr<const StepRoute> route = steps_.FindRoute(request)) {
    return RunRoute(route, request, response, std::move(options), std::move(done));
  }
  CompileAndRun(request, response, call, std::move(options), std::move(done));
}

void MasterSession::CompileAndRun(const service::RunStepRequest& request,
                                  service::RunStepResponse* response, const service::Call& call,
                                  StepOptions options, DoneCallback done) {
  const StepNames names = NamesOf(request);
  const StepSignature signature = SignatureOf(names);
  CompileExtras extras{.collective_graph_key = request.options.collective_graph_key,
                       .caller_waits = call.caller_waits};
  const auto guard = GuardCompiling(call, options.answer_by, std::move(done));
  // The thread that finishes compiling may be the pool's or a worker's: it must not stay for the
  // run.
  options.caller_waits = false;
  steps_.Get(
      signature,
      [this, &signature, &extras](StepCache::Ready ready) {
        Build(signature, std::move(extras), std::move(ready));
      },
      [self = shared_from_this(), names, guard, &request, response,
       options = std::move(options)](CompiledResult step) mutable {
        DoneCallback done = guard->Take();
        if (done == nullptr) return;
        if (!step.ok()) return done(step.status());
        const auto route = self->steps_.AddRoute(names, *std::move(step));
        self->RunRoute(route, request, response, std::move(options), std::move(done));
      });
}

bool MasterSession::IsMeasured(const CompiledStep& step) const {
  if (config_.build_cost_model <= 0) return false;
  const int64_t run = step.num_runs.fetch_add(1, std::memory_order_relaxed) + 1;
  return (run - config_.build_cost_model_after) % config_.build_cost_model == 0;
}

template <typename Take>
void MasterSession::StartWithId(const std::shared_ptr<StepRun>& run, const CompiledStep& step,
                                StepOptions options, service::RunMetadata& metadata, Take take,
                                DoneCallback done) {
  options.exec.record_costs = IsMeasured(step);
  const bool wants_metadata = WantsMetadata(options.exec);
  const bool wants_transfers = options.exec.record_timeline && step.parts.size() > 1;
  auto fill = [&metadata, wants_metadata, take = std::move(take)](const Status& status,
                                                                  StepRun& run) mutable {
    if (!status.ok()) return;
    take(run);
    if (wants_metadata) metadata = run.TakeMetadata();
  };
  if (!wants_transfers) {
    return run->Start(std::move(options), [fill = std::move(fill), done = std::move(done)](
                                              Status status, StepRun& run) mutable {
      fill(status, run);
      done(std::move(status));
    });
  }
  Workers workers;
  for (const StepPart& part : step.parts) workers.push_back(part.worker);
  options.caller_waits = false;
  auto answer = [workers, &metadata, fill = std::move(fill), done = std::move(done)](
                    Status status, StepRun& run) mutable {
    fill(status, run);
    CollectTransferLogs(workers, run.step_id(),
                        [&metadata, status = std::move(status),
                         done = std::move(done)](trace::StepStats transfers) mutable {
                          std::ranges::move(transfers.devices,
                                            std::back_inserter(metadata.step_stats.devices));
                          done(std::move(status));
                        });
  };
  StartTransferLogs(workers,
                    [run, options = std::move(options), answer = std::move(answer)]() mutable {
                      run->Start(std::move(options), std::move(answer));
                    });
}

template <typename Take>
void MasterSession::StartRun(const std::shared_ptr<StepRun>& run, const CompiledStep& step,
                             StepOptions options, service::RunMetadata& metadata, Take take,
                             DoneCallback done) {
  const int64_t key = step.collective_graph_key;
  if (key == 0) {
    return StartWithId(run, step, std::move(options), metadata, std::move(take), std::move(done));
  }
  const StopToken stop = options.stop;
  const service::Deadline deadline = options.answer_by;
  if (env_.step_sequences->NeedsLeader(key)) options.caller_waits = false;
  TakeStepId(env_, timers_, key, stop, deadline,
             [self = shared_from_this(), run, &step, key, options = std::move(options), &metadata,
              take = std::move(take), done = std::move(done)](StatusOr<StepId> id) mutable {
               if (!id.ok()) return done(id.status());
               options.step = *id;
               auto give_back = [self, key, id = *id,
                                 done = std::move(done)](Status status) mutable {
                 ReturnStepId(self->env_, key, id, status);
                 done(std::move(status));
               };
               self->StartWithId(run, step, std::move(options), metadata, std::move(take),
                                 std::move(give_back));
             });
}

void MasterSession::RunRoute(const std::shared_ptr<const StepRoute>& route,
                             const service::RunStepRequest& request,
                             service::RunStepResponse* response, StepOptions options,
                             DoneCallback done) {
  const std::shared_ptr<StepRun> run = StepRun::Make(route->step, gate_, timers_);
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    run->SetFeed(route->feed_slots[i], request.feeds[i].tensor);
  }
  auto take = [route, response](StepRun& run) {
    for (const StepRoute::Fetch& fetch : route->fetches) {
      response->tensors.push_back({fetch.name, run.Fetch(fetch.slot)});
    }
  };
  StartRun(run, *route->step, std::move(options), response->metadata, std::move(take),
           std::move(done));
}

void MasterSession::PartialRunSetup(const service::PartialRunSetupRequest& request,
                                    service::PartialRunSetupResponse* response,
                                    const service::Call& call, DoneCallback done) {
  const StepSignature signature = SignatureOf({request.feeds, request.fetches, request.targets});
  CompileExtras extras{.for_partial_runs = true, .caller_waits = call.caller_waits};
  const auto guard = GuardCompiling(call, AnswerBy(call.deadline, Clock::now()), std::move(done));
  partial_steps_.Get(
      signature,
      [this, &signature, &extras](StepCache::Ready ready) {
        Build(signature, std::move(extras), std::move(ready));
      },
      [self = shared_from_this(), guard, response](CompiledResult step) {
        DoneCallback done = guard->Take();
        if (done == nullptr) return;
        if (!step.ok()) return done(step.status());
        response->partial_run_handle =
            self->partial_runs_.Add(std::make_shared<PartialRun>(*std::move(step)));
        done(OkStatus());
      });
}

void MasterSession::RunPartial(const service::RunStepRequest& request,
                               service::RunStepResponse* response, const service::Call& call,
                               DoneCallback done) {
  const auto partial = partial_runs_.Find(request.partial_run_handle);
  if (!partial.ok()) return done(partial.status());
  if (request.options.collective_graph_key != 0) {
    return done(InvalidArgument("collective_graph_key must be 0 in a partial run"));
  }
  StatusOr<PartialRun::Stage> stage = (*partial)->Admit(request);
  if (!stage.ok()) return done(stage.status());

  const auto run = std::make_shared<StepRun>((*partial)->step(), gate_, timers_);
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    run->SetFeed(stage->feed_slots[i], request.feeds[i].tensor);
  }
  StepOptions options = OptionsFor({.timeout_ms = request.options.timeout_ms}, call);
  options.is_partial = true;
  options.is_last_partial_run = stage->is_last;
  options.step = (*partial)->id();
  options.feed_slots = stage->feed_slots;
  options.fetch_slots = stage->fetch_slots;
  run->Start(
      std::move(options), [self = shared_from_this(), stage = *std::move(stage), &request, response,
                           done = std::move(done)](Status status, StepRun& run) mutable {
        if (!status.ok() || stage.is_last) self->partial_runs_.Remove(request.partial_run_handle);
        if (status.ok()) {
          for (size_t i = 0; i < request.fetches.size(); ++i) {
            response->tensors.push_back({request.fetches[i], run.Fetch(stage.fetch_slots[i])});
          }
        }
        done(std::move(status));
      });
}

namespace {

// Slots by position in the caller's lists.
std::vector<int> SlotsOf(const std::vector<std::string>& names,
                         const std::vector<std::string>& canonical) {
  std::vector<int> slots;
  slots.reserve(names.size());
  for (const std::string& name : names) slots.push_back(SlotOf(name, canonical));
  return slots;
}

}  // namespace

void MasterSession::MakeCallable(const service::MakeCallableRequest& request,
                                 service::MakeCallableResponse* response, const service::Call& call,
                                 DoneCallback done) {
  const service::CallableOptions& options = request.options;
  if (options.has_feed_or_fetch_devices) {
    return done(Unimplemented("feed_devices and fetch_devices of a callable are not supported"));
  }
  StepSignature signature = SignatureOf({options.feeds, options.fetches, options.targets});
  CompileExtras extras{.tensor_connections = options.tensor_connections,
                       .collective_graph_key = options.run_options.collective_graph_key,
                       .caller_waits = call.caller_waits};
  const auto guard = GuardCompiling(call, AnswerBy(call.deadline, Clock::now()), std::move(done));
  Build(std::move(signature), std::move(extras),
        [self = shared_from_this(), guard, &request, response](CompiledResult step) {
          DoneCallback done = guard->Take();
          if (done == nullptr) {
            if (step.ok()) DeregisterParts(**step);
            return;
          }
          if (!step.ok()) return done(step.status());
          auto callable = std::make_shared<Callable>();
          const StepNames& slots = (*step)->signature.names;
          callable->feed_slots = SlotsOf(request.options.feeds, slots.feeds);
          callable->fetch_slots = SlotsOf(request.options.fetches, slots.fetches);
          callable->options = request.options.run_options;
          callable->step = *std::move(step);
          response->handle = self->callables_.Add(std::move(callable));
          done(OkStatus());
        });
}

void MasterSession::RunCallable(const service::RunCallableRequest& request,
                                service::RunCallableResponse* response, const service::Call& call,
                                DoneCallback done) {
  StatusOr<std::shared_ptr<const Callable>> found = callables_.Find(request.handle);
  if (!found.ok()) return done(found.status());
  std::shared_ptr<const Callable> callable = *std::move(found);
  if (request.feeds.size() < callable->feed_slots.size()) {
    return done(InvalidArgument("the callable takes {} feeds but {} were given",
                                callable->feed_slots.size(), request.feeds.size()));
  }
  const std::shared_ptr<StepRun> run = StepRun::Make(callable->step, gate_, timers_);
  for (size_t i = 0; i < callable->feed_slots.size(); ++i) {
    run->SetFeed(callable->feed_slots[i], request.feeds[i]);
  }
  StepOptions options = OptionsFor(callable->options, call);
  const CompiledStep& step = *callable->step;
  auto take = [callable = std::move(callable), response](StepRun& run) {
    response->fetches.reserve(callable->fetch_slots.size());
    for (int slot : callable->fetch_slots) response->fetches.push_back(run.Fetch(slot));
  };
  StartRun(run, step, std::move(options), response->metadata, std::move(take), std::move(done));
}

void MasterSession::ReleaseCallable(int64_t handle) {
  if (const std::shared_ptr<const Callable> callable = callables_.Remove(handle)) {
    DeregisterParts(*callable->step);
  }
}

}  // namespace rheo::master
