#include "rheo/trace/device_work.h"

#include <fmt/format.h>

#include <utility>

namespace rheo::trace {
namespace {

thread_local std::shared_ptr<const DeviceWork> current;

// "name = Op(input, input)" → "Op".
std::string_view OpOf(std::string_view label, size_t name_size) {
  constexpr size_t kEquals = 3;
  if (label.size() < name_size + kEquals) return "unknown";
  label.remove_prefix(name_size + kEquals);
  return label.substr(0, label.find('('));
}

}  // namespace

DeviceWork::DeviceWork(StepObserver& observer, std::string device, std::string node_name,
                       std::string label)
    : observer_(observer),
      device_(std::move(device)),
      node_name_(std::move(node_name)),
      label_(std::move(label)) {}

void DeviceWork::Ran(const WorkTimes& times) const {
  NodeStats stats{.start_nanos = times.start_nanos,
                  .op_end_rel_nanos = times.end_nanos - times.start_nanos,
                  .end_rel_nanos = times.end_nanos - times.start_nanos,
                  .scheduled_nanos = times.enqueued_nanos};
  const bool is_kernel = times.kind == WorkKind::kKernel;
  if (is_kernel) {
    stats.node_name = fmt::format("{}:{}", node_name_, OpOf(label_, node_name_.size()));
    stats.label = label_;
  } else {
    const char* const copy = times.kind == WorkKind::kHostToDevice ? "MEMCPYHtoD" : "MEMCPYDtoH";
    stats.node_name = fmt::format("{}:{}", node_name_, copy);
    stats.label = fmt::format("{} {} bytes", copy, times.num_bytes);
    stats.outputs.push_back({.num_bytes = times.num_bytes});
  }
  observer_.OnNode(device_ + (is_kernel ? "/stream:all" : "/memcpy"), stats);
  observer_.OnNode(fmt::format("{}/stream:{}", device_, times.stream), std::move(stats));
}

std::shared_ptr<const DeviceWork> CurrentDeviceWork() { return current; }

DeviceWorkScope::DeviceWorkScope(std::shared_ptr<const DeviceWork> work)
    : outer_(std::exchange(current, std::move(work))) {}

DeviceWorkScope::~DeviceWorkScope() { current = std::move(outer_); }

}  // namespace rheo::trace
