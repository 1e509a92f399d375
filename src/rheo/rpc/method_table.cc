#include "rheo/rpc/method_table.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>

#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/method_path.h"

namespace rheo::rpc {
namespace {

constexpr std::array<std::string_view, 7> kServiceNames = {"",
                                                           "tensorflow.MasterService",
                                                           "tensorflow.grpc.MasterService",
                                                           "tensorflow.WorkerService",
                                                           "tensorflow.grpc.WorkerService",
                                                           "rheo.WorkerService",
                                                           "grpc.health.v1.Health"};

// HealthCheckRequest { string service = 1; }, with no other field expected.
bool ParseHealthRequest(grpc::ByteBuffer& bytes, std::string& service) {
  ByteSource source(bytes);
  google::protobuf::io::CodedInputStream in(source.source().stream());
  constexpr uint32_t kServiceTag = (1 << 3) | 2;
  while (const uint32_t tag = in.ReadTag()) {
    uint32_t size = 0;
    if (tag != kServiceTag || !in.ReadVarint32(&size) || size > bytes.Length()) return false;
    if (!in.ReadString(&service, static_cast<int>(size))) return false;
  }
  return true;
}

// HealthCheckResponse { ServingStatus status = 1; } with SERVING = 1, NOT_SERVING = 2.
wire::Message HealthAnswer(bool is_serving) {
  wire::Message message;
  message.slices.emplace_back(std::string(is_serving ? "\x08\x01" : "\x08\x02", 2));
  return message;
}

void AnswerHealthCheck(grpc::ByteBuffer request, bool is_serving, Respond respond) {
  std::string service;
  if (!ParseHealthRequest(request, service)) {
    return respond({Internal("Unable to parse request")});
  }
  for (std::string_view name : kServiceNames) {
    if (service == name) return respond({OkStatus(), HealthAnswer(is_serving)});
  }
  respond({NotFound("no service '{}' here", service)});
}

}  // namespace

Handler AnswerUnimplemented(std::string text) {
  return [text = std::move(text)](grpc::ByteBuffer, const service::Call&, Respond respond) {
    respond({Unimplemented("{}", text)});
  };
}

void AddHealthMethod(MethodTable& table, std::function<bool()> is_serving) {
  table.Add(std::string(kHealthCheckPath),
            [is_serving = std::move(is_serving)](grpc::ByteBuffer request, const service::Call&,
                                                 Respond respond) {
              AnswerHealthCheck(std::move(request), is_serving(), std::move(respond));
            });
  table.AnswerWhileStopping(kHealthCheckPath);
}

}  // namespace rheo::rpc
