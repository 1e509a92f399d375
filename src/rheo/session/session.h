// Session: a client's use of a master: steps of one growing graph, by names of nodes and tensors.
//
// The master may be an object of this process or a stub; a session cannot tell. client/session.h is
// the form for graphs that were built with a Scope.
#ifndef RHEO_SESSION_SESSION_H_
#define RHEO_SESSION_SESSION_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/stop.h"
#include "rheo/base/status.h"
#include "rheo/device/device.h"
#include "rheo/graph/graph_def.h"
#include "rheo/service/credentials.h"
#include "rheo/service/master_service.h"
#include "rheo/session/callable.h"
#include "rheo/session/run_options.h"
#include "rheo/tensor/tensor.h"

namespace rheo::session {

struct SessionOptions {
  std::string target;  // as the user typed it; the master only records it
  service::SessionConfig config;
  // What the client shows to the master and asks of it; used by whoever connects to the target.
  service::Credentials credentials;
  // How long to wait for the master and the tasks it needs; 0: config.operation_timeout_ms, and
  // without that ten minutes.
  std::chrono::milliseconds create_timeout{0};
};

// One step. Names are "node", "node:output"; targets are node names.
struct RunArgs {
  std::vector<service::NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  service::RunMetadata* metadata = nullptr;  // filled when given
};

// A handle: movable, not copyable. Thread-safe but for moving and destruction; any number of steps
// may run at once. Destruction closes the session, waiting at most ten seconds.
//
// Errors of all methods: those of service/master_service.h; FAILED_PRECONDITION after Close.
class Session {
 public:
  // Blocks until the master accepted `graph`. UNAVAILABLE or DEADLINE_EXCEEDED when it, or a task
  // that it needs, does not answer in time.
  static StatusOr<Session> Create(std::shared_ptr<service::MasterService> master,
                                  graph::GraphDef graph, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Adds nodes and functions. On an error nothing was added. Concurrent calls take turns.
  Status Extend(graph::GraphDef graph) const;

  // Runs one step and returns the fetched tensors in the order of `fetches`, which may repeat.
  // DEADLINE_EXCEEDED after options.timeout, CANCELLED when options.stop fires or the session
  // closes.
  StatusOr<std::vector<Tensor>> Run(const RunArgs& args) const;

  // Prepares a step that will run often; see Callable. The feeds and fetches are its signature.
  StatusOr<Callable> Prepare(std::vector<std::string> feeds, std::vector<std::string> fetches,
                             std::vector<std::string> targets = {}, RunOptions options = {}) const;

  // A step that is fed and fetched in several calls; see PartialRun.
  StatusOr<PartialRun> SetupPartialRun(std::vector<std::string> feeds,
                                       std::vector<std::string> fetches,
                                       std::vector<std::string> targets = {}) const;

  // All devices that the session sees, those of the master's task first.
  StatusOr<std::vector<device::DeviceInfo>> ListDevices() const;

  // Cancels running steps and gives the session up; variables live on. Closing again is no error.
  Status Close() const;

  // Clears the named resource containers (the default one when none is named) on all tasks of the
  // master's cluster and ends all its sessions. `timeout` 0: none.
  static Status Reset(service::MasterService& master, std::vector<std::string> containers,
                      std::chrono::milliseconds timeout = {});

 private:
  explicit Session(std::shared_ptr<SessionCore> core);

  std::shared_ptr<SessionCore> core_;  // null when moved from
};

}  // namespace rheo::session

#endif  // RHEO_SESSION_SESSION_H_
