// The task of a cluster that a process of a Slurm job is.
#ifndef RHEO_TRAIN_SLURM_H_
#define RHEO_TRAIN_SLURM_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/train/task.h"

namespace rheo::train {

struct SlurmOptions {
  // The jobs of the cluster and how many processes each has, in the order of their ranks; one
  // without a number, at the end, has all that are left: "ps:1,worker".
  std::string jobs = "worker";
  // The processes of a node listen on this port and on those that follow it.
  int first_port = 8888;
};

// The value of an environment variable; nullopt when it is not set.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

// Reads SLURM_PROCID, and nodes and processes per node from the variables of the job step
// (SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE) or, outside of one, of the job. Ranks go node by
// node, as with srun's default distribution. INVALID_ARGUMENT naming the variable and its value.
StatusOr<Task> TaskFromSlurm(const SlurmOptions& options, const ReadVariable& read);
// The variables are those of this process.
StatusOr<Task> TaskFromSlurm(const SlurmOptions& options);

// Slurm's short forms: "n[1-2,07],login" is {"n1", "n2", "n07", "login"}, "2(x3),1" {2, 2, 2, 1}.
StatusOr<std::vector<std::string>> ExpandHostList(std::string_view text);
StatusOr<std::vector<int>> ExpandCounts(std::string_view text);

}  // namespace rheo::train

#endif  // RHEO_TRAIN_SLURM_H_
