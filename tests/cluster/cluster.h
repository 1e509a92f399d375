// Cluster: the tasks of a cluster as `rheo serve` processes on free ports of 127.0.0.1.
#ifndef RHEO_TESTS_CLUSTER_CLUSTER_H_
#define RHEO_TESTS_CLUSTER_CLUSTER_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "process.h"
#include "rheo/client.h"

namespace rheo::cluster_test {

// A port of 127.0.0.1 that was free a moment ago.
int FreePort();
std::string FreeAddress();

struct ClusterOptions {
  int ps = 0;
  int workers = 1;
  std::vector<std::string> flags;  // of each server
  Environment env;                 // of each server, over this process's
  bool start = true;               // all tasks at once
};

// Not thread-safe. Tasks are named by job and index.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options);

  // Starts a task, or starts it again; returns when it is ready, and fails the test if it is not.
  Process& Start(const std::string& job, int index = 0, const std::vector<std::string>& flags = {});
  Process& Get(const std::string& job, int index = 0);
  void Kill(const std::string& job, int index = 0);
  void Freeze(const std::string& job, int index = 0);
  void Thaw(const std::string& job, int index = 0);

  // "127.0.0.1:4711", "grpc://127.0.0.1:4711".
  const std::string& Address(const std::string& job, int index = 0) const;
  std::string Target(const std::string& job = "worker", int index = 0) const;
  // In place of the task's own address in the specification that the others get.
  void SetAddress(const std::string& job, int index, std::string address);
  // "ps|h:1,worker|h:2;h:3"
  std::string Spec() const;

  // What all tasks have printed.
  std::string Logs() const;

 private:
  using Key = std::pair<std::string, int>;

  const ClusterOptions options_;
  std::map<Key, std::string> addresses_;
  std::map<Key, std::unique_ptr<Process>> processes_;
};

// "/job:ps/replica:0/task:0"
std::string TaskName(const std::string& job, int index = 0);

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_CLUSTER_H_
