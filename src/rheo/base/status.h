// Status helpers: constructors with formatted text, the two propagation macros, and the mark of
// *derived* errors.
//
// An error is derived when it is only a consequence of another one (a step that was stopped because
// a different node failed). The mark is a payload set at birth, so that whoever aggregates errors
// can put the root cause in front without guessing from texts or codes.
#ifndef RHEO_BASE_STATUS_H_
#define RHEO_BASE_STATUS_H_

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rheo {

using absl::OkStatus;
using absl::Status;
using absl::StatusCode;
using absl::StatusOr;

// Payload keys as they travel between tasks (TensorFlow's type URLs); their values are empty.
inline constexpr std::string_view kDerivedPayload = "type.googleapis.com/tensorflow.DerivedStatus";
inline constexpr std::string_view kWorkerRestartedPayload =
    "type.googleapis.com/tensorflow.distributed_runtime.WorkerPossiblyRestarted";
inline constexpr std::string_view kPayloadsLostPayload =
    "type.googleapis.com/tensorflow.distributed_runtime.GrpcPayloadsLost";

// A status of `code` with the formatted text. Prefer the named forms below.
Status MakeStatus(StatusCode code, fmt::string_view format, fmt::format_args args);

#define RHEO_STATUS_FORM(Name, kCode)                                             \
  template <typename... Args>                                                     \
  [[nodiscard]] Status Name(fmt::format_string<Args...> format, Args&&... args) { \
    return MakeStatus(StatusCode::kCode, format, fmt::make_format_args(args...)); \
  }
RHEO_STATUS_FORM(Cancelled, kCancelled)
RHEO_STATUS_FORM(InvalidArgument, kInvalidArgument)
RHEO_STATUS_FORM(DeadlineExceeded, kDeadlineExceeded)
RHEO_STATUS_FORM(NotFound, kNotFound)
RHEO_STATUS_FORM(AlreadyExists, kAlreadyExists)
RHEO_STATUS_FORM(PermissionDenied, kPermissionDenied)
RHEO_STATUS_FORM(ResourceExhausted, kResourceExhausted)
RHEO_STATUS_FORM(FailedPrecondition, kFailedPrecondition)
RHEO_STATUS_FORM(Aborted, kAborted)
RHEO_STATUS_FORM(OutOfRange, kOutOfRange)
RHEO_STATUS_FORM(Unimplemented, kUnimplemented)
RHEO_STATUS_FORM(Internal, kInternal)
RHEO_STATUS_FORM(Unavailable, kUnavailable)
RHEO_STATUS_FORM(DataLoss, kDataLoss)
#undef RHEO_STATUS_FORM

// The text of a status as std::string_view; valid as long as `status` lives unchanged.
std::string_view Message(const Status& status);

// `status` with `prefix` before its text; code and payloads stay. OK stays OK.
Status Prefix(const Status& status, std::string_view prefix);

// `status` with `suffix` after its text; code and payloads stay. OK stays OK.
Status Append(const Status& status, std::string_view suffix);

// Marks a non-OK status as derived; IsDerived tells. OK is never derived.
Status AsDerived(Status status);
bool IsDerived(const Status& status);

// `status` with an empty payload under `key`.
Status WithPayload(Status status, std::string_view key);

// TensorFlow's spelling of a code, e.g. "INVALID_ARGUMENT".
std::string_view CodeName(StatusCode code);

}  // namespace rheo

#define RHEO_CONCAT_INNER_(a, b) a##b
#define RHEO_CONCAT_(a, b) RHEO_CONCAT_INNER_(a, b)

// Returns from the enclosing function when `expr` is not OK.
#define RHEO_RETURN_IF_ERROR(expr)                                                     \
  do {                                                                                 \
    if (::rheo::Status rheo_status_ = (expr); !rheo_status_.ok()) return rheo_status_; \
  } while (false)

// `lhs = value of expr`, or returns expr's status from the enclosing function.
#define RHEO_ASSIGN_OR_RETURN(lhs, expr) \
  RHEO_ASSIGN_OR_RETURN_(RHEO_CONCAT_(rheo_or_, __LINE__), lhs, expr)
#define RHEO_ASSIGN_OR_RETURN_(tmp, lhs, expr)   \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return std::move(tmp).status(); \
  lhs = std::move(tmp).value()

#endif  // RHEO_BASE_STATUS_H_
