#include "rheo/master/discovery_cause.h"

#include <fmt/format.h>

#include <array>

#include "rheo/device/device_name.h"
#include "rheo/service/cluster_spec.h"

namespace rheo::master {
namespace {

struct Sign {
  std::string_view text;  // in what the transport says
  std::string_view meaning;
};

constexpr std::array<Sign, 14> kSigns = {{
    {"is stopping", "it is stopping"},
    {"DNS resolution failed", "its host name cannot be resolved"},
    {"Could not resolve", "its host name cannot be resolved"},
    {"Connection refused", "connection refused: nothing listens there"},
    {"No route to host", "its host cannot be reached"},
    {"Network is unreachable", "its host cannot be reached"},
    {"http1.x", "what listens there does not speak HTTP/2"},
    {"HTTP/2", "what listens there does not speak HTTP/2"},
    {"Expected SETTINGS", "what listens there does not speak HTTP/2"},
    {"SETTINGS frame", "no answer: a connection was accepted, but nothing came"},
    {"timed out", "no answer: the connection timed out"},
    {"FD Shutdown", "no answer: the connection timed out"},
    {"Socket closed", "the connection was closed from there"},
    {"Connection reset", "the connection was closed from there"},
}};

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// Both known and different.
bool PortsDiffer(const std::string& a, const std::string& b) {
  const auto first = service::ParseHostPort(a);
  const auto second = service::ParseHostPort(b);
  return first.ok() && second.ok() && first->port != 0 && second->port != 0 &&
         first->port != second->port;
}

}  // namespace

std::string CauseOf(const Status& error) {
  const std::string_view text = FirstLine(Message(error));
  for (const Sign& sign : kSigns) {
    if (text.find(sign.text) != std::string_view::npos) {
      return fmt::format("{} ({})", sign.meaning, text);
    }
  }
  switch (error.code()) {
    case StatusCode::kUnimplemented:
      return "no worker service there: a gRPC server that is no task answers";
    case StatusCode::kDeadlineExceeded:
      return "no answer";
    default:
      return std::string(text);
  }
}

bool MayPass(const Status& error) {
  switch (error.code()) {
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kUnimplemented:
    case StatusCode::kUnknown:
    case StatusCode::kInternal:
      return true;
    default:
      return false;
  }
}

std::string MistakeOf(const service::GetStatusResponse& answer, std::string_view task,
                      const service::WorkerDirectory& directory, std::string_view own_task) {
  for (const device::DeviceInfo& device : answer.devices) {
    const std::string_view other = device::TaskOf(device.name);
    if (other == task) continue;
    return fmt::format("another task answers at this address: it says that it is {}", other);
  }
  if (answer.cluster == nullptr) return "";
  for (const std::string& name : answer.cluster->TaskNames()) {
    if (name == task || name == own_task) continue;
    const std::string theirs = answer.cluster->AddressOf(name).value_or("");
    const std::string ours = directory.Address(name);
    if (!PortsDiffer(theirs, ours)) continue;
    return fmt::format("cluster specs differ: for it {} is at {}, for this master at {}", name,
                       theirs, ours);
  }
  return "";
}

}  // namespace rheo::master
