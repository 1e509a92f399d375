#include "rheo/wire/status_codec.h"

#include <map>

#include "absl/strings/cord.h"
#include "rheo/wire/codec.h"
#include "rheo/wire/proto/payloads.pb.h"

namespace rheo::wire {
namespace {

using tensorflow::distributed_runtime::GrpcPayloadContainer;

// Bytes of the valid UTF-8 sequence at the start of `text`; 0 when there is none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // No overlong forms, surrogates or code points beyond the last.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

}  // namespace

std::string ToUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t n = SequenceLength(text);
    valid += n == 0 ? std::string_view("?") : text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return valid;
}

Status StatusFromBody(int64_t code, std::string_view text) {
  if (code == 0) return OkStatus();
  const bool known = code > 0 && code <= static_cast<int>(StatusCode::kUnauthenticated);
  return Status(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                {text.data(), text.size()});
}

std::string EncodePayloads(const Status& status) {
  // In order of the keys, so that equal statuses have equal bytes.
  std::map<std::string, std::string> payloads;
  status.ForEachPayload([&](const auto key, const absl::Cord& value) {
    payloads.emplace(std::string(key.data(), key.size()), std::string(value));
  });
  std::string bytes;
  for (const auto& [key, value] : payloads) {
    GrpcPayloadContainer one;
    (*one.mutable_payloads())[key] = value;
    one.AppendToString(&bytes);
  }
  return bytes;
}

Status DecodePayloads(Status status, std::string_view bytes) {
  if (status.ok()) return status;
  GrpcPayloadContainer container;
  if (!container.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return WithPayload(std::move(status), kPayloadsLostPayload);
  }
  for (const auto& [key, value] : container.payloads()) {
    status.SetPayload(key, absl::Cord(value));
  }
  return status;
}

}  // namespace rheo::wire
