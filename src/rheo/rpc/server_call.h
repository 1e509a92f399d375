// ServerCall: one call on the server, from its acceptance to its end.
//
//   state       leaves by          does
//   posted      OnAccepted         posts the next ServerCall; not admitted or unknown path →
//                                  finishing; no room → in line, else reads
//   in line     OnRoom             reads
//               OnEnded            finishing
//   reading     OnRead             starts the handler, here or elsewhere
//   serving     Answer             writes body and status
//   streaming   Stream::Finish     writes bodies one by one, then the status
//   finishing   OnFinished         drops a reference
//   (any)       OnEnded            gRPC's notice that the call is over, cancelled or not: stops the
//                                  handler when it is cancelled; drops a reference
//
// The object goes when both references are dropped.
#ifndef RHEO_RPC_SERVER_CALL_H_
#define RHEO_RPC_SERVER_CALL_H_

#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <memory>
#include <optional>

#include "rheo/async/fault_points.h"
#include "rheo/rpc/completion_queue.h"
#include "rheo/rpc/message_room.h"
#include "rheo/rpc/method_table.h"
#include "rheo/rpc/traffic.h"

namespace rheo::rpc {

// What calls need of their server.
class CallAcceptor {
 public:
  virtual ~CallAcceptor() = default;
  virtual const MethodTable& methods() const = 0;
  // Whether a call may go on; asked before anything of it is read.
  virtual Status CheckCaller(const grpc::ServerContext& call) = 0;
  // Posts one more ServerCall, unless the server is shutting down.
  virtual void PostAccept() = 0;
  // A ServerCall is gone; `was_admitted`: AdmitTo had let it in.
  virtual void CallGone(bool was_admitted) = 0;
  // The next request may come soon.
  virtual void ExpectRequest() = 0;
  // Whether a call of `method` is answered now; UNAVAILABLE when the server is stopping.
  virtual Status AdmitTo(const Method& method) = 0;
  // Largest request that is taken; 0: of any size.
  virtual int64_t max_message_bytes() const = 0;
  virtual MessageRoom* room() = 0;  // null: there is always room
  virtual TrafficCounters& traffic() = 0;
  virtual FaultPoints* faults() = 0;  // null: none
  // Runs `work` on a thread that does not poll.
  virtual void RunElsewhere(absl::AnyInvocable<void()> work) = 0;
};

class ServerCall final : private RoomGuest {
 public:
  // Waits for a call on `queue`. The object deletes itself.
  static void Post(CallAcceptor& acceptor, grpc::AsyncGenericService& generic,
                   grpc::ServerCompletionQueue& queue);

 private:
  using Transition = void (ServerCall::*)(bool ok);
  // A transition as an operation of the queue.
  class Event final : public Operation {
   public:
    Event(ServerCall& call, Transition transition) : call_(call), transition_(transition) {}
    void Complete(bool ok) override { (call_.*transition_)(ok); }

   private:
    ServerCall& call_;
    const Transition transition_;
  };

  class Stream;

  explicit ServerCall(CallAcceptor& acceptor);
  ~ServerCall();

  void OnAccepted(bool ok);
  void OnRead(bool ok);
  void OnFinished(bool ok);
  void OnEnded(bool ok);
  void Enter();
  void Read();
  void Handle();
  // RESOURCE_EXHAUSTED when a request of this size is too large.
  Status CheckSize(int64_t bytes) const;
  // The server's room, if the call's method has to do with it.
  MessageRoom* Room() const;
  std::optional<int64_t> DeclaredBytes() const override;
  void OnRoom() override { Read(); }
  void Send(Answer answer);
  void Finish(const Status& status);
  void Unref();

  CallAcceptor& acceptor_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  Event accepted_{*this, &ServerCall::OnAccepted};
  Event read_{*this, &ServerCall::OnRead};
  Event finished_{*this, &ServerCall::OnFinished};
  Event ended_{*this, &ServerCall::OnEnded};
  const Method* method_ = nullptr;
  bool is_admitted_ = false;
  grpc::ByteBuffer request_;
  StopSource stop_;
  service::Call call_;
  std::unique_ptr<Stream> answers_;  // of a method that streams
  // OnFinished and OnEnded run on different threads, in any order.
  std::atomic<int> references_{2};
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SERVER_CALL_H_
