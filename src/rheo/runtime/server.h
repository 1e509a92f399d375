// Server: one task of a cluster, with its port.
#ifndef RHEO_RUNTIME_SERVER_H_
#define RHEO_RUNTIME_SERVER_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/device/device.h"
#include "rheo/runtime/registries.h"
#include "rheo/service/cluster_spec.h"
#include "rheo/service/credentials.h"
#include "rheo/service/limits.h"
#include "rheo/service/session_config.h"

namespace rheo::runtime {

struct ServerOptions {
  service::ClusterSpec cluster;
  std::string job;
  int task = 0;
  int port = 0;  // 0: the port of the task's own entry
  // The address to listen on without the port: all addresses of this host and no other. "0.0.0.0":
  // every IPv4 address, "::": every address; empty: the host of the task's own entry.
  std::string bind_host;
  // What callers must show, and what this task shows to the others. Empty: those of the environment
  // variable RHEO_CREDENTIALS, else none.
  service::Credentials credentials;
  // From where calls are taken that show no credentials: "none", "any", or a list by commas of
  // "loopback", "cluster" (the hosts of `cluster`), addresses and ranges. Empty: "loopback,cluster"
  // where there are no credentials, "none" where there are.
  std::string plain_from;
  // Which files the operations of clients may touch here: "any", "none", or folders by commas.
  // Empty: any, unless `registries` is set, which has its own policy.
  std::string files;
  // device_count, threads, and the defaults of sessions.
  service::SessionConfig config;
  // How long a session waits for tasks that are missing, when its client sets no timeout.
  std::chrono::milliseconds forming_timeout = std::chrono::minutes(10);
  // Sessions that nobody used for this long are closed: their clients have vanished. 0: they stay.
  std::chrono::milliseconds session_idle_limit{0};
  // What other masters have in this task, sessions with their graphs and the state of isolated
  // ones, is dropped when the master was restarted, or does not answer for this long. 0: never.
  std::chrono::milliseconds lost_master_limit = std::chrono::minutes(10);
  // How much callers may ask of this server. In the messages the limits have the names of the flags
  // of `rheo serve`.
  service::Limits limits;
  // How often links to other Rheo tasks and to callers are pinged, so that dead ones are noticed;
  // 0: every 10 s and 15 s. A link is dead when 10 s bring no answer.
  std::chrono::milliseconds ping_interval{0};
  const Registries* registries = nullptr;  // null: BuiltIn()
  // For tests of what happens when a task is slow, wrong or dead; see async/fault_points.h. The
  // log says that there are some.
  std::string faults;
};

// The options that a definition holds.
ServerOptions OptionsFrom(service::ServerDef def);

// Bytes of messages, tensors included, that a task has exchanged with others and with clients.
struct Traffic {
  int64_t bytes_sent = 0;
  int64_t bytes_received = 0;
};

// Sessions that use a task, as master or as worker.
struct SessionCounts {
  int open = 0;
  int ever = 0;
};

// Any number in one process; they share nothing but code and the registries. Thread-safe.
class Server {
 public:
  // Listens and serves when it returns. INVALID_ARGUMENT and the other errors of wire.md 3.2 for a
  // bad definition, bad credentials or a bad policy, UNKNOWN naming the address and why when the
  // port cannot be had.
  static StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  static StatusOr<std::unique_ptr<Server>> Start(service::ServerDef def,
                                                 std::string bind_host = {});
  // A cluster of one task, /job:localhost/replica:0/task:0, on a free port of 127.0.0.1.
  static StatusOr<std::unique_ptr<Server>> CreateLocalServer();
  // Stop without grace.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // "grpc://host:port", for sessions.
  const std::string& target() const;
  int port() const;
  // What it listens on: {"127.0.0.1:7000"}.
  const std::vector<std::string>& bound() const;
  // Who may come in and touch what: "mutual TLS and a token; plain calls from nowhere; no files".
  std::string DescribeDoor() const;
  const std::string& task_name() const;
  std::vector<device::DeviceInfo> devices() const;
  Traffic traffic() const;
  SessionCounts sessions() const;
  // What the task does right now; see runtime/task_status.h.
  std::string status_page() const;

  // Refuses new calls with UNAVAILABLE, ends steps that wait for other steps (a dequeue, say) with
  // UNAVAILABLE, lets the others finish for `grace`, then ends those too. The health check says
  // NOT_SERVING meanwhile. The port is free when it returns. Later calls do nothing.
  void Stop(std::chrono::milliseconds grace = {});
  // Blocks until another thread has called Stop.
  void Join();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_SERVER_H_
