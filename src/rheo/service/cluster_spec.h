// ClusterSpec: which tasks a cluster has and where they listen. ServerDef: which of them we are.
#ifndef RHEO_SERVICE_CLUSTER_SPEC_H_
#define RHEO_SERVICE_CLUSTER_SPEC_H_

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/service/session_config.h"

namespace rheo::service {

// Jobs in the order given; task indexes may be sparse.
class ClusterSpec {
 public:
  using Tasks = std::map<int, std::string>;  // index → "host:port"

  ClusterSpec() = default;
  // {{"ps", {"h:1"}}, {"worker", {"h:2", "h:3"}}}
  ClusterSpec(std::initializer_list<std::pair<std::string, std::vector<std::string>>> jobs);

  // INVALID_ARGUMENT for a bad job name, a repeated job or an address that is not host:port.
  Status AddJob(std::string name, Tasks tasks);

  bool empty() const { return jobs_.empty(); }
  const std::vector<std::pair<std::string, Tasks>>& jobs() const { return jobs_; }
  // INVALID_ARGUMENT naming the job (or task) and those that there are.
  StatusOr<std::string> Address(std::string_view job, int task) const;
  // All tasks as "/job:<job>/replica:0/task:<i>", in order of the specification.
  std::vector<std::string> TaskNames() const;
  // The address of such a name; nullopt when it is not in the cluster.
  std::optional<std::string> AddressOf(std::string_view task_name) const;

  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  std::vector<std::pair<std::string, Tasks>> jobs_;
};

// TensorFlow's flag form "ps|h:1,worker|h:2;h:3". INVALID_ARGUMENT naming the piece that is wrong.
StatusOr<ClusterSpec> ParseClusterSpec(std::string_view text);

// "host:port", also "[::1]:port"; INVALID_ARGUMENT "Could not interpret "<x>" as a host-port pair."
struct HostPort {
  std::string host;
  int port = 0;
};
StatusOr<HostPort> ParseHostPort(std::string_view text);

struct ServerDef {
  ClusterSpec cluster;
  std::string job_name;
  int task_index = 0;
  int replica = 0;
  int port = 0;  // overrides the port of the entry unless 0
  std::string protocol = "grpc";
  SessionConfig default_session_config;
};

// Checks job, task, protocol and names; the errors of wire.md 3.2, and which jobs and tasks exist.
Status ValidateServerDef(const ServerDef& def);

}  // namespace rheo::service

#endif  // RHEO_SERVICE_CLUSTER_SPEC_H_
