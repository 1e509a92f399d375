// A cluster of workers that only pretend, for the tests of the master.
#ifndef RHEO_MASTER_FAKE_CLUSTER_FOR_TEST_H_
#define RHEO_MASTER_FAKE_CLUSTER_FOR_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/master/master.h"

namespace rheo::master {

using namespace service;  // NOLINT(google-build-using-namespace): tests use most of it

// Answers everything with OK and every fetch with the fed value, or 1 where none was fed; a test
// replaces what it is about. The hooks are set before the call they are for.
class FakeWorker : public WorkerService {
 public:
  explicit FakeWorker(std::string task) : task_(std::move(task)) {
    devices.push_back(
        {.name = task_ + "/device:CPU:0", .type = "CPU", .incarnation = NewIncarnation()});
  }

  std::vector<device::DeviceInfo> devices;
  bool is_rheo = true;
  StepId next_step = StepId(1000);     // of every graph with collectives
  std::function<Status()> on_status;   // null: OK
  std::function<Status()> on_cleanup;  // DeleteWorkerSession, DeregisterGraph, CleanupGraph
  std::function<Status(const CreateWorkerSessionRequest&)> on_create;
  std::function<void(const RegisterGraphRequest&, DoneCallback)> on_register;
  std::function<void(const RunGraphRequest&, RunGraphResponse*, const Call&, DoneCallback)> on_run;

  // "RunGraph", "CleanupGraph", … in the order in which they came.
  std::vector<std::string> calls() const {
    MutexLock lock(mutex_);
    return calls_;
  }
  int Count(const std::string& method) const {
    MutexLock lock(mutex_);
    return static_cast<int>(std::count(calls_.begin(), calls_.end(), method));
  }
  std::vector<RegisterGraphRequest> registered() const {
    MutexLock lock(mutex_);
    return registered_;
  }

  // OK, with each fetch that was fed, else 1.
  static void Answer(const RunGraphRequest& request, RunGraphResponse* response) {
    for (const auto& key : request.recv_keys) {
      Tensor value = Tensor::Scalar(1.0f);
      if (!request.sends.empty()) value = request.sends.front().tensor;
      response->recvs.push_back({key, value});
    }
  }
  // Holds the call until it is stopped, then answers as a cancelled kernel would.
  void HoldUntilStopped(const Call& call, DoneCallback done) {
    auto answer = [done = std::move(done)]() mutable {
      done(Cancelled("Dequeue operation was cancelled\n\t [[{{{{node deq}}}}]]"));
    };
    auto held = std::make_unique<StopCallback>(call.stop, std::move(answer));
    MutexLock lock(mutex_);
    held_.push_back(std::move(held));
  }

