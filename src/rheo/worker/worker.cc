#include "rheo/worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "rheo/collective/runner.h"
#include "rheo/device/device_name.h"
#include "rheo/service/recent_requests.h"
#include "rheo/worker/cost_graph.h"
#include "rheo/worker/graph_run.h"
#include "rheo/worker/session_table.h"
#include "rheo/worker/step_table.h"
#include "rheo/worker/transfer_log.h"

namespace rheo::worker {
namespace {

using rendezvous::Item;
using rendezvous::RendezvousKey;

constexpr int64_t kDefaultRecvBufChunk = 4096;

int64_t NowMicros() { return trace::NowNanos() / 1000; }

class WorkerImpl;

// One RunGraph call from its start to its answer. The request and the response are the caller's.
struct RunCall {
  WorkerImpl* worker;
  const service::RunGraphRequest* request;
  service::RunGraphResponse* response;
  DoneCallback done;
  StepUse step;
  std::shared_ptr<RegisteredGraph> graph;
  bool starts_step = false;  // not a later part of a partial run
};

class WorkerImpl final : public Worker {
 public:
  explicit WorkerImpl(WorkerEnv env)
      : env_(std::move(env)),
        sessions_(env_),
        collectives_({.task_name = env_.task_name,
                      .leader = env_.collective_leader,
                      .workers = env_.workers,
                      .pool = env_.inter_op_pool,
                      .buffers_of = [this](StepId step) { return BuffersOf(step); }}) {
    env_.waiting_ops = &waiting_ops_;
    env_.collectives = &collectives_;
    if (env_.step_sequences == nullptr) {
      env_.step_sequences = std::make_shared<service::StepSequences>();
    }
  }

  ~WorkerImpl() override { Stop(Unavailable("task {} has ended", env_.task_name)); }

  void GetStatus(const service::GetStatusRequest& request, service::GetStatusResponse* response,
                 const service::Call&, DoneCallback done) override {
    for (const device::Device* device : env_.devices) response->devices.push_back(device->info());
    response->is_rheo = true;
    response->kernels_are_known =
        request.known_kernels != 0 && request.known_kernels == env_.kernels_fingerprint;
    if (!response->kernels_are_known) {
      response->kernels = {std::shared_ptr<void>(), &env_.kernels->catalog()};
    }
    response->cluster = env_.cluster;
    std::move(done)(OkStatus());
  }

  void CreateWorkerSession(const service::CreateWorkerSessionRequest& request,
                           service::CreateWorkerSessionResponse*, const service::Call&,
                           DoneCallback done) override {
    if (Status stopped = CheckRunning(); !stopped.ok()) return std::move(done)(stopped);
    StatusOr<std::vector<std::string>> dropped = sessions_.Create(request);
    if (dropped.ok()) {
      for (const std::string& handle : *dropped) steps_.RemoveEnded(handle);
    }
    std::move(done)(dropped.status());
  }

  void DeleteWorkerSession(const service::DeleteWorkerSessionRequest& request,
                           service::DeleteWorkerSessionResponse*, const service::Call&,
                           DoneCallback done) override {
    sessions_.Delete(request.session.value);
    steps_.RemoveEnded(request.session.value);
    std::move(done)(OkStatus());
  }

  void RegisterGraph(const service::RegisterGraphRequest& request,
                     service::RegisterGraphResponse* response, const service::Call&,
                     DoneCallback done) override {
    std::move(done)(Register(request, response));
  }

  void DeregisterGraph(const service::DeregisterGraphRequest& request,
                       service::DeregisterGraphResponse*, const service::Call&,
                       DoneCallback done) override {
    const auto session =
        sessions_.Find(request.session.value, request.create_worker_session_called);
    if (!session.ok()) return std::move(done)(session.status());
    if (!(*session)->RemoveGraph(request.graph.value)) {
      return std::move(done)(
          Aborted("Graph handle is not found: {}. Possibly, this worker (\"{}\") just restarted.",
                  request.graph.value, env_.task_name));
    }
    std::move(done)(OkStatus());
  }

