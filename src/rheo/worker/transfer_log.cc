#include "rheo/worker/transfer_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace rheo::worker {
namespace {

constexpr size_t kMaxSteps = 64;
constexpr double kMegabyte = 1048576;

std::string SizeText(size_t num_bytes) {
  const auto bytes = static_cast<double>(num_bytes);
  return bytes >= 0.1 * kMegabyte ? fmt::format("[{:.1f}MB]", bytes / kMegabyte)
                                  : fmt::format("[{}B]", num_bytes);
}

// The receive as a node, in the words that TensorFlow's timeline reads.
trace::NodeStats ReceiveNode(const rendezvous::Channel& channel, int64_t start_nanos,
                             size_t num_bytes) {
  const int64_t elapsed = std::max<int64_t>(trace::NowNanos() - start_nanos, 1);
  const double megabits_per_second =
      8.0 * static_cast<double>(num_bytes) / (static_cast<double>(elapsed) / 1000);
  trace::NodeStats node;
  node.node_name = "RecvTensor";
  node.label =
      fmt::format("{} [{:.6g}Mb/s] {} from {} to {}", SizeText(num_bytes), megabits_per_second,
                  channel.edge, channel.src_device, channel.dst_device);
  node.start_nanos = start_nanos;
  node.scheduled_nanos = start_nanos;
  node.op_end_rel_nanos = elapsed;
  node.end_rel_nanos = elapsed;
  node.outputs.push_back({.num_bytes = static_cast<int64_t>(num_bytes)});
  return node;
}

}  // namespace

void TransferLog::Disable() {
  int users = users_.load(std::memory_order_relaxed);
  // A master may switch off what it never switched on.
  while (users > 0 && !users_.compare_exchange_weak(users, users - 1, std::memory_order_relaxed)) {
  }
}

void TransferLog::Add(StepId step, const rendezvous::Channel& channel, int64_t start_nanos,
                      size_t num_bytes) {
  trace::NodeStats node = ReceiveNode(channel, start_nanos, num_bytes);
  MutexLock lock(mutex_);
  auto entry = std::ranges::find(steps_, step, &std::pair<StepId, trace::StepStats>::first);
  if (entry == steps_.end()) {
    if (steps_.size() == kMaxSteps) steps_.pop_front();
    entry = steps_.insert(steps_.end(), {step, {}});
  }
  std::vector<trace::DeviceStats>& devices = entry->second.devices;
  auto device = std::ranges::find(devices, channel.dst_device, &trace::DeviceStats::device);
  if (device == devices.end()) {
    device =
        devices.insert(device, {.device = channel.dst_device, .nodes = {}, .thread_names = {}});
  }
  device->nodes.push_back(std::move(node));
}

trace::StepStats TransferLog::Take(StepId step) {
  MutexLock lock(mutex_);
  const auto entry = std::ranges::find(steps_, step, &std::pair<StepId, trace::StepStats>::first);
  if (entry == steps_.end()) return {};
  trace::StepStats stats = std::move(entry->second);
  steps_.erase(entry);
  return stats;
}

void TransferLog::Clear() {
  MutexLock lock(mutex_);
  steps_.clear();
}

}  // namespace rheo::worker
