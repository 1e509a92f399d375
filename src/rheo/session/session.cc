#include "rheo/session/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rheo/base/string_map.h"
#include "rheo/session/session_core.h"

namespace rheo::session {
namespace {

constexpr std::chrono::milliseconds kDefaultCreateTimeout = std::chrono::minutes(11);

std::chrono::milliseconds FirstPositive(std::initializer_list<std::chrono::milliseconds> timeouts) {
  for (const std::chrono::milliseconds timeout : timeouts) {
    if (timeout.count() > 0) return timeout;
  }
  return {};
}

service::RunOptions ToService(const RunOptions& options, std::chrono::milliseconds timeout) {
  return {.trace = options.trace,
          .timeout_ms = timeout.count(),
          .output_partition_graphs = options.output_partition_graphs,
          .report_allocations_upon_oom = options.report_allocations_upon_oom,
          .collective_graph_key = options.collective_graph_key};
}

std::vector<std::string> Distinct(const std::vector<std::string>& names) {
  StringSet seen;
  std::vector<std::string> distinct;
  for (const std::string& name : names) {
    if (seen.insert(name).second) distinct.push_back(name);
  }
  return distinct;
}

// The tensors of `answer`, one per entry of `fetches`.
StatusOr<std::vector<Tensor>> InOrder(const std::vector<std::string>& fetches,
                                      const std::vector<service::NamedTensor>& answer) {
  StringViewMap<const Tensor*> by_name;
  for (const service::NamedTensor& entry : answer) by_name.emplace(entry.name, &entry.tensor);
  std::vector<Tensor> tensors;
  tensors.reserve(fetches.size());
  for (const std::string& fetch : fetches) {
    const auto found = by_name.find(fetch);
    if (found == by_name.end()) {
      return Internal("the master's answer lacks the fetched tensor '{}'", fetch);
    }
    tensors.push_back(*found->second);
  }
  return tensors;
}

}  // namespace

StatusOr<std::vector<Tensor>> RunStep(const SessionCore& core,
                                      const service::RunStepRequest& request, service::Call call,
                                      service::RunMetadata* metadata) {
  service::RunStepResponse response;
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    core.master->RunStep(request, &response, call, std::move(done));
  }));
  if (metadata != nullptr) *metadata = std::move(response.metadata);
  return InOrder(request.fetches, response.tensors);
}

Session::Session(std::shared_ptr<SessionCore> core) : core_(std::move(core)) {}
Session::Session(Session&&) noexcept = default;

Session& Session::operator=(Session&& other) noexcept {
  Session old(std::exchange(core_, std::move(other.core_)));
  return *this;
}

StatusOr<Session> Session::Create(std::shared_ptr<service::MasterService> master,
                                  graph::GraphDef graph, SessionOptions options) {
  const std::chrono::milliseconds operation_timeout(options.config.operation_timeout_ms);
  const service::CreateSessionRequest request{.graph = std::move(graph),
                                              .config = std::move(options.config),
                                              .target = std::move(options.target)};
  service::CreateSessionResponse response;
  service::Call call{.deadline = DeadlineAfter(FirstPositive(
                         {options.create_timeout, operation_timeout, kDefaultCreateTimeout})),
                     .wait_for_ready = true};
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    master->CreateSession(request, &response, call, std::move(done));
  }));
  return Session(std::make_shared<SessionCore>(std::move(master), std::move(response.session),
                                               operation_timeout, response.graph_version));
}

Session::~Session() {
  if (core_ == nullptr || core_->closed.exchange(true)) return;
  const service::CloseSessionRequest request{.session = core_->handle};
  service::CloseSessionResponse response;
  service::Call call{.deadline = DeadlineAfter(kReleaseTimeout)};
  // Nobody is left to tell of an error; the master drops the session with its connection or
  // restart.
  (void)service::Wait(call, [&](DoneCallback done) {
    core_->master->CloseSession(request, &response, call, std::move(done));
  });
}

Status Session::Extend(graph::GraphDef graph) const {
  RHEO_RETURN_IF_ERROR(core_->CheckOpen());
  MutexLock lock(core_->extend_mutex);
  const service::ExtendSessionRequest request{.session = core_->handle,
                                              .graph = std::move(graph),
                                              .current_graph_version = core_->graph_version};
  service::ExtendSessionResponse response;
  service::Call call = core_->OperationCall();
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    core_->master->ExtendSession(request, &response, call, std::move(done));
  }));
  core_->graph_version = response.new_graph_version;
  return OkStatus();
}

