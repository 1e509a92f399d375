// MethodTable: which function answers which path. Knows nothing of connections and queues.
#ifndef RHEO_RPC_METHOD_TABLE_H_
#define RHEO_RPC_METHOD_TABLE_H_

#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/service/call.h"
#include "rheo/wire/message.h"

namespace rheo::rpc {

struct Answer {
  Status status;
  wire::Message body;  // only when `status` is OK
  Status body_error;   // the error inside of `body`; its payloads travel beside it
};
// Runs exactly once, on any thread, perhaps inside the handler.
using Respond = absl::AnyInvocable<void(Answer)>;

// Must not block: other calls may wait for its thread. `call` lives until `respond` ran.
using Handler =
    std::function<void(grpc::ByteBuffer request, const service::Call& call, Respond respond)>;

// Where a method with any number of answers writes them. Thread-safe.
class AnswerStream {
 public:
  // Messages go out in order; those after the caller has gone go nowhere.
  virtual void Write(wire::Message message) = 0;
  // Ends the call, exactly once; nothing may be called after it.
  virtual void Finish(Status status) = 0;

 protected:
  ~AnswerStream() = default;
};

// Must not block; `call`, whose stop token fires when the caller has gone, and `stream` live until
// Finish was called. The server waits for that before it is gone.
using StreamHandler =
    std::function<void(grpc::ByteBuffer request, const service::Call& call, AnswerStream& stream)>;

struct Method {
  Handler handler;
  // Works for long even on a short request (compiles a graph, say): never on a polling thread.
  bool is_long = false;
  // Answered also by a server that is stopping: what the steps that still run need, and what ends
  // things.
  bool is_for_stopping = false;
  // Its requests are a client's and may be large: they are read when there is room for them.
  bool waits_for_room = false;
  // Who gets its answer is likely to call again at once: a client's steps.
  bool is_repeated = false;
  // In place of `handler`. Such calls go on for as long as their callers like: they are not counted
  // as open.
  StreamHandler stream_handler = nullptr;
};

// Filled before the server starts, then only read.
class MethodTable {
 public:
  void Add(std::string path, Handler handler, bool is_long = false) {
    methods_.insert_or_assign(std::move(path), Method{std::move(handler), is_long});
  }
  void AddStream(std::string path, StreamHandler handler) {
    methods_.insert_or_assign(std::move(path), Method{.stream_handler = std::move(handler)});
  }
  // Sets one of the Method's marks. Precondition: `path` was added.
  void Mark(std::string_view path, bool Method::*mark) { methods_.find(path)->second.*mark = true; }
  // nullptr when nobody answers `path`.
  const Method* Find(std::string_view path) const {
    auto it = methods_.find(path);
    return it == methods_.end() ? nullptr : &it->second;
  }

 private:
  StringMap<Method> methods_;
};

// A handler that answers UNIMPLEMENTED with `text`.
Handler AnswerUnimplemented(std::string text);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_METHOD_TABLE_H_
