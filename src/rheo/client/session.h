// Session: runs steps of the graph of a Scope, by Outputs and Operations.
#ifndef RHEO_CLIENT_SESSION_H_
#define RHEO_CLIENT_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/builder/input.h"
#include "rheo/builder/scope.h"
#include "rheo/session/session.h"

namespace rheo::client {

using builder::Input;
using builder::Operation;
using builder::Output;
using builder::Scope;
using session::Callable;
using session::RunOptions;
using session::SessionOptions;

// `value` is a tensor or literals, which take the output's dtype.
struct Feed {
  Output output;
  Input value;
};

// One step; tensors and operations of the session's graph.
struct RunArgs {
  std::vector<Feed> feeds;
  std::vector<Output> fetches;
  std::vector<Operation> targets;
  RunOptions options;
  service::RunMetadata* metadata = nullptr;  // filled when given
};

// As session::Session, which tells of threads and errors. The graph may grow while the session
// lives: each Run and Prepare first hands the master what was added. It must not change during a
// Run. Errors besides: the scope's own error, INVALID_ARGUMENT for a feed, fetch or target that is
// empty or of another graph.
class Session {
 public:
  // The scope's first mistake, if there is one; else as session::Session::Create.
  static StatusOr<Session> Create(std::shared_ptr<service::MasterService> master,
                                  const Scope& scope, SessionOptions options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  //   session.Run({.feeds = {{x, batch}}, .fetches = {logits}, .targets = {step}})
  StatusOr<std::vector<Tensor>> Run(const RunArgs& args) const;
  StatusOr<Callable> Prepare(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                             const std::vector<Operation>& targets = {},
                             RunOptions options = {}) const;

  StatusOr<std::vector<device::DeviceInfo>> ListDevices() const;
  Status Close() const;
  static Status Reset(service::MasterService& master, std::vector<std::string> containers,
                      std::chrono::milliseconds timeout = {}) {
    return session::Session::Reset(master, std::move(containers), timeout);
  }

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace rheo::client

#endif  // RHEO_CLIENT_SESSION_H_