StatusOr<std::vector<Tensor>> Session::Run(const RunArgs& args) const {
  RHEO_RETURN_IF_ERROR(core_->CheckOpen());
  const std::chrono::milliseconds timeout =
      FirstPositive({args.options.timeout, core_->operation_timeout});
  const service::RunStepRequest request{.session = core_->handle,
                                        .feeds = args.feeds,
                                        .fetches = Distinct(args.fetches),
                                        .targets = args.targets,
                                        .options = ToService(args.options, timeout)};
  const service::Call call{.stop = args.options.stop, .deadline = DeadlineAfter(timeout)};
  RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, RunStep(*core_, request, call, args.metadata));
  if (tensors.size() == args.fetches.size()) return tensors;
  std::vector<Tensor> repeated;
  for (const std::string& fetch : args.fetches) {
    const auto at = std::find(request.fetches.begin(), request.fetches.end(), fetch);
    repeated.push_back(tensors[static_cast<size_t>(at - request.fetches.begin())]);
  }
  return repeated;
}

StatusOr<Callable> Session::Prepare(std::vector<std::string> feeds,
                                    std::vector<std::string> fetches,
                                    std::vector<std::string> targets, RunOptions options) const {
  RHEO_RETURN_IF_ERROR(core_->CheckOpen());
  const std::chrono::milliseconds timeout =
      FirstPositive({options.timeout, core_->operation_timeout});
  const size_t num_feeds = feeds.size();
  const size_t num_fetches = fetches.size();
  const service::MakeCallableRequest request{
      .session = core_->handle,
      .options = {.feeds = std::move(feeds),
                  .fetches = std::move(fetches),
                  .targets = std::move(targets),
                  .run_options = ToService(options, timeout)}};
  service::MakeCallableResponse response;
  service::Call call = core_->OperationCall();
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    core_->master->MakeCallable(request, &response, call, std::move(done));
  }));
  return Callable::Make(core_, response.handle, num_feeds, num_fetches, timeout,
                        std::move(options.stop));
}

StatusOr<PartialRun> Session::SetupPartialRun(std::vector<std::string> feeds,
                                              std::vector<std::string> fetches,
                                              std::vector<std::string> targets) const {
  RHEO_RETURN_IF_ERROR(core_->CheckOpen());
  const service::PartialRunSetupRequest request{.session = core_->handle,
                                                .feeds = std::move(feeds),
                                                .fetches = std::move(fetches),
                                                .targets = std::move(targets)};
  service::PartialRunSetupResponse response;
  service::Call call = core_->OperationCall();
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    core_->master->PartialRunSetup(request, &response, call, std::move(done));
  }));
  return PartialRun(core_, std::move(response.partial_run_handle));
}

StatusOr<std::vector<device::DeviceInfo>> Session::ListDevices() const {
  RHEO_RETURN_IF_ERROR(core_->CheckOpen());
  const service::ListDevicesRequest request{.session = core_->handle};
  service::ListDevicesResponse response;
  service::Call call = core_->OperationCall();
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    core_->master->ListDevices(request, &response, call, std::move(done));
  }));
  std::vector<device::DeviceInfo> devices = std::move(response.local_devices);
  std::move(response.remote_devices.begin(), response.remote_devices.end(),
            std::back_inserter(devices));
  return devices;
}

Status Session::Close() const {
  if (core_->closed.exchange(true)) return OkStatus();
  const service::CloseSessionRequest request{.session = core_->handle};
  service::CloseSessionResponse response;
  service::Call call = core_->OperationCall();
  return service::Wait(call, [&](DoneCallback done) {
    core_->master->CloseSession(request, &response, call, std::move(done));
  });
}

Status Session::Reset(service::MasterService& master, std::vector<std::string> containers,
                      std::chrono::milliseconds timeout) {
  const service::ResetRequest request{.containers = std::move(containers)};
  service::ResetResponse response;
  service::Call call{.deadline = DeadlineAfter(timeout)};
  return service::Wait(
      call, [&](DoneCallback done) { master.Reset(request, &response, call, std::move(done)); });
}

}  // namespace rheo::session
