#include "rheo/rpc/service_methods.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "rheo/rpc/byte_buffer.h"
#include "rheo/rpc/memory_offers.h"
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

// A client repeats a call of the master that ends UNAVAILABLE (wire.md 4.5), and each repetition
// does harm: only a server that does not serve may say it. Errors in bodies are not repeated.
Status ForClient(Status status) {
  if (status.code() != StatusCode::kUnavailable) return status;
  Status aborted(StatusCode::kAborted, std::string(Message(status)));
  status.ForEachPayload(
      [&aborted](auto key, const auto& value) { aborted.SetPayload(key, value); });
  return aborted;
}

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
using ServiceMethod = void (Service::*)(const Request&, Response*, const service::Call&,
                                        DoneCallback);

template <typename Service>
inline constexpr bool kIsMaster = std::is_same_v<Service, service::MasterService>;

// `before`, unless null, sees each request on its way to the service.
template <typename Service, typename Request, typename Response>
Handler Serve(Service& service, ServiceMethod<Service, Request, Response> method,
              const wire::VariantDecoders* variants,
              std::type_identity_t<std::function<void(const Request&)>> before = nullptr) {
  return [&service, method, variants, before](grpc::ByteBuffer bytes, const service::Call& call,
                                              Respond respond) {
    auto exchange = std::make_unique<Exchange<Request, Response>>();
    Status parsed = exchange->Parse(std::move(bytes), variants);
    if (!parsed.ok()) {
      // Bytes that are no request at all cannot have asked for a body.
      if (parsed.code() == StatusCode::kInternal) exchange->body_errors.wanted = false;
      return respond(exchange->MakeAnswer(std::move(parsed)));
    }
    if (before != nullptr) before(exchange->request);
    exchange->respond = std::move(respond);
    auto* open = exchange.get();
    (service.*method)(open->request, &open->response, call,
                      [exchange = std::move(exchange)](Status status) mutable {
                        Answer answer = exchange->MakeAnswer(std::move(status));
                        if constexpr (kIsMaster<Service>) {
                          answer.status = ForClient(std::move(answer.status));
                        }
                        exchange->respond(std::move(answer));
                      });
  };
}

// RecvTensor: a large value is offered to a receiver on this host instead of being sent.
struct RecvExchange {
  service::RecvTensorRequest request;
  service::RecvTensorResponse response;
  wire::MemoryReader reader;
  Respond respond;

  void Finish(Status status, MemoryOffers& offers) {
    if (!status.ok()) return respond({std::move(status)});
    if (const auto offer = offers.Offer(request.request_id, reader, response.item)) {
      return respond({OkStatus(), wire::Encode(*offer)});
    }
    respond({OkStatus(), wire::Encode(response)});
  }
};

Handler ServeRecvTensor(service::WorkerService& worker, MemoryOffers& offers,
                        const wire::VariantDecoders* variants) {
  return [&worker, &offers, variants](grpc::ByteBuffer bytes, const service::Call& call,
                                      Respond respond) {
    auto exchange = std::make_unique<RecvExchange>();
    ByteSource source(bytes, variants);
    Status parsed = wire::Decode(source.source(), exchange->request, exchange->reader);
    if (!parsed.ok()) return respond({std::move(parsed)});
    if (exchange->reader.redeem) {
      const auto item = offers.Withdraw(exchange->request.request_id);
      if (!item) return respond({NotFound("no value is offered to this request any more")});
      exchange->response.item = *item;
      return respond({OkStatus(), wire::Encode(exchange->response)});
    }
    exchange->respond = std::move(respond);
    auto* open = exchange.get();
    worker.RecvTensor(open->request, &open->response, call,
                      [exchange = std::move(exchange), &offers](Status status) {
                        exchange->Finish(std::move(status), offers);
                      });
  };
}

// Adds the methods of one service under each spelling of its path.
class Adder {
 public:
  Adder(MethodTable& table, std::span<const std::string_view> prefixes)
      : table_(table), prefixes_(prefixes) {}

  void Mark(bool Method::*mark, std::initializer_list<std::string_view> methods) const {
    for (std::string_view method : methods) {
      for (std::string_view prefix : prefixes_) {
        table_.Mark(std::string(prefix).append(method), mark);
      }
    }
  }

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
  // Not those that other tasks call: a step that is running may need them to end, and give its room
  // back.
  add.Mark(&Method::waits_for_room, {"CreateSession", "ExtendSession", "PartialRunSetup", "RunStep",
                                     "MakeCallable", "RunCallable"});
  add.Mark(&Method::is_repeated, {"RunStep", "RunCallable"});
  add.Mark(&Method::is_for_stopping, {"CloseSession", "ReleaseCallable"});
}

void AddWorkerMethods(MethodTable& table, service::WorkerService& worker, MemoryOffers& offers,
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
  add("RecvTensor", ServeRecvTensor(worker, offers, variants));
  add("Logging", Serve(worker, &S::Logging, variants));
  add("MarkRecvFinished", Serve(worker, &S::MarkRecvFinished, variants,
                                [&offers](const service::MarkRecvFinishedRequest& request) {
                                  offers.Withdraw(request.request_id);  // the receiver has it
                                }));
  add("RecvBuf", Serve(worker, &S::RecvBuf, variants));
  add("CompleteGroup", Serve(worker, &S::CompleteGroup, variants));
  add("CompleteInstance", Serve(worker, &S::CompleteInstance, variants));
  add("GetStepSequence", Serve(worker, &S::GetStepSequence, variants));
  add("Tracing", AnswerUnimplemented("Tracing"));
  table.Add(std::string(kPushTensorsPath), Serve(worker, &S::PushTensors, variants));
  table.Mark(kPushTensorsPath, &Method::is_for_stopping);
  add.Mark(&Method::is_for_stopping, {"RecvTensor", "RecvBuf", "MarkRecvFinished", "CleanupGraph",
                                      "DeregisterGraph", "DeleteWorkerSession", "Logging"});
}

}  // namespace rheo::rpc
