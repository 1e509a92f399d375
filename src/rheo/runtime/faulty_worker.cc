#include "rheo/runtime/faulty_worker.h"

#include <utility>

namespace rheo::runtime {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses

class FaultyWorker final : public WorkerService {
 public:
  FaultyWorker(WorkerService& worker, FaultPoints& faults) : worker_(worker), faults_(faults) {}

  void RunGraph(const RunGraphRequest& request, RunGraphResponse* response, const Call& call,
                DoneCallback done) override {
    Pass("run_graph", "run_graph_answer", std::move(done),
         [this, &request, response, &call](DoneCallback answered) {
           worker_.RunGraph(request, response, call, std::move(answered));
         });
  }
  void RecvTensor(const RecvTensorRequest& request, RecvTensorResponse* response, const Call& call,
                  DoneCallback done) override {
    Pass("recv_tensor", "recv_tensor_answer", std::move(done),
         [this, &request, response, &call](DoneCallback answered) {
           worker_.RecvTensor(request, response, call, std::move(answered));
         });
  }

  void GetStatus(const GetStatusRequest& request, GetStatusResponse* response, const Call& call,
                 DoneCallback done) override {
    worker_.GetStatus(request, response, call, std::move(done));
  }
  void CreateWorkerSession(const CreateWorkerSessionRequest& request,
                           CreateWorkerSessionResponse* response, const Call& call,
                           DoneCallback done) override {
    worker_.CreateWorkerSession(request, response, call, std::move(done));
  }
  void DeleteWorkerSession(const DeleteWorkerSessionRequest& request,
                           DeleteWorkerSessionResponse* response, const Call& call,
                           DoneCallback done) override {
    worker_.DeleteWorkerSession(request, response, call, std::move(done));
  }
  void RegisterGraph(const RegisterGraphRequest& request, RegisterGraphResponse* response,
                     const Call& call, DoneCallback done) override {
    worker_.RegisterGraph(request, response, call, std::move(done));
  }
  void DeregisterGraph(const DeregisterGraphRequest& request, DeregisterGraphResponse* response,
                       const Call& call, DoneCallback done) override {
    worker_.DeregisterGraph(request, response, call, std::move(done));
  }
  void CleanupGraph(const CleanupGraphRequest& request, CleanupGraphResponse* response,
                    const Call& call, DoneCallback done) override {
    worker_.CleanupGraph(request, response, call, std::move(done));
  }
  void CleanupAll(const CleanupAllRequest& request, CleanupAllResponse* response, const Call& call,
                  DoneCallback done) override {
    worker_.CleanupAll(request, response, call, std::move(done));
  }
  void PushTensors(const PushTensorsRequest& request, PushTensorsResponse* response,
                   const Call& call, DoneCallback done) override {
    worker_.PushTensors(request, response, call, std::move(done));
  }
  void MarkRecvFinished(const MarkRecvFinishedRequest& request, MarkRecvFinishedResponse* response,
                        const Call& call, DoneCallback done) override {
    worker_.MarkRecvFinished(request, response, call, std::move(done));
  }
  void RecvBuf(const RecvBufRequest& request, RecvBufResponse* response, const Call& call,
               DoneCallback done) override {
    worker_.RecvBuf(request, response, call, std::move(done));
  }
  void CompleteGroup(const CompleteGroupRequest& request, CompleteGroupResponse* response,
                     const Call& call, DoneCallback done) override {
    worker_.CompleteGroup(request, response, call, std::move(done));
  }
  void CompleteInstance(const CompleteInstanceRequest& request, CompleteInstanceResponse* response,
                        const Call& call, DoneCallback done) override {
    worker_.CompleteInstance(request, response, call, std::move(done));
  }
  void GetStepSequence(const GetStepSequenceRequest& request, GetStepSequenceResponse* response,
                       const Call& call, DoneCallback done) override {
    worker_.GetStepSequence(request, response, call, std::move(done));
  }
  void Logging(const LoggingRequest& request, LoggingResponse* response, const Call& call,
               DoneCallback done) override {
    worker_.Logging(request, response, call, std::move(done));
  }

 private:
  // `start` gets the callback that passes the second point on the way to `done`.
  void Pass(const char* before, const char* after, DoneCallback done,
            absl::AnyInvocable<void(DoneCallback)> start) {
    faults_.Reach(before, [this, after, done = std::move(done),
                           start = std::move(start)](Status fault) mutable {
      if (!fault.ok()) return done(std::move(fault));
      start([this, after, done = std::move(done)](Status status) mutable {
        faults_.Reach(
            after, [status = std::move(status), done = std::move(done)](Status late_fault) mutable {
              done(late_fault.ok() ? std::move(status) : std::move(late_fault));
            });
      });
    });
  }

  WorkerService& worker_;
  FaultPoints& faults_;
};

}  // namespace

std::unique_ptr<service::WorkerService> MakeFaulty(service::WorkerService& worker,
                                                   FaultPoints& faults) {
  return std::make_unique<FaultyWorker>(worker, faults);
}

}  // namespace rheo::runtime
