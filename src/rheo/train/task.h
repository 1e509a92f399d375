// Task: which task of which cluster a training program is.
#ifndef RHEO_TRAIN_TASK_H_
#define RHEO_TRAIN_TASK_H_

#include <string>
#include <string_view>

#include "rheo/base/status.h"
#include "rheo/service/cluster_spec.h"

namespace rheo::train {

// The job whose tasks look at what the others made, and serve nobody: part of no cluster.
inline constexpr std::string_view kEvaluatorJob = "evaluator";

struct TfConfigOptions {
  // Leaves the job "evaluator" in the cluster, where all sessions wait for it.
  bool keep_evaluator = false;
};

class Task {
 public:
  // A program that runs alone: an empty cluster, the in-process target.
  Task() = default;
  // INVALID_ARGUMENT when the cluster has no such task.
  static StatusOr<Task> Create(service::ClusterSpec cluster, std::string job, int index);

  // The text of TF_CONFIG: {"cluster": {"ps": ["h:1"], …}, "task": {"type": "ps", "index": 0}}.
  // A job's tasks are a list of addresses or an object from index to address. Text that is empty,
  // or has no cluster, is a task that runs alone; so is an evaluator, which the cluster leaves out.
  // INVALID_ARGUMENT naming what is wrong and what there is.
  static StatusOr<Task> Parse(std::string_view json, const TfConfigOptions& options = {});
  // Parses the environment variable TF_CONFIG, as `rheo launch` sets it.
  static StatusOr<Task> FromEnvironment(const TfConfigOptions& options = {});

  const service::ClusterSpec& cluster() const { return cluster_; }
  const std::string& job() const { return job_; }
  int index() const { return index_; }
  // "/job:worker/replica:0/task:1"; "" for a task that runs alone.
  std::string name() const;
  // The session target of this task's own server: "grpc://host:port", or "".
  std::string target() const;
  // The task that initializes variables and writes checkpoints: the first of job "chief" or
  // "master"; if there is no such job, of "worker". True for a task that runs alone, unless it is
  // an evaluator.
  bool is_chief() const;

 private:
  service::ClusterSpec cluster_;
  std::string job_;
  int index_ = 0;
};

}  // namespace rheo::train

#endif  // RHEO_TRAIN_TASK_H_
