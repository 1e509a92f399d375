// Remote: typed calls to one service of one task, shared by RemoteMaster and RemoteWorker: encode,
// call, decode, and say in each error who was called.
#ifndef RHEO_RPC_REMOTE_H_
#define RHEO_RPC_REMOTE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/channel.h"
#include "rheo/service/call.h"
#include "rheo/wire/codec.h"
#include "rheo/wire/memory_offer.h"

namespace rheo::rpc {

// The error inside of an OK answer's body, with the payloads that came beside it.
Status BodyError(Status error, const RpcResult& result);

class Remote {
 public:
  // `who` names the peer in messages: a task's name, "the master".
  Remote(std::shared_ptr<Channel> channel, std::string who)
      : channel_(std::move(channel)), who_(std::move(who)) {}

  const std::string& address() const { return channel_->address(); }
  const std::string& who() const { return who_; }
  CallQueues& queues() const { return channel_->queues(); }

  // `finish(Status)` gets the call's end, not OK or with `response` filled. The Call is only read
  // before this returns; `response` is kept until then.
  template <typename Response>
  void Call(std::string path, wire::Message request, Response* response, const service::Call& call,
            absl::AnyInvocable<void(Status)> finish) const {
    auto channel = channel_;
    channel->Start(
        path, std::move(request), call,
        [self = *this, path, response, finish = std::move(finish)](RpcResult& result) mutable {
          finish(self.Receive(path, result, *response));
        });
  }

 private:
  template <typename Response>
  Status Receive(std::string_view path, RpcResult& result, Response& response) const {
    if (!result.status.ok()) return Explain(path, result);
    ByteSource bytes(result.body, channel_->variants());
    wire::Source& source = bytes.source();
    Status parsed;
    if constexpr (requires(Status error) { wire::Decode(source, response, error); }) {
      Status error;
      parsed = wire::Decode(source, response, error);
      if (parsed.ok()) return BodyError(std::move(error), result);
    } else {
      parsed = wire::Decode(source, response);
    }
    if (parsed.ok()) return parsed;
    return NotParsed(path, parsed);
  }

  // The status of a failed call as ours, with the peer, its address and the method in its text.
  Status Explain(std::string_view path, const RpcResult& result) const;
  Status NotParsed(std::string_view path, const Status& status) const;
  std::string WhileCalling(std::string_view path) const;

  std::shared_ptr<Channel> channel_;
  std::string who_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_REMOTE_H_