  void GetStatus(const GetStatusRequest&, GetStatusResponse* response, const Call&,
                 DoneCallback done) override {
    Note("GetStatus");
    Status status = on_status ? on_status() : OkStatus();
    if (status.ok()) {
      response->devices = devices;
      response->is_rheo = is_rheo;
    }
    done(std::move(status));
  }
  void CreateWorkerSession(const CreateWorkerSessionRequest& request, CreateWorkerSessionResponse*,
                           const Call&, DoneCallback done) override {
    Note("CreateWorkerSession");
    done(on_create ? on_create(request) : OkStatus());
  }
  void DeleteWorkerSession(const DeleteWorkerSessionRequest&, DeleteWorkerSessionResponse*,
                           const Call&, DoneCallback done) override {
    Note("DeleteWorkerSession");
    done(on_cleanup ? on_cleanup() : OkStatus());
  }
  void RegisterGraph(const RegisterGraphRequest& request, RegisterGraphResponse* response,
                     const Call&, DoneCallback done) override {
    Note("RegisterGraph");
    {
      MutexLock lock(mutex_);
      registered_.push_back(request);
      response->graph = GraphHandle(std::to_string(registered_.size()));
    }
    if (on_register) return on_register(request, std::move(done));
    done(OkStatus());
  }
  void DeregisterGraph(const DeregisterGraphRequest&, DeregisterGraphResponse*, const Call&,
                       DoneCallback done) override {
    Note("DeregisterGraph");
    done(on_cleanup ? on_cleanup() : OkStatus());
  }
  void RunGraph(const RunGraphRequest& request, RunGraphResponse* response, const Call& call,
                DoneCallback done) override {
    Note("RunGraph");
    if (on_run) return on_run(request, response, call, std::move(done));
    Answer(request, response);
    done(OkStatus());
  }
  void CleanupGraph(const CleanupGraphRequest&, CleanupGraphResponse*, const Call&,
                    DoneCallback done) override {
    Note("CleanupGraph");
    done(on_cleanup ? on_cleanup() : OkStatus());
  }
  void CleanupAll(const CleanupAllRequest&, CleanupAllResponse*, const Call&,
                  DoneCallback done) override {
    Note("CleanupAll");
    done(OkStatus());
  }
  void RecvTensor(const RecvTensorRequest&, RecvTensorResponse*, const Call&,
                  DoneCallback done) override {
    done(Unimplemented("RecvTensor"));
  }
  void PushTensors(const PushTensorsRequest&, PushTensorsResponse*, const Call&,
                   DoneCallback done) override {
    done(Unimplemented("PushTensors"));
  }
  void MarkRecvFinished(const MarkRecvFinishedRequest&, MarkRecvFinishedResponse*, const Call&,
                        DoneCallback done) override {
    done(Unimplemented("MarkRecvFinished"));
  }
  void RecvBuf(const RecvBufRequest&, RecvBufResponse*, const Call&, DoneCallback done) override {
    done(Unimplemented("RecvBuf"));
  }
  void CompleteGroup(const CompleteGroupRequest&, CompleteGroupResponse*, const Call&,
                     DoneCallback done) override {
    done(Unimplemented("CompleteGroup"));
  }
  void CompleteInstance(const CompleteInstanceRequest&, CompleteInstanceResponse*, const Call&,
                        DoneCallback done) override {
    done(Unimplemented("CompleteInstance"));
  }
  void GetStepSequence(const GetStepSequenceRequest& request, GetStepSequenceResponse* response,
                       const Call&, DoneCallback done) override {
    if (!request.graph_keys.empty()) Note("GetStepSequence");
    for (const auto& failed : request.failed) {
      EXPECT_NE(failed.reason, "");
      Note("failed " + std::to_string(failed.step.value));
    }
    for (const int64_t key : request.graph_keys) response->sequences.push_back({key, next_step});
    done(OkStatus());
  }
  void Logging(const LoggingRequest&, LoggingResponse*, const Call&, DoneCallback done) override {
    Note("Logging");
    done(OkStatus());
  }

 private:
  void Note(const std::string& method) {
    MutexLock lock(mutex_);
    calls_.push_back(method);
  }

  const std::string task_;
  mutable Mutex mutex_;
  std::vector<std::string> calls_ RHEO_GUARDED_BY(mutex_);
  std::vector<RegisterGraphRequest> registered_ RHEO_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<StopCallback>> held_ RHEO_GUARDED_BY(mutex_);
};

class FakeDirectory : public WorkerDirectory {
 public:
  explicit FakeDirectory(std::vector<std::string> tasks) : tasks_(std::move(tasks)) {
    for (const std::string& task : tasks_) workers_[task] = std::make_shared<FakeWorker>(task);
  }

  std::vector<std::string> TaskNames() const override { return tasks_; }
  std::shared_ptr<WorkerService> Find(std::string_view task) override {
    const auto it = workers_.find(std::string(task));
    return it == workers_.end() ? nullptr : it->second;
  }
  std::string Address(std::string_view task) const override {
    return "host" + std::string(task.substr(task.size() - 1)) + ":2222";
  }
  FakeWorker& worker(const std::string& task) { return *workers_.at(task); }

