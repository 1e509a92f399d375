// RawClient: calls single methods of a task, without a session in between.
#ifndef RHEO_TESTS_CLUSTER_RAW_CLIENT_H_
#define RHEO_TESTS_CLUSTER_RAW_CLIENT_H_

#include <memory>
#include <string>

#include "rheo/rpc/client.h"
#include "rheo/rpc/remote_master.h"
#include "rheo/rpc/remote_worker.h"

namespace rheo::cluster_test {

class RawClient {
 public:
  RawClient(const std::string& task, const std::string& address)
      : master_(rpc::ConnectMaster(client_, address)),
        worker_(rpc::ConnectWorker(client_, task, address)) {}

  // Calls a method of the worker, or of the master, and waits at most `patience`.
  template <typename Request, typename Response>
  Status Call(void (service::WorkerService::*method)(const Request&, Response*,
                                                     const service::Call&, DoneCallback),
              const Request& request, Response* response,
              std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    return Wait(*worker_, method, request, response, patience);
  }
  template <typename Request, typename Response>
  Status Call(void (service::MasterService::*method)(const Request&, Response*,
                                                     const service::Call&, DoneCallback),
              const Request& request, Response* response,
              std::chrono::milliseconds patience = std::chrono::seconds(10)) {
    return Wait(*master_, method, request, response, patience);
  }

 private:
  template <typename Service, typename Method, typename Request, typename Response>
  static Status Wait(Service& service, Method method, const Request& request, Response* response,
                     std::chrono::milliseconds patience) {
    service::Call call{.deadline = std::chrono::steady_clock::now() + patience};
    return service::Wait(call, [&](DoneCallback done) {
      (service.*method)(request, response, call, std::move(done));
    });
  }

  rpc::RpcClient client_;
  const std::shared_ptr<service::MasterService> master_;
  const std::shared_ptr<service::WorkerService> worker_;
};

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_RAW_CLIENT_H_