  void RunGraph(const service::RunGraphRequest& request, service::RunGraphResponse* response,
                const service::Call& call, DoneCallback done) override {
    auto run = std::make_shared<RunCall>(RunCall{this, &request, response, std::move(done)});
    if (Status status = Begin(*run); !status.ok()) {
      std::move(run->done)(std::move(status));
      return;
    }
    if (request.is_partial) {
      RunPartial(std::move(run), call);
      return;
    }
    GraphRunArgs args = ArgsFor(*run, call);
    args.stop = call.stop;
    args.step_stats = &response->step_stats;
    args.answer_carries_for = request.answer_carries_for;
    args.pushed = &response->pushed;
    // One pointer, which fits into the callback.
    RunGraphParts(std::move(args), [run = std::move(run)](Status status) {
      WorkerImpl& worker = *run->worker;
      if (run->graph->has_collectives) worker.steps_.NoteEnded(run->step->step, status.ok());
      worker.Answer(*run, MarkEnded(*run->step.state(), std::move(status)));
      worker.Leave();
    });
  }

  void CleanupGraph(const service::CleanupGraphRequest& request, service::CleanupGraphResponse*,
                    const service::Call&, DoneCallback done) override {
    if (const std::shared_ptr<StepState> state = steps_.Remove(request.step)) {
      state->Stop(AsDerived(Aborted("Cleanup {}", request.step.value)));
    }
    std::move(done)(OkStatus());
  }

  void CleanupAll(const service::CleanupAllRequest& request, service::CleanupAllResponse*,
                  const service::Call&, DoneCallback done) override {
    sessions_.ClearContainers(request.containers);
    std::move(done)(OkStatus());
  }

  void RecvTensor(const service::RecvTensorRequest& request, service::RecvTensorResponse* response,
                  const service::Call& call, DoneCallback done) override {
    if (Status status = CheckRecv(request); !status.ok()) return std::move(done)(status);
    StepUse use = steps_.FindOrCreate(request.step);
    const std::shared_ptr<StepRendezvous> rendezvous = use->rendezvous;  // as long as it is called
    rendezvous->local().Recv(request.key, call.stop,
                             [this, use = std::move(use), response,
                              done = std::move(done)](StatusOr<Item> item) mutable {
                               if (item.ok()) {
                                 response->item = *std::move(item);
                                 response->send_start_micros = NowMicros();
                                 std::move(done)(OkStatus());
                                 return;
                               }
                               // Nobody may ever run this step; a state that only the request made
                               // goes with it.
                               steps_.RemoveIfIdle(std::move(use));
                               std::move(done)(item.status());
                             });
  }

  void PushTensors(const service::PushTensorsRequest& request, service::PushTensorsResponse*,
                   const service::Call&, DoneCallback done) override {
    const std::vector<rendezvous::PushedTensor> tensors = request.tensors;
    std::vector<StepUse> steps;
    steps.reserve(tensors.size());
    for (const rendezvous::PushedTensor& pushed : tensors) {
      StatusOr<StepUse> step = steps_.FindForPush(pushed.step);
      if (!step.ok()) return std::move(done)(step.status());
      steps.push_back(*std::move(step));
    }
    // The sender need not wait for the work that the values set off here.
    std::move(done)(OkStatus());
    for (size_t i = 0; i < tensors.size(); ++i) {
      steps[i]->rendezvous->OnPushed(tensors[i].key, tensors[i].item, tensors[i].announced);
    }
  }

  void RecvBuf(const service::RecvBufRequest& request, service::RecvBufResponse* response,
               const service::Call& call, DoneCallback done) override {
    if (Status status = CheckRecvBuf(request); !status.ok()) return std::move(done)(status);
    StepUse use = steps_.FindForPiece(request.step);
    const std::shared_ptr<StepState> state = use.state();  // as long as its table is called
    const collective::Wanted wanted{.key = request.key,
                                    .from = request.src_device,
                                    .to = request.dst_device,
                                    .num_bytes = request.num_bytes,
                                    .terms = request.terms};
    state->buffers.Take(wanted, call.stop,
                        [this, use = std::move(use), &request, response, &call,
                         done = std::move(done)](StatusOr<Tensor> piece) mutable {
                          if (piece.ok()) {
                            response->value = *std::move(piece);
                            response->max_chunk = max_chunk();
                            response->send_start_micros = NowMicros();
                            return std::move(done)(OkStatus());
                          }
                          if (call.stop.stop_requested())
                            MemberLeft(*use.state(), request.dst_device);
                          steps_.RemoveIfIdle(std::move(use));
                          std::move(done)(piece.status());
                        });
  }