 private:
  const std::vector<std::string> tasks_;
  std::map<std::string, std::shared_ptr<FakeWorker>> workers_;
};

inline const op::OpRegistry& TestOps() {
  static const op::OpRegistry* const kOps = [] {
    auto* ops = new op::OpRegistry;  // lives as long as the tests
    EXPECT_TRUE(ops->AddTable(op::PublicOpTable()).ok());
    return ops;
  }();
  return *kOps;
}

inline const op::KernelCatalog& TestKernels() {
  static const auto* const kKernels =
      new op::KernelCatalog(op::KernelCatalog::Parse(op::TensorFlowKernelTable()).value());
  return *kKernels;
}

// A master on worker 0 of a cluster of one ps and two workers.
class MasterTest : public ::testing::Test {
 protected:
  static constexpr const char* kPs = "/job:ps/replica:0/task:0";
  static constexpr const char* kWorker0 = "/job:worker/replica:0/task:0";
  static constexpr const char* kWorker1 = "/job:worker/replica:0/task:1";

  MasterTest()
      : directory_(
            std::make_shared<FakeDirectory>(std::vector<std::string>{kPs, kWorker0, kWorker1})) {
    env_.task_name = kWorker0;
    env_.local_devices = worker(kWorker0).devices;
    env_.ops = &TestOps();
    env_.local_kernels = &TestKernels();
    env_.tensorflow_kernels = &TestKernels();
    env_.workers = directory_;
    env_.pool = &pool_;
  }

  FakeWorker& worker(const std::string& task) { return directory_->worker(task); }

  Master& master() {
    if (master_ == nullptr) master_ = Master::Create(env_);
    return *master_;
  }

  // x: a float placeholder; y = x on `y_device`; n: a no-op.
  static graph::GraphDef Graph(std::string y_device = "") {
    graph::GraphDef def;
    def.versions.producer = graph::kProducerVersion;
    def.nodes.push_back({.name = "x", .op = "Placeholder", .attrs = {{"dtype", DType::kFloat}}});
    def.nodes.push_back({.name = "y",
                         .op = "Identity",
                         .inputs = {"x"},
                         .device = std::move(y_device),
                         .attrs = {{"T", DType::kFloat}}});
    def.nodes.push_back({.name = "n", .op = "NoOp"});
    return def;
  }

  StatusOr<SessionHandle> CreateSession(graph::GraphDef graph, SessionConfig config = {},
                                        Call call = {}) {
    const CreateSessionRequest request{.graph = std::move(graph), .config = std::move(config)};
    CreateSessionResponse response;
    Status status = Wait(call, [&](DoneCallback done) {
      master().CreateSession(request, &response, call, std::move(done));
    });
    if (!status.ok()) return status;
    return response.session;
  }
  SessionHandle Session(graph::GraphDef graph = Graph()) {
    StatusOr<SessionHandle> session = CreateSession(std::move(graph));
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *session : SessionHandle();
  }

  // x = 5, fetch y.
  static RunStepRequest FeedXFetchY(const SessionHandle& session) {
    return {.session = session, .feeds = {{"x:0", Tensor::Scalar(5.0f)}}, .fetches = {"y:0"}};
  }
  StatusOr<RunStepResponse> Run(const RunStepRequest& request, Call call = {}) {
    RunStepResponse response;
    Status status = Wait(call, [&](DoneCallback done) {
      master().RunStep(request, &response, call, std::move(done));
    });
    if (!status.ok()) return status;
    return response;
  }
  Status Close(const SessionHandle& session) {
    const CloseSessionRequest request{.session = session};
    CloseSessionResponse response;
    Call call;
    return Wait(call, [&](DoneCallback done) {
      master().CloseSession(request, &response, call, std::move(done));
    });
  }

  std::shared_ptr<FakeDirectory> directory_;
  ThreadPool pool_{{.name = "test", .num_threads = 2}};
  MasterEnv env_;
  std::unique_ptr<Master> master_;  // before the rest, which it uses
};

}  // namespace rheo::master

#endif  // RHEO_MASTER_FAKE_CLUSTER_FOR_TEST_H_
