#include "raw_session.h"

#include <utility>

#include "rheo/graph/import.h"

namespace rheo::bench {

struct RawSession::Step {
  service::RunStepRequest request;
  service::RunStepResponse response;
  service::Call call;
};

StatusOr<std::unique_ptr<RawSession>> RawSession::Open(const std::string& target, const Scope& g) {
  RHEO_RETURN_IF_ERROR(g.status());
  RHEO_ASSIGN_OR_RETURN(auto master, runtime::Connect(target));
  const service::CreateSessionRequest request{.graph = graph::Export(g.graph(), {}),
                                              .target = target};
  service::CreateSessionResponse response;
  service::Call call;
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    master->CreateSession(request, &response, call, std::move(done));
  }));
  return std::unique_ptr<RawSession>(new RawSession(std::move(master), response.session));
}

RawSession::~RawSession() {
  Close().IgnoreError();
  MutexLock lock(mutex_);
  ended_.Wait(mutex_, [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS { return num_running_ == 0; });
}

StatusOr<Tensor> RawSession::Run(const Operation& target, const Output& fetch) {
  service::RunStepRequest request{.session = handle_, .request_id = NewRequestId()};
  if (target.has_value()) request.targets.push_back(target.name());
  if (fetch.has_value()) request.fetches.push_back(fetch.name());
  service::RunStepResponse response;
  service::Call call;
  RHEO_RETURN_IF_ERROR(service::Wait(call, [&](DoneCallback done) {
    master_->RunStep(request, &response, call, std::move(done));
  }));
  return response.tensors.empty() ? Tensor() : response.tensors[0].tensor;
}

void RawSession::Start(const Operation& target, StopToken stop) {
  {
    MutexLock lock(mutex_);
    ++num_running_;
  }
  auto step = std::make_shared<Step>();
  step->request.session = handle_;
  step->request.targets = {target.name()};
  step->request.request_id = NewRequestId();
  step->call.stop = std::move(stop);
  master_->RunStep(step->request, &step->response, step->call,
                   [this, step](const Status& status) { Ended(status); });
}

void RawSession::Ended(const Status& status) {
  MutexLock lock(mutex_);
  if (status.ok()) {
    ++endings_.ok;
  } else if (status.code() == StatusCode::kCancelled) {
    ++endings_.cancelled;
  } else if (endings_.other.ok()) {
    endings_.other = status;
  }
  if (--num_running_ == 0) ended_.NotifyAll();
}

StatusOr<Endings> RawSession::Await(std::chrono::seconds timeout) {
  MutexLock lock(mutex_);
  const bool all =
      ended_.WaitUntil(mutex_, std::chrono::steady_clock::now() + timeout,
                       [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS { return num_running_ == 0; });
  if (!all) return DeadlineExceeded("{} steps have not ended", num_running_);
  return std::exchange(endings_, {});
}

Status RawSession::Close() {
  const service::CloseSessionRequest request{.session = handle_};
  service::CloseSessionResponse response;
  service::Call call;
  return service::Wait(call, [&](DoneCallback done) {
    master_->CloseSession(request, &response, call, std::move(done));
  });
}

}  // namespace rheo::bench