  void CompleteGroup(const service::CompleteGroupRequest& request,
                     service::CompleteGroupResponse* response, const service::Call& call,
                     DoneCallback done) override {
    collectives_.resolver().OnCompleteGroup(request, response, call, std::move(done));
  }

  void CompleteInstance(const service::CompleteInstanceRequest& request,
                        service::CompleteInstanceResponse* response, const service::Call& call,
                        DoneCallback done) override {
    collectives_.resolver().OnCompleteInstance(request, response, call, std::move(done));
  }

  void GetStepSequence(const service::GetStepSequenceRequest& request,
                       service::GetStepSequenceResponse* response, const service::Call&,
                       DoneCallback done) override {
    for (const auto& failed : request.failed) {
      env_.step_sequences->GiveUp(failed.graph_key, failed.step);
      steps_.StopCollectives(failed.step,
                             Aborted("Step {} has failed on {}", failed.step.value, failed.reason));
    }
    Status status;
    for (const int64_t key : request.graph_keys) {
      StatusOr<StepId> next = env_.step_sequences->Next(key);
      status = next.status();
      if (!status.ok()) break;
      response->sequences.push_back({key, *next});
    }
    std::move(done)(std::move(status));
  }

  void MarkRecvFinished(const service::MarkRecvFinishedRequest&, service::MarkRecvFinishedResponse*,
                        const service::Call&, DoneCallback done) override {
    std::move(done)(OkStatus());  // answers are not kept, so there is nothing to forget
  }

  void Logging(const service::LoggingRequest& request, service::LoggingResponse* response,
               const service::Call&, DoneCallback done) override {
    if (request.enable_rpc_logging) transfers_->Enable();
    if (request.disable_rpc_logging) transfers_->Disable();
    for (StepId step : request.fetch_steps) {
      response->steps.emplace_back(step, transfers_->Take(step));
    }
    if (request.clear) transfers_->Clear();
    std::move(done)(OkStatus());
  }

  std::vector<BlockedStep> BlockedSteps() const override {
    std::vector<BlockedStep> blocked;
    for (const std::shared_ptr<StepState>& state : steps_.All()) {
      for (const rendezvous::WaitingRecv& waiting : state->rendezvous->Waiting()) {
        blocked.push_back({state->step, waiting.key.Describe(), waiting.since});
      }
    }
    for (executor::WaitingOp& op : waiting_ops_.List()) {
      blocked.push_back({op.step, std::move(op.what), op.since});
    }
    return blocked;
  }

  WorkerCounts counts() const override {
    WorkerCounts counts = sessions_.counts();
    counts.steps = static_cast<int>(steps_.All().size());
    return counts;
  }

  std::vector<KnownMaster> ForeignMasters() const override {
    std::vector<KnownMaster> masters = sessions_.Masters();
    std::erase_if(masters, [this](const KnownMaster& master) {
      return std::ranges::any_of(env_.devices, [&](const device::Device* device) {
        return std::bit_cast<int64_t>(device->info().incarnation.value) == master.incarnation;
      });
    });
    return masters;
  }

  int DropSessionsOf(const std::string& master_task, int64_t incarnation) override {
    const std::vector<std::string> handles = sessions_.DeleteOf(master_task, incarnation);
    for (const std::string& handle : handles) steps_.RemoveEnded(handle);
    return static_cast<int>(handles.size());
  }

  void StopWaitingSteps(const Status& reason) override {
    for (const executor::WaitingOp& op : waiting_ops_.List()) {
      if (const std::shared_ptr<StepState> state = steps_.Find(op.step)) EndStep(*state, reason);
    }
  }

