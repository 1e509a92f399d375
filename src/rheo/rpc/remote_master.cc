#include "rheo/rpc/remote_master.h"

#include <utility>

#include "rheo/rpc/method_path.h"
#include "rheo/rpc/peer.h"
#include "rheo/wire/message_builder.h"

namespace rheo::rpc {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses

class RemoteMaster final : public MasterService {
 public:
  explicit RemoteMaster(Peer peer) : peer_(std::move(peer)) {}

  void CreateSession(const CreateSessionRequest& request, CreateSessionResponse* response,
                     const Call& call, DoneCallback done) override {
    Start("CreateSession", wire::Encode(request), response, call,
          [traits = peer_.traits(), response, done = std::move(done)](Status status) mutable {
            if (status.ok()) traits->is_rheo = response->is_rheo;
            done(std::move(status));
          });
  }
  void ExtendSession(const ExtendSessionRequest& request, ExtendSessionResponse* response,
                     const Call& call, DoneCallback done) override {
    Start("ExtendSession", wire::Encode(request), response, call, std::move(done));
  }
  void PartialRunSetup(const PartialRunSetupRequest& request, PartialRunSetupResponse* response,
                       const Call& call, DoneCallback done) override {
    Start("PartialRunSetup", Identified<5>(wire::Encode(request), request), response, call,
          std::move(done));
  }
  void RunStep(const RunStepRequest& request, RunStepResponse* response, const Call& call,
               DoneCallback done) override {
    Start("RunStep", Identified<8>(wire::Encode(request, {.wanted = true}), request), response,
          call, std::move(done));
  }
  void CloseSession(const CloseSessionRequest& request, CloseSessionResponse* response,
                    const Call& call, DoneCallback done) override {
    Start("CloseSession", wire::Encode(request), response, call, std::move(done));
  }
  void ListDevices(const ListDevicesRequest& request, ListDevicesResponse* response,
                   const Call& call, DoneCallback done) override {
    Start("ListDevices", wire::Encode(request), response, call, std::move(done));
  }
  void Reset(const ResetRequest& request, ResetResponse* response, const Call& call,
             DoneCallback done) override {
    Start("Reset", wire::Encode(request), response, call, std::move(done));
  }
  void MakeCallable(const MakeCallableRequest& request, MakeCallableResponse* response,
                    const Call& call, DoneCallback done) override {
    Start("MakeCallable", Identified<3>(wire::Encode(request), request), response, call,
          std::move(done));
  }
  void RunCallable(const RunCallableRequest& request, RunCallableResponse* response,
                   const Call& call, DoneCallback done) override {
    Start("RunCallable", Identified<4>(wire::Encode(request), request), response, call,
          std::move(done));
  }
  void ReleaseCallable(const ReleaseCallableRequest& request, ReleaseCallableResponse* response,
                       const Call& call, DoneCallback done) override {
    Start("ReleaseCallable", wire::Encode(request), response, call, std::move(done));
  }

 private:
  // A call over a connection may be repeated on its way: unless the caller gave the request an id,
  // it gets one here. `field` is the number of request_id.
  template <int field, typename Request>
  static wire::Message Identified(wire::Message message, const Request& request) {
    if (request.request_id.value != 0) return message;
    std::string id;
    wire::AppendInt(field, NewRequestId().value, id);
    message.slices.emplace_back(std::move(id));
    return message;
  }

  template <typename Response>
  void Start(std::string_view method, wire::Message request, Response* response, const Call& call,
             DoneCallback done) {
    Call waiting = call;
    waiting.wait_for_ready = true;
    peer_.remote().Call(std::string(kMasterPrefixes[0]).append(method), std::move(request),
                        response, waiting, std::move(done));
  }

  const Peer peer_;
};

}  // namespace

std::shared_ptr<service::MasterService> ConnectMaster(RpcClient& client, std::string_view address) {
  return std::make_shared<RemoteMaster>(Peer(client, address, "the master", nullptr));
}

}  // namespace rheo::rpc
