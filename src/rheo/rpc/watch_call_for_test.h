// WatchCall: a client of grpc.health.v1.Health/Watch.
#ifndef RHEO_RPC_WATCH_CALL_FOR_TEST_H_
#define RHEO_RPC_WATCH_CALL_FOR_TEST_H_

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "rheo/rpc/method_path.h"

namespace rheo::rpc {

// One call, read by one thread.
class WatchCall {
 public:
  // Watches the service at "host:port".
  explicit WatchCall(const std::string& address, const std::string& service = "")
      : stub_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {
    stream_ = stub_.PrepareCall(&context_, std::string(kHealthWatchPath), &queue_);
    stream_->StartCall(nullptr);
    Await();
    std::string request;
    if (!service.empty()) {
      request = std::string("\x0a") + static_cast<char>(service.size()) + service;
    }
    const grpc::Slice slice(request);
    stream_->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
    Await();
  }
  ~WatchCall() {
    if (!has_ended_) {
      Cancel();
      End();
    }
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  // The next answer's status (1 SERVING, 2 NOT_SERVING, 3 SERVICE_UNKNOWN); nullopt at the end of
  // the call.
  std::optional<int> Next() {
    grpc::ByteBuffer body;
    stream_->Read(&body, nullptr);
    if (!Await()) return std::nullopt;
    std::vector<grpc::Slice> slices;
    if (!body.Dump(&slices).ok() || slices.empty() || slices[0].size() != 2) return -1;
    return slices[0].begin()[1];
  }
  void Cancel() { context_.TryCancel(); }
  // How the call ended.
  grpc::Status End() {
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    Await();
    has_ended_ = true;
    return status;
  }

 private:
  bool Await() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool has_ended_ = false;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_WATCH_CALL_FOR_TEST_H_
