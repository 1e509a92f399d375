// Stand-ins for the services, for tests: each method remembers its last request and gives a
// prepared answer, or runs a function of the test's.
#ifndef RHEO_RPC_FAKE_SERVICES_H_
#define RHEO_RPC_FAKE_SERVICES_H_

#include <functional>
#include <utility>

#include "rheo/base/mutex.h"
#include "rheo/service/master_service.h"
#include "rheo/service/worker_service.h"

namespace rheo::rpc {

// One method. Thread-safe.
template <typename Request, typename Response>
class FakeMethod {
 public:
  using Function =
      std::function<void(const Request&, Response*, const service::Call&, DoneCallback)>;

  void AnswerWith(Response response) {
    MutexLock lock(mutex_);
    response_ = std::move(response);
  }
  void FailWith(Status status) {
    MutexLock lock(mutex_);
    status_ = std::move(status);
  }
  void Run(Function function) {
    MutexLock lock(mutex_);
    function_ = std::move(function);
  }

  int num_calls() const {
    MutexLock lock(mutex_);
    return num_calls_;
  }
  Request last_request() const {
    MutexLock lock(mutex_);
    return last_request_;
  }

  void operator()(const Request& request, Response* response, const service::Call& call,
                  DoneCallback done) {
    Function function;
    Status status;
    {
      MutexLock lock(mutex_);
      ++num_calls_;
      last_request_ = request;
      function = function_;
      *response = response_;
      status = status_;
    }
    if (function != nullptr) return function(request, response, call, std::move(done));
    std::move(done)(std::move(status));
  }

 private:
  mutable Mutex mutex_;
  Response response_ RHEO_GUARDED_BY(mutex_);
  Status status_ RHEO_GUARDED_BY(mutex_);
  Function function_ RHEO_GUARDED_BY(mutex_);
  int num_calls_ RHEO_GUARDED_BY(mutex_) = 0;
  Request last_request_ RHEO_GUARDED_BY(mutex_);
};

#define RHEO_FAKE_METHOD(Method, field)                                                     \
  FakeMethod<service::Method##Request, service::Method##Response> field;                    \
  void Method(const service::Method##Request& request, service::Method##Response* response, \
              const service::Call& call, DoneCallback done) override {                      \
    field(request, response, call, std::move(done));                                        \
  }

class FakeMaster final : public service::MasterService {
 public:
  RHEO_FAKE_METHOD(CreateSession, create_session)
  RHEO_FAKE_METHOD(ExtendSession, extend_session)
  RHEO_FAKE_METHOD(PartialRunSetup, partial_run_setup)
  RHEO_FAKE_METHOD(RunStep, run_step)
  RHEO_FAKE_METHOD(CloseSession, close_session)
  RHEO_FAKE_METHOD(ListDevices, list_devices)
  RHEO_FAKE_METHOD(Reset, reset)
  RHEO_FAKE_METHOD(MakeCallable, make_callable)
  RHEO_FAKE_METHOD(RunCallable, run_callable)
  RHEO_FAKE_METHOD(ReleaseCallable, release_callable)
};

class FakeWorker final : public service::WorkerService {
 public:
  RHEO_FAKE_METHOD(GetStatus, get_status)
  RHEO_FAKE_METHOD(CreateWorkerSession, create_worker_session)
  RHEO_FAKE_METHOD(DeleteWorkerSession, delete_worker_session)
  RHEO_FAKE_METHOD(RegisterGraph, register_graph)
  RHEO_FAKE_METHOD(DeregisterGraph, deregister_graph)
  RHEO_FAKE_METHOD(RunGraph, run_graph)
  RHEO_FAKE_METHOD(CleanupGraph, cleanup_graph)
  RHEO_FAKE_METHOD(CleanupAll, cleanup_all)
  RHEO_FAKE_METHOD(RecvTensor, recv_tensor)
  RHEO_FAKE_METHOD(PushTensors, push_tensors)
  RHEO_FAKE_METHOD(MarkRecvFinished, mark_recv_finished)
  RHEO_FAKE_METHOD(RecvBuf, recv_buf)
  RHEO_FAKE_METHOD(CompleteGroup, complete_group)
  RHEO_FAKE_METHOD(CompleteInstance, complete_instance)
  RHEO_FAKE_METHOD(GetStepSequence, get_step_sequence)
  RHEO_FAKE_METHOD(Logging, logging)
};
#undef RHEO_FAKE_METHOD

}  // namespace rheo::rpc

#endif  // RHEO_RPC_FAKE_SERVICES_H_
