#include "rheo/rpc/remote_worker.h"

#include <utility>

#include "rheo/rpc/method_path.h"
#include "rheo/rpc/remote.h"

namespace rheo::rpc {
namespace {

using namespace service;  // the requests and responses

class RemoteWorker final : public WorkerService {
 public:
  RemoteWorker(std::shared_ptr<Channel> channel, std::string_view task,
               std::shared_ptr<PeerTraits> traits)
      : remote_(std::move(channel), std::string(task)), traits_(std::move(traits)) {}

  void GetStatus(const GetStatusRequest& request, GetStatusResponse* response, const Call& call,
                 DoneCallback done) override {
    Start("GetStatus", wire::Encode(request), response, call,
          [traits = traits_, response, done = std::move(done)](Status status) mutable {
            if (traits != nullptr && status.ok()) traits->is_rheo = response->is_rheo;
            done(std::move(status));
          });
  }
  void CreateWorkerSession(const CreateWorkerSessionRequest& request,
                           CreateWorkerSessionResponse* response, const Call& call,
                           DoneCallback done) override {
    Start("CreateWorkerSession", wire::Encode(request), response, call, std::move(done));
  }
  void DeleteWorkerSession(const DeleteWorkerSessionRequest& request,
                           DeleteWorkerSessionResponse* response, const Call& call,
                           DoneCallback done) override {
    Start("DeleteWorkerSession", wire::Encode(request), response, call, std::move(done));
  }
  void RegisterGraph(const RegisterGraphRequest& request, RegisterGraphResponse* response,
                     const Call& call, DoneCallback done) override {
    Start("RegisterGraph", wire::Encode(request), response, call, std::move(done));
  }
  void DeregisterGraph(const DeregisterGraphRequest& request, DeregisterGraphResponse* response,
                       const Call& call, DoneCallback done) override {
    Start("DeregisterGraph", wire::Encode(request), response, call, std::move(done));
  }
  void RunGraph(const RunGraphRequest& request, RunGraphResponse* response, const Call& call,
                DoneCallback done) override {
    Start("RunGraph", wire::Encode(request, {.wanted = true}), response, call, std::move(done));
  }
  void CleanupGraph(const CleanupGraphRequest& request, CleanupGraphResponse* response,
                    const Call& call, DoneCallback done) override {
    Start("CleanupGraph", wire::Encode(request), response, call, std::move(done));
  }
  void CleanupAll(const CleanupAllRequest& request, CleanupAllResponse* response, const Call& call,
                  DoneCallback done) override {
    Start("CleanupAll", wire::Encode(request), response, call, std::move(done));
  }
  void RecvTensor(const RecvTensorRequest& request, RecvTensorResponse* response, const Call& call,
                  DoneCallback done) override {
    Start("RecvTensor", wire::Encode(request), response, call, std::move(done));
  }
  void PushTensors(const PushTensorsRequest& request, PushTensorsResponse* response,
                   const Call& call, DoneCallback done) override {
    StartPath(std::string(kPushTensorsPath), wire::Encode(request), response, call,
              std::move(done));
  }
  void MarkRecvFinished(const MarkRecvFinishedRequest& request, MarkRecvFinishedResponse* response,
                        const Call& call, DoneCallback done) override {
    Start("MarkRecvFinished", wire::Encode(request), response, call, std::move(done));
  }
  void Logging(const LoggingRequest& request, LoggingResponse* response, const Call& call,
               DoneCallback done) override {
    Start("Logging", wire::Encode(request), response, call, std::move(done));
  }

 private:
  template <typename Response>
  void Start(std::string_view method, wire::Message request, Response* response, const Call& call,
             DoneCallback done) {
    StartPath(std::string(kWorkerPrefixes[0]).append(method), std::move(request), response, call,
              std::move(done));
  }

  template <typename Response>
  void StartPath(std::string path, wire::Message request, Response* response, const Call& call,
                 DoneCallback done) {
    remote_.Call(std::move(path), std::move(request), response, call,
                 [done = std::move(done)](Status status) mutable {
                   if (status.code() == StatusCode::kCancelled) status = AsDerived(status);
                   done(std::move(status));
                 });
  }

  const Remote remote_;
  const std::shared_ptr<PeerTraits> traits_;
};

}  // namespace

std::shared_ptr<service::WorkerService> ConnectWorker(RpcClient& client, std::string_view task,
                                                      std::string_view address,
                                                      ChannelOptions options,
                                                      std::shared_ptr<PeerTraits> traits) {
  return std::make_shared<RemoteWorker>(client.Connect(address, options), task, std::move(traits));
}

}  // namespace rheo::rpc
