#include "wire_call.h"

#include <utility>
#include <vector>

#include "rheo/rpc/channel.h"

namespace rheo::cluster_test {

StatusOr<std::string> CallPath(rpc::RpcClient& client, const std::string& address,
                               const std::string& path, wire::Message request) {
  StatusOr<std::string> answer = Internal("no answer");
  const service::Call call{.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10),
                           .caller_waits = true};
  client.Connect(address)->Start(path, std::move(request), call, [&](rpc::RpcResult& result) {
    if (!result.status.ok()) {
      answer = Status(static_cast<StatusCode>(result.status.error_code()),
                      result.status.error_message());
      return;
    }
    answer = std::string();
    std::vector<grpc::Slice> slices;
    if (!result.body.Dump(&slices).ok()) return;
    for (const grpc::Slice& s : slices) {
      answer->append(reinterpret_cast<const char*>(s.begin()), s.size());
    }
  });
  return answer;
}

}  // namespace rheo::cluster_test
