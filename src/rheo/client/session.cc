#include "rheo/client/session.h"

#include <atomic>
#include <utility>

#include "rheo/base/mutex.h"
#include "rheo/graph/import.h"

namespace rheo::client {
namespace {

// The nodes of `graph` from id `first_id` on, and the functions that `known` lacks.
graph::GraphDef Addition(const graph::Graph& graph, int first_id,
                         const graph::FunctionLibraryRef& known) {
  graph::GraphDef def = graph::Export(graph, {});
  std::erase_if(def.nodes, [&](const graph::NodeDef& node) {
    return graph.FindNode(node.name)->id() < first_id;
  });
  std::erase_if(def.library.functions, [&](const graph::FunctionDef& function) {
    return known->Find(function.signature.name) != nullptr;
  });
  return def;
}

}  // namespace

struct Session::State {
  State(Scope the_scope, session::Session the_session)
      : scope(std::move(the_scope)),
        session(std::move(the_session)),
        sent_node_ids(scope.graph().num_node_ids()),
        sent_library(scope.graph().library()) {}

  const Scope scope;
  const session::Session session;
  Mutex mutex;
  // Of the graph, what the master has. Written under the mutex; atomic so that a step of a graph
  // that did not grow takes no lock.
  std::atomic<int> sent_node_ids;
  graph::FunctionLibraryRef sent_library RHEO_GUARDED_BY(mutex);

  Status ExtendIfGrown() {
    RHEO_RETURN_IF_ERROR(scope.status());
    const graph::Graph& graph = scope.graph();
    const int num_node_ids = graph.num_node_ids();
    if (sent_node_ids.load(std::memory_order_acquire) == num_node_ids) return OkStatus();
    MutexLock lock(mutex);
    const int sent = sent_node_ids.load(std::memory_order_relaxed);
    if (sent == num_node_ids) return OkStatus();
    RHEO_RETURN_IF_ERROR(session.Extend(Addition(graph, sent, sent_library)));
    sent_library = graph.library();
    sent_node_ids.store(num_node_ids, std::memory_order_release);
    return OkStatus();
  }

  template <typename T>
  Status CheckOurs(const char* what, const T& value, const Operation& operation) const {
    if (!value.has_value()) return InvalidArgument("an empty {} was given", what);
    if (operation.state() == scope.state()) return OkStatus();
    return InvalidArgument("the {} '{}' is of another graph", what, value.name());
  }

  StatusOr<std::vector<std::string>> Names(const char* what,
                                           const std::vector<Output>& outputs) const {
    std::vector<std::string> names;
    for (const Output& output : outputs) {
      RHEO_RETURN_IF_ERROR(CheckOurs(what, output, output.op()));
      names.push_back(output.name());
    }
    return names;
  }

  StatusOr<std::vector<std::string>> Names(const std::vector<Operation>& targets) const {
    std::vector<std::string> names;
    for (const Operation& target : targets) {
      RHEO_RETURN_IF_ERROR(CheckOurs("target", target, target));
      names.push_back(target.name());
    }
    return names;
  }

  StatusOr<service::NamedTensor> ToNamed(const Feed& feed) const {
    RHEO_RETURN_IF_ERROR(CheckOurs("feed", feed.output, feed.output.op()));
    if (!feed.value.value().has_value()) {
      return InvalidArgument("the feed of '{}' is no tensor", feed.output.name());
    }
    Tensor tensor = feed.value.value();
    if (feed.value.is_literal()) {
      RHEO_ASSIGN_OR_RETURN(tensor, builder::ConvertLiteral(tensor, feed.output.dtype()));
    }
    return service::NamedTensor{feed.output.name(), std::move(tensor)};
  }
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

StatusOr<Session> Session::Create(std::shared_ptr<service::MasterService> master,
                                  const Scope& scope, SessionOptions options) {
  RHEO_RETURN_IF_ERROR(scope.status());
  RHEO_ASSIGN_OR_RETURN(
      session::Session session,
      session::Session::Create(std::move(master), graph::Export(scope.graph(), {}),
                               std::move(options)));
  return Session(std::make_unique<State>(scope, std::move(session)));
}

StatusOr<std::vector<Tensor>> Session::Run(const RunArgs& args) const {
  RHEO_RETURN_IF_ERROR(state_->ExtendIfGrown());
  session::RunArgs named{.options = args.options, .metadata = args.metadata};
  for (const Feed& feed : args.feeds) {
    RHEO_ASSIGN_OR_RETURN(service::NamedTensor tensor, state_->ToNamed(feed));
    named.feeds.push_back(std::move(tensor));
  }
  RHEO_ASSIGN_OR_RETURN(named.fetches, state_->Names("fetch", args.fetches));
  RHEO_ASSIGN_OR_RETURN(named.targets, state_->Names(args.targets));
  return state_->session.Run(named);
}

StatusOr<Callable> Session::Prepare(const std::vector<Output>& feeds,
                                    const std::vector<Output>& fetches,
                                    const std::vector<Operation>& targets,
                                    RunOptions options) const {
  RHEO_RETURN_IF_ERROR(state_->ExtendIfGrown());
  RHEO_ASSIGN_OR_RETURN(std::vector<std::string> feed_names, state_->Names("feed", feeds));
  RHEO_ASSIGN_OR_RETURN(std::vector<std::string> fetch_names, state_->Names("fetch", fetches));
  RHEO_ASSIGN_OR_RETURN(std::vector<std::string> target_names, state_->Names(targets));
  return state_->session.Prepare(std::move(feed_names), std::move(fetch_names),
                                 std::move(target_names), std::move(options));
}

StatusOr<std::vector<device::DeviceInfo>> Session::ListDevices() const {
  return state_->session.ListDevices();
}

Status Session::Close() const { return state_->session.Close(); }

}  // namespace rheo::client
