#include "rheo/rpc/service_methods.h"

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/method_path.h"
#include "rheo/wire/codec.h"

namespace rheo::rpc {
namespace {

// Requests whose sender may want an error in the body of the answer.
template <typename Request>
inline constexpr bool kMayWantBodyErrors = std::is_same_v<Request, service::RunStepRequest> ||
                                           std::is_same_v<Request, service::RunGraphRequest>;

// They copy, check and compile graphs.
constexpr bool kLong = true;

// One call being answered; owned by the callback that the service gets.
template <typename Request, typename Response>
struct Exchange {
  Request request;
  Response response;
  wire::BodyErrors body_errors;
  Respond respond;

  Status Parse(grpc::ByteBuffer bytes, const wire::VariantDecoders* variants) {
    ByteSource source(bytes, variants);
    if constexpr (kMayWantBodyErrors<Request>) {
      return wire::Decode(source.source(), request, body_errors);
    } else {
      return wire::Decode(source.source(), request);
    }
  }

  Answer MakeAnswer(Status status) {
    if constexpr (kMayWantBodyErrors<Request>) {
      if (status.ok() || body_errors.wanted) {
        return {OkStatus(), wire::Encode(response, status), status};
      }
    } else {
      if (status.ok()) return {OkStatus(), wire::Encode(response)};
    }
    return {std::move(status)};
  }
};

template <typename Service, typename Request, typename Response>
using Method = void (Service::*)(const Request&, Response*, const service::Call&, DoneCallback);

template <typename Service, typename Request, typename Response>
Handler Serve(Service& service, Method<Service, Request, Response> method,
              const wire::VariantDecoders* variants) {
  return [&service, method, variants](grpc::ByteBuffer bytes, const service::Call& call,
                                      Respond respond) {
    auto exchange = std::make_unique<Exchange<Request, Response>>();
    Status parsed = exchange->Parse(std::move(bytes), variants);
    if (!parsed.ok()) {
      // Bytes that are no request at all cannot have asked for a body.
      if (parsed.code() == StatusCode::kInternal) exchange->body_errors.wanted = false;
      return respond(exchange->MakeAnswer(std::move(parsed)));
    }
    exchange->respond = std::move(respond);
    auto* open = exchange.get();
    (service.*method)(open->request, &open->response, call,
                      [exchange = std::move(exchange)](Status status) mutable {
                        exchange->respond(exchange->MakeAnswer(std::move(status)));
                      });
  };
}

// Adds the methods of one service under each spelling of its path.
class Adder {
 public:
  Adder(MethodTable& table, std::span<const std::string_view> prefixes)
      : table_(table), prefixes_(prefixes) {}

  void operator()(std::string_view method, const Handler& handler, bool is_long = false) const {
    for (std::string_view prefix : prefixes_) {
      table_.Add(std::string(prefix).append(method), handler, is_long);
    }
  }

 private:
  MethodTable& table_;
  std::span<const std::string_view> prefixes_;
};

}  // namespace

void AddMasterMethods(MethodTable& table, service::MasterService& master,
                      const wire::VariantDecoders* variants) {
  using S = service::MasterService;
  const Adder add(table, kMasterPrefixes);
  add("CreateSession", Serve(master, &S::CreateSession, variants), kLong);
  add("ExtendSession", Serve(master, &S::ExtendSession, variants), kLong);
  add("PartialRunSetup", Serve(master, &S::PartialRunSetup, variants), kLong);
  add("RunStep", Serve(master, &S::RunStep, variants));
  add("CloseSession", Serve(master, &S::CloseSession, variants));
  add("ListDevices", Serve(master, &S::ListDevices, variants));
  add("Reset", Serve(master, &S::Reset, variants));
  add("MakeCallable", Serve(master, &S::MakeCallable, variants), kLong);
  add("RunCallable", Serve(master, &S::RunCallable, variants));
  add("ReleaseCallable", Serve(master, &S::ReleaseCallable, variants));
}

void AddWorkerMethods(MethodTable& table, service::WorkerService& worker,
                      const wire::VariantDecoders* variants) {
  using S = service::WorkerService;
  const Adder add(table, kWorkerPrefixes);
  add("GetStatus", Serve(worker, &S::GetStatus, variants));
  add("CreateWorkerSession", Serve(worker, &S::CreateWorkerSession, variants));
  add("DeleteWorkerSession", Serve(worker, &S::DeleteWorkerSession, variants));
  add("RegisterGraph", Serve(worker, &S::RegisterGraph, variants), kLong);
  add("DeregisterGraph", Serve(worker, &S::DeregisterGraph, variants));
  add("RunGraph", Serve(worker, &S::RunGraph, variants));
  add("CleanupGraph", Serve(worker, &S::CleanupGraph, variants));
  add("CleanupAll", Serve(worker, &S::CleanupAll, variants));
  add("RecvTensor", Serve(worker, &S::RecvTensor, variants));
  add("Logging", Serve(worker, &S::Logging, variants));
  add("MarkRecvFinished", Serve(worker, &S::MarkRecvFinished, variants));
  for (std::string_view name :
       {"Tracing", "RecvBuf", "CompleteGroup", "CompleteInstance", "GetStepSequence"}) {
    add(name, AnswerUnimplemented(std::string(name)));
  }
  table.Add(std::string(kPushTensorsPath), Serve(worker, &S::PushTensors, variants));
}

}  // namespace rheo::rpc
