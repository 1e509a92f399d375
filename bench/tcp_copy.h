// A raw copy over loopback TCP into memory of another process: the most that a transfer can reach.
#ifndef RHEO_BENCH_TCP_COPY_H_
#define RHEO_BENCH_TCP_COPY_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::bench {

// Takes one connection on a free port of 127.0.0.1; reads what TcpSender sends into memory that is
// used again, and confirms each piece with one byte.
void ServeTcpSink(const std::function<void(int)>& report_port);

// Not thread-safe.
class TcpSender {
 public:
  static StatusOr<TcpSender> Connect(int port);
  ~TcpSender();
  TcpSender(TcpSender&& other) noexcept;
  TcpSender& operator=(TcpSender&&) = delete;

  // Sends `num_bytes` and waits until the other side has them in memory.
  Status Send(int64_t num_bytes);
  // Gives memory back, on this side.
  void Forget() { bytes_ = {}; }

 private:
  explicit TcpSender(int socket) : socket_(socket) {}

  int socket_;
  std::vector<char> bytes_;
};

}  // namespace rheo::bench

#endif  // RHEO_BENCH_TCP_COPY_H_
