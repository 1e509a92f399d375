// TaskWorld: a real task whose services are reached either directly or through gRPC, so that one
// suite holds for both.
#ifndef RHEO_TESTS_CONFORMANCE_TASK_WORLD_H_
#define RHEO_TESTS_CONFORMANCE_TASK_WORLD_H_

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "rheo/graph/graph_def.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/server.h"
#include "rheo/runtime/registries.h"
#include "rheo/runtime/task.h"
#include "rheo/service/call.h"

namespace rheo {

enum class Reach { kDirect, kGrpc };

inline std::string ReachName(const ::testing::TestParamInfo<Reach>& info) {
  return info.param == Reach::kDirect ? "Direct" : "Grpc";
}

inline constexpr char kTask[] = "/job:worker/replica:0/task:0";
inline constexpr char kCpu[] = "/job:worker/replica:0/task:0/device:CPU:0";

// One task alone, /job:worker/replica:0/task:0, with every built-in operation and "Hold", which
// runs until its step is stopped.
class TaskWorld {
 public:
  explicit TaskWorld(Reach reach);
  ~TaskWorld();
  TaskWorld(const TaskWorld&) = delete;
  TaskWorld& operator=(const TaskWorld&) = delete;

  service::MasterService& master() { return *master_; }
  service::WorkerService& worker() { return *worker_; }
  runtime::Task& task() { return *task_; }
  // Returns once a Hold runs.
  void AwaitHold() { hold_entered_->Wait(); }

 private:
  std::shared_ptr<Notification> hold_entered_ = std::make_shared<Notification>();
  runtime::Registries registries_;
  std::unique_ptr<runtime::Task> task_;
  std::unique_ptr<rpc::RpcServer> server_;
  rpc::RpcClient client_;
  std::shared_ptr<service::MasterService> master_;
  std::shared_ptr<service::WorkerService> worker_;
};

// Calls a method and waits for its end.
template <typename Service, typename Request, typename Response>
Status Invoke(Service& service,
              void (Service::*method)(const Request&, Response*, const service::Call&,
                                      DoneCallback),
              const std::type_identity_t<Request>& request, Response* response,
              service::Call call = {}) {
  return service::Wait(call, [&](DoneCallback done) {
    (service.*method)(request, response, call, std::move(done));
  });
}

// A call under way; its destructor waits for the end.
template <typename Service, typename Request, typename Response>
class Pending {
 public:
  Pending(Service& service,
          void (Service::*method)(const Request&, Response*, const service::Call&, DoneCallback),
          Request request)
      : request_(std::move(request)) {
    call_.stop = stop.get_token();
    (service.*method)(request_, &response, call_, [this](Status status) {
      status_ = std::move(status);
      ended_.Notify();
    });
  }
  ~Pending() { ended_.Wait(); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  const Status& Wait() {
    ended_.Wait();
    return status_;
  }

  StopSource stop;
  Response response;

 private:
  const Request request_;
  service::Call call_;
  Status status_;
  Notification ended_;
};

inline graph::GraphDef GraphOf(std::vector<graph::NodeDef> nodes) {
  graph::GraphDef def;
  def.versions.producer = graph::kProducerVersion;
  def.nodes = std::move(nodes);
  return def;
}

}  // namespace rheo

#endif  // RHEO_TESTS_CONFORMANCE_TASK_WORLD_H_
