// A bare gRPC call: the least that a remote step can cost. Both sides use completion queues and raw
// bytes, the form that is fastest here; the caller polls its own queue.
#ifndef RHEO_BENCH_BARE_CALL_H_
#define RHEO_BENCH_BARE_CALL_H_

#include <functional>
#include <memory>
#include <string>

#include "rheo/base/status.h"

namespace rheo::bench {

// Answers each call on a free port of 127.0.0.1 with `answer_bytes` bytes; one thread. Never
// returns.
void ServeBareCalls(size_t answer_bytes, const std::function<void(int)>& report_port);

// Not thread-safe.
class BareCaller {
 public:
  BareCaller(int port, std::string request);
  ~BareCaller();
  // One call with the request's bytes, from its start to its answer.
  Status Call();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace rheo::bench

#endif  // RHEO_BENCH_BARE_CALL_H_
