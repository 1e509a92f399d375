#include "rheo/service/cluster_spec.h"

#include <fmt/format.h>

#include <charconv>

#include "rheo/device/device_name.h"

namespace rheo::service {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

// The address of a replica in an entry "h:1,h:2"; one that is out of range falls back to the first.
std::string ReplicaAddress(std::string_view entry, int replica) {
  const std::vector<std::string_view> pieces = Split(entry, ',');
  const size_t index = static_cast<size_t>(replica);
  return std::string(replica >= 0 && index < pieces.size() ? pieces[index] : pieces[0]);
}

Status CheckEntry(std::string_view entry) {
  for (std::string_view address : Split(entry, ',')) {
    RHEO_RETURN_IF_ERROR(ParseHostPort(address).status());
  }
  return OkStatus();
}

Status CheckJobName(std::string_view name) {
  if (device::IsValidJobName(name)) return OkStatus();
  return InvalidArgument(
      "job name '{}' is not valid: it must start with a letter and hold letters, digits and '_'",
      name);
}

std::string DescribeJobs(const ClusterSpec& cluster) {
  if (cluster.empty()) return "the cluster has no jobs";
  std::string text = "jobs are:";
  const char* separator = " ";
  for (const auto& [name, tasks] : cluster.jobs()) {
    text += separator + name;
    separator = ", ";
  }
  return text;
}

std::string DescribeTasks(const ClusterSpec::Tasks& tasks) {
  std::string text = "tasks are:";
  const char* separator = " ";
  for (const auto& [index, address] : tasks) {
    text += fmt::format("{}{}", separator, index);
    separator = ", ";
  }
  return text;
}

const ClusterSpec::Tasks* FindJob(const ClusterSpec& cluster, std::string_view job) {
  for (const auto& [name, tasks] : cluster.jobs()) {
    if (name == job) return &tasks;
  }
  return nullptr;
}

}  // namespace

ClusterSpec::ClusterSpec(
    std::initializer_list<std::pair<std::string, std::vector<std::string>>> jobs) {
  for (const auto& [name, addresses] : jobs) {
    Tasks tasks;
    for (const std::string& address : addresses) {
      tasks.emplace(static_cast<int>(tasks.size()), address);
    }
    jobs_.emplace_back(name, std::move(tasks));
  }
}

Status ClusterSpec::AddJob(std::string name, Tasks tasks) {
  RHEO_RETURN_IF_ERROR(CheckJobName(name));
  if (FindJob(*this, name) != nullptr) {
    return InvalidArgument("Duplicate job ID in cluster specification: {}", name);
  }
  for (const auto& [index, entry] : tasks) {
    if (index < 0) return InvalidArgument("job '{}' has a task with index {}", name, index);
    if (Status s = CheckEntry(entry); !s.ok()) {
      return Append(s, fmt::format(" (job '{}', task {})", name, index));
    }
  }
  jobs_.emplace_back(std::move(name), std::move(tasks));
  return OkStatus();
}

StatusOr<std::string> ClusterSpec::Address(std::string_view job, int task) const {
  const Tasks* tasks = FindJob(*this, job);
  if (tasks == nullptr) {
    return InvalidArgument("job '{}' is not in the cluster; {}", job, DescribeJobs(*this));
  }
  auto it = tasks->find(task);
  if (it == tasks->end()) {
    return InvalidArgument("job '{}' has no task {}; {}", job, task, DescribeTasks(*tasks));
  }
  return ReplicaAddress(it->second, 0);
}

std::vector<std::string> ClusterSpec::TaskNames() const {
  std::vector<std::string> names;
  for (const auto& [job, tasks] : jobs_) {
    for (const auto& [index, address] : tasks) names.push_back(device::TaskName(job, index));
  }
  return names;
}

std::optional<std::string> ClusterSpec::AddressOf(std::string_view task_name) const {
  const StatusOr<device::DeviceName> name = device::DeviceName::Parse(task_name);
  if (!name.ok() || !name->job || !name->task) return std::nullopt;
  const Tasks* tasks = FindJob(*this, *name->job);
  if (tasks == nullptr) return std::nullopt;
  auto it = tasks->find(*name->task);
  if (it == tasks->end()) return std::nullopt;
  return ReplicaAddress(it->second, name->replica.value_or(0));
}

StatusOr<ClusterSpec> ParseClusterSpec(std::string_view text) {
  ClusterSpec cluster;
  for (std::string_view piece : Split(text, ',')) {
    const size_t bar = piece.find('|');
    if (bar == std::string_view::npos) {
      return InvalidArgument("cluster spec: '{}' is not of the form job|host:port;host:port",
                             piece);
    }
    ClusterSpec::Tasks tasks;
    for (std::string_view address : Split(piece.substr(bar + 1), ';')) {
      tasks.emplace(static_cast<int>(tasks.size()), std::string(address));
    }
    RHEO_RETURN_IF_ERROR(cluster.AddJob(std::string(piece.substr(0, bar)), std::move(tasks)));
  }
  return cluster;
}

StatusOr<HostPort> ParseHostPort(std::string_view text) {
  const auto fail = [text] {
    return InvalidArgument("Could not interpret \"{}\" as a host-port pair.", text);
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail();
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.find('/') != std::string_view::npos && !host.starts_with("/bns/")) return fail();
  if (host.starts_with('[') != host.ends_with(']')) return fail();
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);

  HostPort result;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), result.port);
  const bool is_number = error == std::errc() && end == port.data() + port.size();
  if (!is_number || result.port < 0 || result.port > 65535 || port.starts_with('-')) return fail();
  result.host = std::string(host);
  return result;
}

Status ValidateServerDef(const ServerDef& def) {
  if (def.protocol != "grpc") {
    return NotFound(
        "No server factory registered for the given ServerDef: protocol '{}'; Rheo serves 'grpc'",
        def.protocol);
  }
  for (const auto& [name, tasks] : def.cluster.jobs()) {
    RHEO_RETURN_IF_ERROR(CheckJobName(name));
    if (FindJob(def.cluster, name) != &tasks) {
      return InvalidArgument("Duplicate job ID in cluster specification: {}", name);
    }
  }
  const ClusterSpec::Tasks* tasks = FindJob(def.cluster, def.job_name);
  if (tasks == nullptr) {
    return Internal("Job \"{}\" was not defined in cluster; {}", def.job_name,
                    DescribeJobs(def.cluster));
  }
  auto own = tasks->find(def.task_index);
  if (own == tasks->end()) {
    return Internal("Task {} was not defined in job \"{}\"; {}", def.task_index, def.job_name,
                    DescribeTasks(*tasks));
  }
  if (def.replica != 0 && def.port == 0) {
    return InvalidArgument(
        "An explicit server port must be specified when using jobs with multiple replicas: job "
        "'{}', replica {}",
        def.job_name, def.replica);
  }
  for (const auto& [name, job_tasks] : def.cluster.jobs()) {
    for (const auto& [index, entry] : job_tasks) {
      if (&entry != &own->second) RHEO_RETURN_IF_ERROR(CheckEntry(entry));
    }
  }
  if (def.port == 0 && !CheckEntry(own->second).ok()) {
    return InvalidArgument("Could not parse port for local server from \"{}\".", own->second);
  }
  return OkStatus();
}

}  // namespace rheo::service
