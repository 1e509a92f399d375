#include "rheo/rpc/status_page.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "rheo/rpc/channel.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/method_table.h"
#include "rheo/rpc/status_mapping.h"

namespace rheo::rpc {
namespace {

std::string TextOf(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!bytes.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

}  // namespace

void AddStatusPage(MethodTable& table, std::function<std::string()> page) {
  table.Add(std::string(kStatusPagePath),
            [page = std::move(page)](grpc::ByteBuffer, const service::Call&, Respond respond) {
              wire::Message text;
              text.slices.emplace_back(page());
              respond({OkStatus(), std::move(text)});
            });
  table.Mark(kStatusPagePath, &Method::is_for_stopping);
}

StatusOr<std::string> FetchStatusPage(RpcClient& client, std::string_view address,
                                      std::chrono::milliseconds timeout) {
  const std::shared_ptr<Channel> channel = client.Connect(address);
  const service::Call call{.deadline = std::chrono::steady_clock::now() + timeout,
                           .caller_waits = true};
  StatusOr<std::string> page{std::string()};
  channel->Start(std::string(kStatusPagePath), {}, call, [&](RpcResult& result) {
    if (result.status.ok()) {
      page = TextOf(result.body);
    } else {
      page = Prefix(FromGrpcStatus(result.status), fmt::format("asking {}: ", address));
    }
  });
  return page;
}

}  // namespace rheo::rpc