  void Stop(const Status& reason) override {
    {
      MutexLock lock(mutex_);
      if (stopped_.ok()) stopped_ = reason;
    }
    collectives_.Stop(reason);
    for (const std::shared_ptr<StepState>& state : steps_.All()) EndStep(*state, reason);
    {
      MutexLock lock(mutex_);
      none_running_.Wait(mutex_, [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS { return running_ == 0; });
    }
    sessions_.DeleteAll();
  }

 private:
  // The table lives as long as its step.
  std::shared_ptr<collective::BufferTable> BuffersOf(StepId step) const {
    const std::shared_ptr<StepState> state = steps_.Find(step);
    if (state == nullptr) return nullptr;
    return {state, &state->buffers};
  }

  int64_t max_chunk() const {
    return env_.recv_buf_max_chunk == 0 ? kDefaultRecvBufChunk : env_.recv_buf_max_chunk;
  }

  // A member of a collective has given up waiting for this task: it will not take what is offered.
  static void MemberLeft(StepState& state, const std::string& device) {
    {
      MutexLock lock(state.mutex);
      if (!state.started) return;
    }
    state.buffers.Abort(AsDerived(Aborted("{} has left the step", device)));
  }

  // The rules of wire.md 7.10.
  Status CheckRecvBuf(const service::RecvBufRequest& request) {
    RHEO_RETURN_IF_ERROR(recent_recvs_.Check(request.request_id, "RecvBuf (GrpcWorker)"));
    RHEO_RETURN_IF_ERROR(CheckRunning());
    if (request.terms.size() > service::RecvBufRequest::kMaxTerms) {
      return InvalidArgument("the terms of a piece have {} bytes, at most {} are taken",
                             request.terms.size(), service::RecvBufRequest::kMaxTerms);
    }
    for (const device::Device* device : env_.devices) {
      if (device->info().name != request.src_device) continue;
      const Incarnation ours = device->info().incarnation;
      if (request.src_incarnation == ours) return OkStatus();
      return FailedPrecondition(
          "RecvBuf expects a different device incarnation: {} vs. {}. Your worker job that "
          "contains the device (\"{}\") was probably restarted. Check your worker job for the "
          "reason why it was restarted.",
          request.src_incarnation.value, ours.value, request.src_device);
    }
    return InvalidArgument("{} unknown device.", request.src_device);
  }

  static void EndStep(StepState& state, const Status& reason) {
    {
      MutexLock lock(state.mutex);
      if (state.ended_by_task.ok()) state.ended_by_task = reason;
    }
    state.Stop(reason);
  }

  Status CheckRunning() const {
    MutexLock lock(mutex_);
    return stopped_;
  }

  Status Register(const service::RegisterGraphRequest& request,
                  service::RegisterGraphResponse* response) {
    RHEO_RETURN_IF_ERROR(CheckRunning());
    RHEO_RETURN_IF_ERROR(service::CheckGraphSize(
        graph::SizeOf(request.graph), "the part of the graph for this task", env_.limits));
    RHEO_ASSIGN_OR_RETURN(
        std::shared_ptr<WorkerSession> session,
        sessions_.Find(request.session.value, request.create_worker_session_called));
    const std::string handle = session->NextGraphHandle();
    RHEO_ASSIGN_OR_RETURN(std::shared_ptr<RegisteredGraph> graph,
                          CompileGraph(request.graph, env_, session, handle));
    if (!session->AddGraph(handle, std::move(graph))) {
      return sessions_.NotFound(request.session.value);
    }
    response->graph = GraphHandle(handle);
    return OkStatus();
  }

  // Checks the call, finds its graph and makes it the runner of its step.
  Status Begin(RunCall& run) {
    const service::RunGraphRequest& request = *run.request;
    RHEO_RETURN_IF_ERROR(recent_runs_.Check(
        request.request_id, request.is_partial ? "PartialRunGraph (Worker)" : "RunGraph (Worker)"));
    RHEO_ASSIGN_OR_RETURN(
        const std::shared_ptr<WorkerSession> session,
        sessions_.Find(request.session.value, request.create_worker_session_called));
    run.graph = session->FindGraph(request.graph.value);
    if (run.graph == nullptr) {
      return Aborted(
          "Graph handle is not found: {}. Possibly, this worker (\"{}\") just restarted.",
          request.graph.value, env_.task_name);
    }
    run.step = run.graph->has_collectives ? steps_.FindForCollectives(request.step)
                                          : steps_.FindOrCreate(request.step);
    // Stop() either finds the step in the table or is seen here.
    if (Status entered = Enter(); !entered.ok()) {
      steps_.RemoveIfIdle(std::move(run.step));
      return entered;
    }
    Status started = StartStep(run);
    if (!started.ok() || !run.starts_step) Leave();
    RHEO_RETURN_IF_ERROR(started);
    return Feed(run);
  }

  // Makes the call the runner of its step, unless it is a later part of a partial run.
  Status StartStep(RunCall& run) {
    const service::RunGraphRequest& request = *run.request;
    {
      MutexLock lock(run.step->mutex);
      run.starts_step = !run.step->running && !(request.is_partial && run.step->started);
      if (!run.starts_step && !request.is_partial) {
        return Internal("step {} is running already", request.step.value);
      }
      run.step->started = true;
      if (run.starts_step) run.step->running = true;
      run.step->session = request.session.value;
    }
    if (run.starts_step) {
      run.step->rendezvous->SetRoutes(run.graph->routes,
                                      transfers_->is_enabled() ? transfers_ : nullptr);
    }
    return OkStatus();
  }

  Status Feed(RunCall& run) {
    for (const service::KeyedTensor& fed : run.request->sends) {
      Status status = run.step->rendezvous->local().Send(fed.key, Item{.tensor = fed.tensor});
      if (status.ok()) continue;
      if (run.starts_step) {
        status = MarkEnded(*run.step.state(), std::move(status));
        Leave();
      }
      return status;
    }
    return OkStatus();
  }

  GraphRunArgs ArgsFor(const RunCall& run, const service::Call& call) const {
    return {.env = &env_,
            .graph = run.graph,
            .state = run.step.state(),
            .use_calling_thread = call.caller_waits,
            .exec = run.request->exec};
  }

  // The graph of the step has ended. Returns how: the error of a step that this task ended is the
  // task's reason, not the operations' complaints.
  static Status MarkEnded(StepState& state, Status status) {
    std::vector<DoneCallback> waiters;
    {
      MutexLock lock(state.mutex);
      const bool is_consequence = IsDerived(status) || status.code() == StatusCode::kCancelled;
      if (is_consequence && !state.ended_by_task.ok()) status = state.ended_by_task;
      state.running = false;
      state.partial_finished = true;
      state.partial_status = status;
      waiters = std::exchange(state.partial_waiters, {});
    }
    for (DoneCallback& waiter : waiters) std::move(waiter)(status);
    return status;
  }

  Status Enter() {
    MutexLock lock(mutex_);
    if (stopped_.ok()) ++running_;
    return stopped_;
  }

  // The last thing that a running step does here; after it the worker may be destroyed.
  void Leave() {
    MutexLock lock(mutex_);
    if (--running_ == 0) none_running_.NotifyAll();
  }

  // Takes the fetched values and answers the call.
  void Answer(RunCall& run, Status status) {
    if (status.ok()) status = TakeFetches(*run.request, *run.step.state(), *run.response);
    if (run.request->exec.record_costs && status.ok()) {
      for (const RegisteredGraph::Part& part : run.graph->parts) {
        std::ranges::move(CostsOf(part.def, run.response->step_stats),
                          std::back_inserter(run.response->costs));
      }
    }
    if (run.request->exec.record_partition_graphs) {
      for (const RegisteredGraph::Part& part : run.graph->parts) {
        run.response->partition_graphs.push_back(part.def);
      }
    }
    // No other task can ask for anything of this step: no CleanupGraph is needed.
    const bool is_over =
        !run.request->is_partial && (!run.graph->serves_other_tasks ||
                                     (status.ok() && !run.step->rendezvous->local().HasValues()));
    // Nobody else knows a step that lies on this task alone, so that nothing can come late.
    if (is_over) steps_.Remove(run.request->step, /*may_come_late=*/run.graph->routes->has_peers);
    run.response->step_is_over = is_over;
    // The graph and the step go before the answer: a session that closes next finds them gone.
    run.graph.reset();
    run.step = {};
    std::move(run.done)(std::move(status));
  }

  static Status TakeFetches(const service::RunGraphRequest& request, StepState& state,
                            service::RunGraphResponse& response) {
    for (const RendezvousKey& key : request.recv_keys) {
      StatusOr<Item> item = state.rendezvous->local().TryTake(key);
      if (!item.ok()) {
        return Internal("Failed to fetch outputs for step {}. (Original error message: {})",
                        request.step.value, Message(item.status()));
      }
      if (item->is_dead) {
        return Internal(
            "Failed to fetch outputs for step {}. (Original error message: The tensor "
            "returned for {} was not valid.)",
            request.step.value, key.Describe());
      }
      response.recvs.push_back({key, std::move(item->tensor)});
    }
    return OkStatus();
  }

  // A part of a partial run: the first starts the graph, each waits for its own values, the last
  // one for the end of the graph.
  void RunPartial(std::shared_ptr<RunCall> run, const service::Call& call) {
    if (run->starts_step) {
      GraphRunArgs args = ArgsFor(*run, call);
      args.exec = {};
      RunGraphParts(std::move(args), [this, state = run->step.state()](Status status) {
        (void)MarkEnded(*state, std::move(status));  // which tells those that wait
        Leave();
      });
    }
    // One count for each value, and one for the end where it is awaited.
    struct Waiting {
      std::atomic<int> left{0};
      Mutex mutex;
      Status status RHEO_GUARDED_BY(mutex);
      std::vector<Tensor> values;
      std::optional<StopCallback> on_stop;
    };
    auto waiting = std::make_shared<Waiting>();
    const std::vector<RendezvousKey>& keys = run->request->recv_keys;
    const bool last = run->request->is_last_partial_run;
    waiting->values.resize(keys.size());
    waiting->left = static_cast<int>(keys.size()) + 1;
    const auto arrived = [this, run, waiting, last](Status status) {
      {
        MutexLock lock(waiting->mutex);
        if (waiting->status.ok()) waiting->status = std::move(status);
      }
      if (waiting->left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      Status result;
      {
        MutexLock lock(waiting->mutex);
        result = waiting->status;
      }
      for (size_t i = 0; i < waiting->values.size() && result.ok(); ++i) {
        run->response->recvs.push_back({run->request->recv_keys[i], std::move(waiting->values[i])});
      }
      // Other tasks may still pull what this one sends; the master's CleanupGraph ends the step
      // then.
      if (last && !run->graph->serves_other_tasks) steps_.Remove(run->request->step);
      run->step = {};
      run->graph.reset();
      std::move(run->done)(std::move(result));
    };
    const std::shared_ptr<StepState> state = run->step.state();
    for (size_t i = 0; i < keys.size(); ++i) {
      state->rendezvous->local().Recv(
          keys[i], call.stop, [arrived, waiting, i, key = keys[i]](StatusOr<Item> item) mutable {
            if (item.ok() && !item->is_dead) {
              waiting->values[i] = std::move(item->tensor);
              arrived(OkStatus());
            } else if (item.ok()) {
              arrived(Internal("The tensor returned for {} was not valid.", key.Describe()));
            } else {
              arrived(item.status());
            }
          });
    }
    if (!last) {
      arrived(OkStatus());
      return;
    }
    // The last call stands for the whole step: when it is stopped, so is the graph it waits for.
    waiting->on_stop.emplace(
        call.stop, [state] { state->Stop(Cancelled("Step {} was cancelled", state->step.value)); });
    bool finished = false;
    Status status;
    {
      MutexLock lock(state->mutex);
      finished = state->partial_finished;
      status = state->partial_status;
      if (!finished) state->partial_waiters.push_back(arrived);
    }
    if (finished) arrived(status);
  }

  // The rules of wire.md 7.9 that come before the wait.
  Status CheckRecv(const service::RecvTensorRequest& request) {
    RHEO_RETURN_IF_ERROR(recent_recvs_.Check(request.request_id, "RecvTensor (GrpcWorker)"));
    const rendezvous::Channel& channel = request.key.channel();
    const std::string_view within = device::DeviceWithinTask(channel.src_device);
    const std::string_view local_part = within.empty() ? channel.src_device : within;
    for (const device::Device* device : env_.devices) {
      const std::string& name = device->info().name;
      if (!name.ends_with(local_part)) continue;
      const Incarnation ours = device->info().incarnation;
      if (channel.src_incarnation == ours) return OkStatus();
      return WithPayload(
          Aborted(
              "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job "
              "(\"{}\") was probably restarted. Check your worker job for the reason why it was "
              "restarted.",
              channel.src_incarnation.value, ours.value, env_.task_name),
          kWorkerRestartedPayload);
    }
    return InvalidArgument("{} unknown device.", local_part);
  }

  WorkerEnv env_;
  executor::WaitingOps waiting_ops_;
  SessionTable sessions_;
  collective::Runner collectives_;
  const std::shared_ptr<TransferLog> transfers_ = std::make_shared<TransferLog>();
  StepTable steps_;
  service::RecentRequests recent_runs_;
  service::RecentRequests recent_recvs_;
  mutable Mutex mutex_;
  Status stopped_ RHEO_GUARDED_BY(mutex_);
  int running_ RHEO_GUARDED_BY(mutex_) = 0;
  CondVar none_running_;
};

}  // namespace

std::unique_ptr<Worker> Worker::Create(WorkerEnv env) {
  return std::make_unique<WorkerImpl>(std::move(env));
}

}  // namespace rheo::worker
