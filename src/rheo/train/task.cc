#include "rheo/train/task.h"

#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "rheo/device/device_name.h"

namespace rheo::train {
namespace {

using Json = nlohmann::json;

StatusOr<int> ParseIndex(const std::string& text) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) {
    return InvalidArgument("TF_CONFIG: '{}' is no task index", text);
  }
  return index;
}

StatusOr<service::ClusterSpec::Tasks> ParseTasks(const std::string& job, const Json& json) {
  service::ClusterSpec::Tasks tasks;
  if (!json.is_array() && !json.is_object()) {
    return InvalidArgument("TF_CONFIG: the tasks of job '{}' are {}, not a list", job, json.dump());
  }
  int position = 0;
  for (const auto& [key, address] : json.items()) {
    int index = position++;
    if (json.is_object()) {
      RHEO_ASSIGN_OR_RETURN(index, ParseIndex(key));
    }
    if (!address.is_string()) {
      return InvalidArgument("TF_CONFIG: task {} of job '{}' is {}, not an address", index, job,
                             address.dump());
    }
    tasks[index] = address.get<std::string>();
  }
  return tasks;
}

std::string KeysOf(const Json& json) {
  std::string keys;
  for (const auto& [key, value] : json.items()) keys += (keys.empty() ? "" : ", ") + key;
  return keys;
}

StatusOr<service::ClusterSpec> ParseCluster(const Json& json, bool keep_evaluator) {
  if (!json.is_object()) return InvalidArgument("TF_CONFIG: 'cluster' is no object");
  service::ClusterSpec cluster;
  for (const auto& [job, tasks_json] : json.items()) {
    if (job == kEvaluatorJob && !keep_evaluator) continue;
    RHEO_ASSIGN_OR_RETURN(service::ClusterSpec::Tasks tasks, ParseTasks(job, tasks_json));
    RHEO_RETURN_IF_ERROR(cluster.AddJob(job, std::move(tasks)));
  }
  return cluster;
}

// A configuration without "cluster" is that of a program that runs alone, unless it has addresses
// under some other name.
Status CheckHasNoHosts(const Json& config) {
  for (const auto& [key, value] : config.items()) {
    if (!key.ends_with("_hosts")) continue;
    return InvalidArgument(
        "TF_CONFIG has no 'cluster' with the addresses of each job; its keys are: {}",
        KeysOf(config));
  }
  return OkStatus();
}

StatusOr<int> IndexOf(const Json& task) {
  const Json index = task.value("index", Json(0));
  if (index.is_number_integer()) return index.get<int>();
  if (!index.is_string()) return InvalidArgument("TF_CONFIG: the task's index is {}", index.dump());
  return ParseIndex(index.get<std::string>());
}

// nullptr when there is no such job.
const service::ClusterSpec::Tasks* FindJob(const service::ClusterSpec& cluster,
                                           std::string_view job) {
  for (const auto& [name, tasks] : cluster.jobs()) {
    if (name == job) return &tasks;
  }
  return nullptr;
}

}  // namespace

StatusOr<Task> Task::Create(service::ClusterSpec cluster, std::string job, int index) {
  RHEO_RETURN_IF_ERROR(cluster.Address(job, index).status());
  Task task;
  task.cluster_ = std::move(cluster);
  task.job_ = std::move(job);
  task.index_ = index;
  return task;
}

StatusOr<Task> Task::Parse(std::string_view json, const TfConfigOptions& options) {
  if (json.empty()) return Task();
  const Json config = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) return InvalidArgument("TF_CONFIG is no JSON object: {}", json);
  if (!config.contains("cluster") || config["cluster"].empty()) {
    RHEO_RETURN_IF_ERROR(CheckHasNoHosts(config));
    return Task();
  }
  RHEO_ASSIGN_OR_RETURN(service::ClusterSpec cluster,
                        ParseCluster(config["cluster"], options.keep_evaluator));
  const Json task = config.value("task", Json::object());
  if (!task.is_object() || !task.contains("type") || !task["type"].is_string()) {
    return InvalidArgument("TF_CONFIG: 'task' must have a 'type', the name of its job");
  }
  RHEO_ASSIGN_OR_RETURN(const int index, IndexOf(task));
  std::string job = task["type"].get<std::string>();
  if (job == kEvaluatorJob && !options.keep_evaluator) {
    Task alone;
    alone.job_ = std::move(job);
    alone.index_ = index;
    return alone;
  }
  StatusOr<Task> created = Create(std::move(cluster), std::move(job), index);
  if (!created.ok()) return Prefix(created.status(), "TF_CONFIG: ");
  return created;
}

StatusOr<Task> Task::FromEnvironment(const TfConfigOptions& options) {
  const char* text = std::getenv("TF_CONFIG");
  return Parse(text == nullptr ? std::string_view() : text, options);
}

std::string Task::name() const {
  return cluster_.empty() ? std::string() : device::TaskName(job_, index_);
}

std::string Task::target() const {
  if (cluster_.empty()) return std::string();
  return "grpc://" + cluster_.Address(job_, index_).value();  // checked by Create
}

bool Task::is_chief() const {
  if (cluster_.empty()) return job_ != kEvaluatorJob;
  for (const std::string_view job : {"chief", "master", "worker"}) {
    const service::ClusterSpec::Tasks* tasks = FindJob(cluster_, job);
    if (tasks != nullptr) return job_ == job && index_ == tasks->begin()->first;
  }
  return false;
}

}  // namespace rheo::train
