#include "rheo/rpc/remote_worker.h"

#include <utility>

#include "rheo/base/log.h"
#include "rheo/rpc/call_queues.h"
#include "rheo/rpc/memory_reader.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/remote.h"
#include "rheo/wire/memory_offer.h"

namespace rheo::rpc {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses

// Path of a method of the worker service.
std::string PathOf(std::string_view method) {
  return std::string(kWorkerPrefixes[0]).append(method);
}

// A cancelled call never carries the cause.
Status Ended(Status status) {
  return status.code() == StatusCode::kCancelled ? AsDerived(status) : status;
}

// One RecvTensor: takes the value's bytes, or an offer to read them from the sender's memory.
struct Recv {
  const Remote remote;
  const std::shared_ptr<PeerTraits> traits;
  service::RecvTensorRequest request;
  service::RecvTensorResponse* response;
  service::Call call = {};
  DoneCallback done = nullptr;
  wire::MemoryReader reader = {};
  wire::RecvTensorAnswer answer = {};

  static void Start(Recv recv, const Call& call, DoneCallback done) {
    auto owned = std::make_unique<Recv>(std::move(recv));
    owned->call = call;
    owned->done = std::move(done);
    if (!owned->traits->is_unreadable) owned->reader = {.host = MemoryHost(), .mark = NewMark()};
    Send(std::move(owned));
  }

  static void Send(std::unique_ptr<Recv> owned) {
    Recv& recv = *owned;
    recv.remote.Call(PathOf("RecvTensor"), wire::Encode(recv.request, recv.reader), &recv.answer,
                     recv.call, [owned = std::move(owned)](Status status) mutable {
                       OnAnswer(std::move(owned), std::move(status));
                     });
  }

  static void OnAnswer(std::unique_ptr<Recv> owned, Status status) {
    Recv& recv = *owned;
    if (!status.ok() || !recv.answer.offer) {
      *recv.response = std::move(recv.answer.response);
      return std::move(recv.done)(Ended(std::move(status)));
    }
    // Reading takes long: not on a poller.
    recv.remote.queues().RunElsewhere(
        [owned = std::move(owned)]() mutable { Read(std::move(owned)); });
  }

  static void Read(std::unique_ptr<Recv> owned) {
    Recv& recv = *owned;
    StatusOr<Tensor> value = ReadOffered(*recv.answer.offer, recv.reader.mark);
    if (value.ok()) {
      recv.remote.queues().traffic().Received(value->num_bytes());
      *recv.response = {};
      recv.response->item.tensor = *std::move(value);
      recv.response->require_ack = true;  // lets the sender forget it
      return std::move(recv.done)(OkStatus());
    }
    RHEO_LOG(Info, "{} sends bytes from now on: {}", recv.remote.who(), Message(value.status()));
    recv.traits->is_unreadable = true;
    recv.reader = {.host = "", .mark = "", .redeem = true};
    Send(std::move(owned));
  }
};

class RemoteWorker final : public WorkerService {
 public:
  explicit RemoteWorker(Peer peer) : peer_(std::move(peer)) {}

  void GetStatus(const GetStatusRequest& request, GetStatusResponse* response, const Call& call,
                 DoneCallback done) override {
    Start("GetStatus", wire::Encode(request), response, call,
          [traits = peer_.traits(), response, done = std::move(done)](Status status) mutable {
            if (status.ok()) traits->is_rheo = response->is_rheo;
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
    Recv::Start({.remote = peer_.remote(),
                 .traits = peer_.traits(),
                 .request = request,
                 .response = response},
                call, std::move(done));
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
  void RecvBuf(const RecvBufRequest& request, RecvBufResponse* response, const Call& call,
               DoneCallback done) override {
    Start("RecvBuf", wire::Encode(request), response, call, std::move(done));
  }
  void CompleteGroup(const CompleteGroupRequest& request, CompleteGroupResponse* response,
                     const Call& call, DoneCallback done) override {
    Start("CompleteGroup", wire::Encode(request), response, call, std::move(done));
  }
  void CompleteInstance(const CompleteInstanceRequest& request, CompleteInstanceResponse* response,
                        const Call& call, DoneCallback done) override {
    Start("CompleteInstance", wire::Encode(request), response, call, std::move(done));
  }
  void GetStepSequence(const GetStepSequenceRequest& request, GetStepSequenceResponse* response,
                       const Call& call, DoneCallback done) override {
    Start("GetStepSequence", wire::Encode(request), response, call, std::move(done));
  }
  void Logging(const LoggingRequest& request, LoggingResponse* response, const Call& call,
               DoneCallback done) override {
    Start("Logging", wire::Encode(request), response, call, std::move(done));
  }

 private:
  template <typename Response>
  void Start(std::string_view method, wire::Message request, Response* response, const Call& call,
             DoneCallback done) {
    StartPath(PathOf(method), std::move(request), response, call, std::move(done));
  }

  template <typename Response>
  void StartPath(std::string path, wire::Message request, Response* response, const Call& call,
                 DoneCallback done) {
    peer_.remote().Call(
        std::move(path), std::move(request), response, call,
        [done = std::move(done)](Status status) mutable { done(Ended(std::move(status))); });
  }

  const Peer peer_;
};

}  // namespace

std::shared_ptr<service::WorkerService> ConnectWorker(RpcClient& client, std::string_view task,
                                                      std::string_view address,
                                                      std::shared_ptr<PeerTraits> traits) {
  return std::make_shared<RemoteWorker>(
      Peer(client, address, std::string(task), std::move(traits)));
}

}  // namespace rheo::rpc
