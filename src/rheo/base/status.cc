#include "rheo/base/status.h"

#include <fmt/format.h>

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace rheo {
namespace {

absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

Status WithText(const Status& status, std::string text) {
  Status result(status.code(), text);
  status.ForEachPayload(
      [&](absl::string_view key, const absl::Cord& value) { result.SetPayload(key, value); });
  return result;
}

}  // namespace

Status MakeStatus(StatusCode code, fmt::string_view format, fmt::format_args args) {
  return Status(code, fmt::vformat(format, args));
}

std::string_view Message(const Status& status) {
  return {status.message().data(), status.message().size()};
}

Status Prefix(const Status& status, std::string_view prefix) {
  if (status.ok()) return status;
  return WithText(status, std::string(prefix).append(Message(status)));
}

Status Append(const Status& status, std::string_view suffix) {
  if (status.ok()) return status;
  return WithText(status, std::string(Message(status)).append(suffix));
}

Status AsDerived(Status status) { return WithPayload(std::move(status), kDerivedPayload); }

bool IsDerived(const Status& status) {
  return !status.ok() && status.GetPayload(AbslView(kDerivedPayload)).has_value();
}

Status WithPayload(Status status, std::string_view key) {
  if (!status.ok()) status.SetPayload(AbslView(key), absl::Cord());
  return status;
}

std::string_view CodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
    case StatusCode::kCancelled:
      return "CANCELLED";
    case StatusCode::kUnknown:
      return "UNKNOWN";
    case StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case StatusCode::kNotFound:
      return "NOT_FOUND";
    case StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case StatusCode::kAborted:
      return "ABORTED";
    case StatusCode::kOutOfRange:
      return "OUT_OF_RANGE";
    case StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    case StatusCode::kInternal:
      return "INTERNAL";
    case StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case StatusCode::kDataLoss:
      return "DATA_LOSS";
    case StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
    default:
      return "UNKNOWN";
  }
}

}  // namespace rheo
