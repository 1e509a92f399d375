// The graph, the compilation and the close of a session; its runs are in session_runs.cc.
#include "rheo/master/master_session.h"

#include <fmt/format.h>

#include <utility>

#include "rheo/base/log.h"
#include "rheo/master/call_guard.h"
#include "rheo/master/when_all.h"

namespace rheo::master {

MasterSession::MasterSession(const MasterEnv& env, TimerQueue& timers,
                             std::shared_ptr<Cleanups> cleanups, SessionHandle handle,
                             service::SessionConfig config,
                             std::shared_ptr<const SessionCluster> cluster,
                             std::shared_ptr<const GraphState> graph)
    : env_(env),
      timers_(timers),
      cleanups_(std::move(cleanups)),
      handle_(std::move(handle)),
      config_(std::move(config)),
      cluster_(std::move(cluster)),
      graph_(std::move(graph)) {}

std::shared_ptr<const GraphState> MasterSession::graph() const {
  MutexLock lock(mutex_);
  return graph_;
}

void MasterSession::Schedule(bool caller_waits, absl::AnyInvocable<void()> work) {
  if (caller_waits || env_.pool == nullptr) return work();
  env_.pool->Schedule(std::move(work));
}

namespace {

Status VersionMismatch(int64_t current, int64_t expected) {
  return Aborted("Current version is {} but caller expected {}.", current, expected);
}

}  // namespace

void MasterSession::Extend(const service::ExtendSessionRequest& request,
                           service::ExtendSessionResponse* response, const service::Call& call,
                           DoneCallback done) {
  Schedule(call.caller_waits, [self = shared_from_this(), &request, response,
                               done = std::move(done)]() mutable {
    if (Status entered = self->gate_->Enter(); !entered.ok()) return done(entered);
    const std::shared_ptr<const GraphState> before = self->graph();
    Status status;
    if (before->version != request.current_graph_version) {
      status = VersionMismatch(before->version, request.current_graph_version);
    } else if (auto next = NextGraphState(before.get(), request.graph, *self->cluster_,
                                          self->config_, *self->env_.ops, self->env_.limits);
               next.ok()) {
      response->new_graph_version = (*next)->version;
      status = self->CommitGraph(*std::move(next));
    } else {
      status = next.status();
    }
    done(std::move(status));
    self->gate_->Leave();
  });
}

// Extensions that started from the same version: the first one wins.
Status MasterSession::CommitGraph(std::shared_ptr<const GraphState> next) {
  MutexLock lock(mutex_);
  if (graph_->version + 1 != next->version) {
    return VersionMismatch(graph_->version, next->version - 1);
  }
  graph_.swap(next);
  lock.Unlock();  // the old version goes without the lock
  return OkStatus();
}

std::string MasterSession::UniqueName(const graph::Graph& graph, std::string_view prefix) {
  while (true) {
    std::string name =
        fmt::format("{}_S{}", prefix, next_name_.fetch_add(1, std::memory_order_relaxed));
    if (graph.FindNode(name) == nullptr) return name;
  }
}

void MasterSession::Build(StepSignature signature, CompileExtras extras, StepCache::Ready ready) {
  if (Status entered = gate_->Enter(); !entered.ok()) return ready(std::move(entered));
  auto leave = [self = shared_from_this(),
                ready = std::move(ready)](CompiledResult result) mutable {
    const Status closed = self->gate_->reason();
    const bool was_cut = result.status().code() == StatusCode::kCancelled && !closed.ok();
    ready(was_cut ? CompiledResult(closed) : std::move(result));
    self->gate_->Leave();
  };
  const bool caller_waits = extras.caller_waits;
  Schedule(caller_waits, [self = shared_from_this(), signature = std::move(signature),
                          extras = std::move(extras), leave = std::move(leave)]() mutable {
    self->Compile(std::move(signature), std::move(extras), std::move(leave));
  });
}

void MasterSession::Compile(StepSignature signature, CompileExtras extras, StepCache::Ready ready) {
  const std::shared_ptr<const GraphState> graph = this->graph();
  CompileOptions options;
  options.cluster = cluster_.get();
  options.config = &config_;
  options.evaluator = &env_.evaluator;
  options.session = handle_;
  options.cleanups = cleanups_;
  options.unique_name = [this, &graph](std::string_view prefix) {
    return UniqueName(*graph->placed, prefix);
  };
  options.tensor_connections = std::move(extras.tensor_connections);
  options.collective_graph_key = extras.collective_graph_key;
  options.for_partial_runs = extras.for_partial_runs;
  StatusOr<PreparedStep> prepared = CompileStep(options, *graph->placed, std::move(signature));
  if (!prepared.ok()) return ready(prepared.status());
  RegisterParts(*std::move(prepared), gate_->closing(), registering_, std::move(ready));
}

void MasterSession::Close(Status reason, absl::AnyInvocable<void()> done) {
  gate_->Close(std::move(reason), [self = shared_from_this(), done = std::move(done)]() mutable {
    self->partial_runs_.Clear();
    self->callables_.Clear();
    self->steps_.Clear();
    self->partial_steps_.Clear();
    self->DeleteWorkerSessions(std::move(done));
  });
}

void MasterSession::DeleteWorkerSessions(absl::AnyInvocable<void()> done) {
  const std::vector<Task>& tasks = cluster_->tasks();
  WhenAll(
      tasks.size(),
      [&](size_t i, DoneCallback task_done) {
        cleanups_->EndSession(tasks[i].worker, handle_, std::move(task_done));
      },
      [self = shared_from_this(), done = std::move(done)](std::vector<Status> statuses) mutable {
        for (size_t i = 0; i < statuses.size(); ++i) {
          if (statuses[i].ok()) continue;
          RHEO_LOG(Warning, "closing session {}: {}: {}", self->handle_.value,
                   self->cluster_->tasks()[i].name, Message(statuses[i]));
        }
        done();
      });
}

}  // namespace rheo::master
