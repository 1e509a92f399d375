// TestServer: a server on loopback over fake services, with a client, for the tests of this folder.
#ifndef RHEO_RPC_TEST_SERVER_H_
#define RHEO_RPC_TEST_SERVER_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/rpc/channel.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/fake_services.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/remote_master.h"
#include "rheo/rpc/remote_worker.h"
#include "rheo/rpc/server.h"
#include "rheo/wire/codec.h"

namespace rheo::rpc {

inline constexpr char kTestTask[] = "/job:ps/replica:0/task:0";
inline constexpr char kTestDevice[] = "/job:ps/replica:0/task:0/device:CPU:0";

inline constexpr std::string_view kMasterMethods[] = {
    "CreateSession", "ExtendSession", "PartialRunSetup", "RunStep",     "CloseSession",
    "ListDevices",   "Reset",         "MakeCallable",    "RunCallable", "ReleaseCallable"};
inline constexpr std::string_view kWorkerMethods[] = {"GetStatus",
                                                      "CreateWorkerSession",
                                                      "DeleteWorkerSession",
                                                      "RegisterGraph",
                                                      "RunGraph",
                                                      "DeregisterGraph",
                                                      "CleanupGraph",
                                                      "CleanupAll",
                                                      "RecvTensor",
                                                      "MarkRecvFinished",
                                                      "Logging"};

// Every path that a server answers to.
inline std::vector<std::string> AllTestPaths() {
  std::vector<std::string> paths = {std::string(kPushTensorsPath), std::string(kHealthCheckPath)};
  for (std::string_view prefix : kMasterPrefixes) {
    for (std::string_view method : kMasterMethods) {
      paths.push_back(std::string(prefix).append(method));
    }
  }
  for (std::string_view prefix : kWorkerPrefixes) {
    for (std::string_view method : kWorkerMethods) {
      paths.push_back(std::string(prefix).append(method));
    }
  }
  return paths;
}

// Calls a method and waits: CallAndWait(*stub, &WorkerService::GetStatus, request, &response).
template <typename Service, typename Request, typename Response>
Status CallAndWait(Service& service,
                   void (Service::*method)(const Request&, Response*, const service::Call&,
                                           DoneCallback),
                   const Request& request, Response* response, service::Call call = {}) {
  return service::Wait(call, [&](DoneCallback done) {
    (service.*method)(request, response, call, std::move(done));
  });
}

inline rendezvous::RendezvousKey TestKey(const std::string& edge) {
  return rendezvous::RendezvousKey({.src_device = kTestDevice,
                                    .src_incarnation = Incarnation(7),
                                    .dst_device = "/job:worker/replica:0/task:0/device:CPU:0",
                                    .edge = edge});
}

class TestServer {
 public:
  explicit TestServer(std::string bind_address = "127.0.0.1:0")
      : TestServer(RpcServerOptions{.address = std::move(bind_address)}) {}
  explicit TestServer(RpcServerOptions options) {
    auto bound = RpcServer::Bind(std::move(options));
    EXPECT_TRUE(bound.ok()) << bound.status();
    if (!bound.ok()) return;
    server = *std::move(bound);
    server->Start(&master, &worker);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(server->port()); }
  std::shared_ptr<service::MasterService> MasterStub() { return ConnectMaster(client, address()); }
  std::shared_ptr<service::WorkerService> WorkerStub() {
    return ConnectWorker(client, kTestTask, address());
  }

  // Calls any path with any bytes; the answer's bytes go to `body` unless null.
  grpc::Status RawCall(const std::string& path, const std::string& bytes,
                       std::string* body = nullptr) {
    return RawCallBy(client, path, bytes, body);
  }
  // As above by another client.
  grpc::Status RawCallBy(RpcClient& by, const std::string& path, const std::string& bytes,
                         std::string* body = nullptr) {
    wire::Message request;
    request.slices.emplace_back(bytes);
    grpc::Status status;
    service::Call call;
    call.caller_waits = true;
    by.Connect(address())->Start(path, std::move(request), call, [&](RpcResult& result) {
      status = result.status;
      grpc::Slice slice;
      if (body != nullptr && result.body.DumpToSingleSlice(&slice).ok()) {
        body->assign(reinterpret_cast<const char*>(slice.begin()), slice.size());
      }
    });
    return status;
  }

  FakeMaster master;
  FakeWorker worker;
  RpcClient client;
  std::unique_ptr<RpcServer> server;  // goes first: its calls use the fakes
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_TEST_SERVER_H_
