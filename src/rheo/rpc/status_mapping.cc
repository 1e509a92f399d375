#include "rheo/rpc/status_mapping.h"

#include <string>

#include "rheo/wire/codec.h"

namespace rheo::rpc {
namespace {

std::string CutText(std::string_view text) {
  if (text.size() <= kMaxStatusTextBytes) return std::string(text);
  return std::string(text.substr(0, kMaxStatusTextBytes)).append(" ... [truncated]");
}

}  // namespace

grpc::Status ToGrpcStatus(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), CutText(Message(status)),
                      wire::EncodePayloads(status));
}

grpc::Status OkWithPayloadsOf(const Status& body_error) {
  return grpc::Status(grpc::StatusCode::OK, "", wire::EncodePayloads(body_error));
}

Status FromGrpcStatus(const grpc::Status& status) {
  if (status.ok()) return OkStatus();
  Status result(static_cast<StatusCode>(status.error_code()), status.error_message());
  if (status.error_details().empty()) return result;
  return wire::DecodePayloads(std::move(result), status.error_details());
}

}  // namespace rheo::rpc
