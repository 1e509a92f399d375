// LiveServer: a server of one task and a client that can send it any bytes.
#ifndef RHEO_TESTS_MALFORMED_LIVE_SERVER_H_
#define RHEO_TESTS_MALFORMED_LIVE_SERVER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rheo/rpc/channel.h"
#include "rheo/rpc/client.h"
#include "rheo/runtime/server.h"
#include "rheo/service/master_service.h"
#include "rheo/service/worker_service.h"

namespace rheo {

inline constexpr char kLiveTask[] = "/job:worker/replica:0/task:0";
inline constexpr char kLiveCpu[] = "/job:worker/replica:0/task:0/device:CPU:0";

// How many calls ended with which code.
using Outcomes = std::map<StatusCode, int>;

class LiveServer {
 public:
  LiveServer();
  ~LiveServer();

  service::MasterService& master() { return *master_; }
  service::WorkerService& worker() { return *worker_; }
  Incarnation incarnation() const { return server_->devices().at(0).incarnation; }

  struct Answer {
    Status status;  // of the call, or of the error in the answer's body
    std::string body;
  };
  // Sends each of `messages` to the method, some at a time, and waits for all answers, each of
  // which comes within a fifth of a second or is given up.
  std::vector<Answer> Send(const std::string& path, const std::vector<std::string>& messages);

  // ---- Sound calls

  StatusOr<SessionHandle> CreateSession(graph::GraphDef graph);
  StatusOr<service::RunStepResponse> Run(const service::RunStepRequest& request);
  // Ends all sessions.
  Status Reset();
  // A new session computes 2 + 2, and a graph that is registered with the worker runs.
  void ExpectServes();

 private:
  std::unique_ptr<runtime::Server> server_;
  rpc::RpcClient client_;
  std::shared_ptr<rpc::Channel> channel_;
  std::shared_ptr<service::MasterService> master_;
  std::shared_ptr<service::WorkerService> worker_;
};

template <typename Service, typename Request, typename Response>
Status Invoke(Service& service,
              void (Service::*method)(const Request&, Response*, const service::Call&,
                                      DoneCallback),
              const std::type_identity_t<Request>& request, Response* response) {
  service::Call call;
  return service::Wait(call, [&](DoneCallback done) {
    (service.*method)(request, response, call, std::move(done));
  });
}

// Nodes x, y = x, z = x + y, all float.
graph::GraphDef SumGraph();
graph::GraphDef GraphOf(std::vector<graph::NodeDef> nodes);

// Bytes of the heap that are in use in this process.
size_t HeapBytes();

}  // namespace rheo

#endif  // RHEO_TESTS_MALFORMED_LIVE_SERVER_H_
