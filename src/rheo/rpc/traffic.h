// TrafficCounters: bytes of messages that a task has sent and received over gRPC.
#ifndef RHEO_RPC_TRAFFIC_H_
#define RHEO_RPC_TRAFFIC_H_

#include <atomic>
#include <cstdint>

namespace rheo::rpc {

// Shared by a task's server and client. Statistics, hence relaxed.
struct TrafficCounters {
  std::atomic<int64_t> bytes_sent{0};
  std::atomic<int64_t> bytes_received{0};

  void Sent(size_t bytes) {
    bytes_sent.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }
  void Received(size_t bytes) {
    bytes_received.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_TRAFFIC_H_
