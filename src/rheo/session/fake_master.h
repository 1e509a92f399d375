// FakeMaster: a MasterService for tests of clients.
#ifndef RHEO_SESSION_FAKE_MASTER_H_
#define RHEO_SESSION_FAKE_MASTER_H_

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/service/master_service.h"

namespace rheo::session {

// Answers at once, with `next_error` if it is set, and remembers what it was asked. Fetch "x" is
// the scalar that was fed as "x", else 7; a callable answers its feeds doubled.
class FakeMaster : public service::MasterService {
 public:
  void CreateSession(const service::CreateSessionRequest& request,
                     service::CreateSessionResponse* response, const service::Call& call,
                     DoneCallback done) override {
    created = request;
    last_call = call;
    response->session = SessionHandle("0123456789abcdef");
    response->graph_version = 3;
    Finish(std::move(done));
  }
  void ExtendSession(const service::ExtendSessionRequest& request,
                     service::ExtendSessionResponse* response, const service::Call& call,
                     DoneCallback done) override {
    extended.push_back(request.current_graph_version);
    extension = request.graph;
    response->new_graph_version = request.current_graph_version + 1;
    Finish(std::move(done));
  }
  void PartialRunSetup(const service::PartialRunSetupRequest& request,
                       service::PartialRunSetupResponse* response, const service::Call& call,
                       DoneCallback done) override {
    response->partial_run_handle = "partial";
    Finish(std::move(done));
  }
  void RunStep(const service::RunStepRequest& request, service::RunStepResponse* response,
               const service::Call& call, DoneCallback done) override {
    step = request;
    last_call = call;
    // In reverse, so that a client must look at the names.
    for (auto fetch = request.fetches.rbegin(); fetch != request.fetches.rend(); ++fetch) {
      if (*fetch == "lost") continue;
      Tensor value = Tensor::Scalar(7.0f);
      for (const service::NamedTensor& feed : request.feeds) {
        if (feed.name == *fetch) value = feed.tensor;
      }
      response->tensors.push_back({*fetch, value});
    }
    response->metadata.cost_graph = "costs";
    Finish(std::move(done));
  }
  void CloseSession(const service::CloseSessionRequest& request, service::CloseSessionResponse*,
                    const service::Call& call, DoneCallback done) override {
    ++closed;
    Finish(std::move(done));
  }
  void ListDevices(const service::ListDevicesRequest& request,
                   service::ListDevicesResponse* response, const service::Call& call,
                   DoneCallback done) override {
    response->local_devices.push_back({.name = "local"});
    response->remote_devices.push_back({.name = "remote"});
    Finish(std::move(done));
  }
  void Reset(const service::ResetRequest& request, service::ResetResponse*,
             const service::Call& call, DoneCallback done) override {
    reset = request.containers;
    Finish(std::move(done));
  }
  void MakeCallable(const service::MakeCallableRequest& request,
                    service::MakeCallableResponse* response, const service::Call& call,
                    DoneCallback done) override {
    callable = request.options;
    response->handle = 42;
    Finish(std::move(done));
  }
  void RunCallable(const service::RunCallableRequest& request,
                   service::RunCallableResponse* response, const service::Call& call,
                   DoneCallback done) override {
    const bool proper = request.handle == 42 && response->fetches.empty();
    if (!proper) return done(Internal("not what a session sends"));
    for (const Tensor& feed : request.feeds) {
      response->fetches.push_back(Tensor::Scalar(2 * feed.scalar<float>()));
    }
    Finish(std::move(done));
  }
  void ReleaseCallable(const service::ReleaseCallableRequest& request,
                       service::ReleaseCallableResponse*, const service::Call& call,
                       DoneCallback done) override {
    ++released;
    Finish(std::move(done));
  }

  Status next_error;
  service::CreateSessionRequest created;
  std::vector<int64_t> extended;
  graph::GraphDef extension;  // the last one
  service::RunStepRequest step;
  service::CallableOptions callable;
  std::optional<service::Call> last_call;
  std::vector<std::string> reset;
  std::atomic<int> closed{0};
  std::atomic<int> released{0};

 private:
  // Several threads may call; the test sets next_error between calls.
  void Finish(DoneCallback done) {
    Status error;
    {
      MutexLock lock(mutex_);
      error = std::exchange(next_error, OkStatus());
    }
    done(std::move(error));
  }

  Mutex mutex_;
};

}  // namespace rheo::session

#endif  // RHEO_SESSION_FAKE_MASTER_H_
