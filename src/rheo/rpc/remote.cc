#include "rheo/rpc/remote.h"

#include "rheo/rpc/status_mapping.h"

namespace rheo::rpc {
namespace {

// Where gRPC puts error details; see OkWithPayloadsOf.
constexpr char kDetailsKey[] = "grpc-status-details-bin";

// Whether it is the peer who says so, and not this side of the link.
bool IsPeersWord(const RpcResult& result) {
  return result.context.GetServerTrailingMetadata().count(std::string(kAnsweredTrailer)) > 0;
}

}  // namespace

Status BodyError(Status error, const RpcResult& result) {
  if (error.ok()) return error;
  const auto& metadata = result.context.GetServerTrailingMetadata();
  const auto details = metadata.find(kDetailsKey);
  if (details == metadata.end()) return error;
  return wire::DecodePayloads(std::move(error),
                              std::string_view(details->second.data(), details->second.size()));
}

Status Remote::Explain(std::string_view path, const RpcResult& result) const {
  Status status = FromGrpcStatus(result.status);
  if (status.code() == StatusCode::kUnavailable && !IsPeersWord(result)) {
    status = Prefix(status, fmt::format("{} at {} cannot be reached: ", who_, address()));
    // gRPC names the problem where this side saw it; the other side's is a closed connection.
    const bool is_explained = Message(status).find("certificate") != std::string_view::npos;
    if (channel_->uses_tls() && !is_explained && !channel_->is_connected()) {
      status =
          Append(status,
                 "; the connection uses TLS: a peer that does not, or that does not accept the "
                 "certificate of this side, hangs up without a word");
    }
  }
  if (status.code() == StatusCode::kDeadlineExceeded && !channel_->is_connected()) {
    status = Append(status, fmt::format("; there is no connection to {} at {}", who_, address()));
  }
  return Append(status, WhileCalling(path));
}

Status Remote::NotParsed(std::string_view path, const Status& status) const {
  constexpr std::string_view kIntro = "could not parse rpc response";
  const std::string_view text = Message(status);
  if (text.starts_with(kIntro)) return Internal("{}{}", text, WhileCalling(path));
  return Internal("{}: {}{}", kIntro, text, WhileCalling(path));
}

std::string Remote::WhileCalling(std::string_view path) const {
  return fmt::format("\nWhile calling {} of {} at {}", path, who_, address());
}

}  // namespace rheo::rpc
