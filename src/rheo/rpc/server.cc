#include "rheo/rpc/server.h"

#include <grpcpp/grpcpp.h>
#include <limits.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "rheo/async/thread_pool.h"
#include "rheo/base/log.h"
#include "rheo/base/mutex.h"
#include "rheo/rpc/doorkeeper.h"
#include "rheo/rpc/health.h"
#include "rheo/rpc/link_limits.h"
#include "rheo/rpc/listener.h"
#include "rheo/rpc/memory_offers.h"
#include "rheo/rpc/message_room.h"
#include "rheo/rpc/polled_queue.h"
#include "rheo/rpc/server_call.h"
#include "rheo/rpc/service_methods.h"
#include "rheo/rpc/status_page.h"

namespace rheo::rpc {
namespace {

// A call that goes on this long after it was told to stop is a bug worth a line in the log.
constexpr auto kStopPatience = std::chrono::seconds(5);
// Their buffers are some megabytes: a tenth of what an idle server has.
constexpr int kManyCalls = 100;

int DefaultPollers() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 4, 1, 8);
}

void Configure(grpc::ServerBuilder& builder, std::chrono::milliseconds ping_interval) {
  builder.SetMaxReceiveMessageSize(INT_MAX);
  builder.SetMaxSendMessageSize(INT_MAX);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  // Every feature of gRPC's stack costs each call; these are the ones in use. A TensorFlow client
  // may be told to compress.
  builder.AddChannelArgument(GRPC_ARG_MINIMAL_STACK, 1);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_DEADLINE_CHECKS, 1);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 1);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_CHANNELZ, 0);
  // Rheo's clients may watch the connection by pings.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  // A caller that vanished without a word is noticed within 25 s, and its calls end.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(ping_interval.count()));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A call that is not read yet holds 64 KiB at most. For one that is being read gRPC opens the
  // window by what is missing.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
}

// Client certificates are checked where they are shown; that one must be shown is the doorkeeper's
// to say, because its answer reaches the client, and that of a broken handshake does not always.
std::shared_ptr<grpc::ServerCredentials> TlsCredentials(const Secrets& secrets) {
  grpc::SslServerCredentialsOptions options(secrets.wants_client_certificate()
                                                ? GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY
                                                : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  options.pem_root_certs = secrets.ca;
  options.pem_key_cert_pairs.push_back({secrets.key, secrets.cert});
  return grpc::SslServerCredentials(options);
}

using grpc::experimental::ExternalConnectionAcceptor;

std::unique_ptr<ExternalConnectionAcceptor> MakeAcceptor(
    grpc::ServerBuilder& builder, std::shared_ptr<grpc::ServerCredentials> credentials) {
  return builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      std::move(credentials));
}

// gRPC owns the socket from here on.
void HandOver(ExternalConnectionAcceptor& acceptor, Connection& connection) {
  ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = connection.listener_fd;
  parameters.fd = connection.socket.Release();
  acceptor.HandleNewConnection(&parameters);
}

}  // namespace

class RpcServer::Impl final : public CallAcceptor {
 public:
  explicit Impl(const RpcServerOptions& options)
      : num_accepts_(std::max(1, options.num_posted_accepts)),
        ping_interval_(options.ping_interval),
        num_pollers_(options.num_pollers > 0 ? options.num_pollers : DefaultPollers()),
        handlers_({.name = "rpc-handler", .num_threads = std::max(1, options.num_handlers)}),
        faults_(options.faults),
        variants_(options.variants),
        max_message_bytes_(options.max_message_bytes),
        room_(options.max_bytes_in_flight > 0
                  ? std::make_unique<MessageRoom>(options.max_bytes_in_flight)
                  : nullptr),
        traffic_(options.traffic == nullptr ? own_traffic_ : *options.traffic),
        secrets_(options.secrets),
        door_({options.secrets, options.plain, options.cluster_hosts}) {}

  Status Bind(const std::string& address) {
    const bool uses_tls = secrets_ != nullptr && secrets_->server_uses_tls();
    StatusOr<std::unique_ptr<Listener>> listener =
        Listener::Bind({.address = address, .look_for_tls = uses_tls});
    if (!listener.ok()) {
      return Status(StatusCode::kUnknown,
                    fmt::format("Could not start gRPC server: cannot listen on {}: {}", address,
                                Message(listener.status())));
    }
    listener_ = *std::move(listener);
    grpc::ServerBuilder builder;
    Configure(builder, ping_interval_);
    plain_ = MakeAcceptor(builder, grpc::InsecureServerCredentials());
    if (uses_tls) tls_ = MakeAcceptor(builder, TlsCredentials(*secrets_));
    builder.RegisterAsyncGenericService(&generic_);
    auto queue = builder.AddCompletionQueue();
    accept_queue_ = queue.get();
    queue_ = std::make_shared<PolledQueue>(std::move(queue), "rpc-poller", num_pollers_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) return Internal("Could not start gRPC server: gRPC refused");
    listener_->Start([this](Connection connection) { Take(std::move(connection)); });
    return OkStatus();
  }

  int port() const { return listener_->port(); }
  const std::vector<std::string>& bound() const { return listener_->bound(); }
  const std::shared_ptr<PolledQueue>& queue() const { return queue_; }
  const wire::VariantDecoders* variants() const { return variants_; }
  MemoryOffers& offers() { return offers_; }

  void Start(MethodTable methods) {
    methods_ = std::move(methods);
    for (int i = 0; i < num_accepts_; ++i) PostAccept();
    queue_->Start();
  }

  void Shutdown(std::chrono::milliseconds grace) {
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
    }
    if (server_ == nullptr) return;  // it never listened, and its queue was never used
    listener_->Close();
    door_.Stop();
    queue_->Start();
    health_.Shutdown();
    server_->Shutdown(std::chrono::system_clock::now() + grace);
    AwaitCalls();
  }

  const MethodTable& methods() const override { return methods_; }

  Status CheckCaller(const grpc::ServerContext& call) override { return door_.Admit(call); }
  std::string DescribeDoor() const { return door_.Describe(); }

  void PostAccept() override {
    MutexLock lock(mutex_);
    if (stopping_) return;
    ++num_calls_;
    // Under the lock, so that no call is posted to a queue that Shutdown has closed meanwhile.
    ServerCall::Post(*this, generic_, *accept_queue_);
  }

  int64_t max_message_bytes() const override { return max_message_bytes_; }
  MessageRoom* room() override { return room_.get(); }
  TrafficCounters& traffic() override { return traffic_; }
  FaultPoints* faults() override { return faults_; }

  void RunElsewhere(absl::AnyInvocable<void()> work) override {
    handlers_.Schedule(std::move(work));
  }

  void ExpectRequest() override { queue_->Expect(PolledQueue::Expected::kRequest); }

  void CallGone(bool was_admitted) override {
    MutexLock lock(mutex_);
    if (was_admitted && num_open_.fetch_sub(1, std::memory_order_relaxed) == 1) idle_.NotifyAll();
    if (--num_calls_ == 0) calls_gone_.NotifyAll();
  }

  Status AdmitTo(const Method& method) override {
    if (is_draining_.load(std::memory_order_acquire) && !method.is_for_stopping) {
      return drain_reason_;
    }
    if (method.stream_handler != nullptr) return OkStatus();
    if (num_open_.fetch_add(1, std::memory_order_relaxed) == kManyCalls) {
      burst_.store(Burst::kOn, std::memory_order_relaxed);
    }
    return OkStatus();
  }

  void Drain(Status reason) {
    drain_reason_ = std::move(reason);
    is_draining_.store(true, std::memory_order_release);
    health_.StopServing();
  }

  InFlight in_flight() const {
    if (room_ == nullptr) return {};
    const MessageRoom::Use use = room_->use();
    return {use.bytes, use.num_waiting};
  }
  HealthService& health() { return health_; }
  int num_open_calls() const { return num_open_.load(std::memory_order_relaxed); }

  bool TakeBurst() {
    if (num_open_calls() >= kManyCalls) return false;
    Burst ended = Burst::kEnded;
    if (burst_.compare_exchange_strong(ended, Burst::kNone, std::memory_order_relaxed)) return true;
    Burst on = Burst::kOn;
    burst_.compare_exchange_strong(on, Burst::kEnded, std::memory_order_relaxed);
    return false;
  }

  bool AwaitIdle(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mutex_);
    return idle_.WaitUntil(mutex_, deadline, [this] { return num_open_calls() == 0; });
  }

 private:
  void Take(Connection connection) {
    if (connection.is_tls) return HandOver(*tls_, connection);
    // The callback is copyable, a connection is not.
    auto plain = std::make_shared<Connection>(std::move(connection));
    door_.OnPlainConnection(plain->peer, [this, plain] { HandOver(*plain_, *plain); });
  }

  // Posted calls count, so that none is left in the queue when this returns.
  void AwaitCalls() {
    MutexLock lock(mutex_);
    while (!calls_gone_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kStopPatience,
                                  [this]()
                                      RHEO_NO_THREAD_SAFETY_ANALYSIS { return num_calls_ == 0; })) {
      RHEO_LOG(Warning, "port {}: {} calls have not ended though they were stopped", port(),
               num_calls_);
    }
  }

  const int num_accepts_;
  const std::chrono::milliseconds ping_interval_;
  const int num_pollers_;
  ThreadPool handlers_;
  FaultPoints* const faults_;
  const wire::VariantDecoders* const variants_;
  MemoryOffers offers_;
  const int64_t max_message_bytes_;
  const std::unique_ptr<MessageRoom> room_;  // null: no limit
  HealthService health_;
  TrafficCounters own_traffic_;
  TrafficCounters& traffic_;
  const std::shared_ptr<const Secrets> secrets_;
  std::unique_ptr<ExternalConnectionAcceptor> plain_;
  std::unique_ptr<ExternalConnectionAcceptor> tls_;  // null without TLS
  Doorkeeper door_;                                  // uses the acceptors
  std::unique_ptr<Listener> listener_;
  grpc::AsyncGenericService generic_;
  grpc::ServerCompletionQueue* accept_queue_ = nullptr;  // in queue_
  std::shared_ptr<PolledQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  MethodTable methods_;  // const once pollers run

  // Calls that a handler has got and that are not over; a count, hence relaxed. Goes down under
  // mutex_ only.
  std::atomic<int> num_open_{0};
  // Many calls at once: none since TakeBurst told of the last, some since it looked, or some before
  // that. A hint, hence relaxed.
  enum class Burst { kNone, kOn, kEnded };
  std::atomic<Burst> burst_{Burst::kNone};
  Status drain_reason_;  // written before is_draining_ is set, then only read
  std::atomic<bool> is_draining_{false};

  Mutex mutex_;
  CondVar calls_gone_;
  CondVar idle_;  // num_open_ is 0
  bool stopping_ RHEO_GUARDED_BY(mutex_) = false;
  int num_calls_ RHEO_GUARDED_BY(mutex_) = 0;
};

RpcServer::RpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RpcServer::~RpcServer() { Shutdown(std::chrono::milliseconds(0)); }

StatusOr<std::unique_ptr<RpcServer>> RpcServer::Bind(RpcServerOptions options) {
  PrepareGrpc();
  auto impl = std::make_unique<Impl>(options);
  std::unique_ptr<RpcServer> server(new RpcServer(std::move(impl)));
  RHEO_RETURN_IF_ERROR(server->impl_->Bind(options.address));
  return server;
}

int RpcServer::port() const { return impl_->port(); }
std::shared_ptr<PolledQueue> RpcServer::queue() const { return impl_->queue(); }

std::string RpcServer::DescribeDoor() const { return impl_->DescribeDoor(); }

const std::vector<std::string>& RpcServer::bound() const { return impl_->bound(); }

void RpcServer::Start(service::MasterService* master, service::WorkerService* worker) {
  Start(RpcServices{.master = master, .worker = worker});
}

void RpcServer::Start(RpcServices services) {
  MethodTable methods;
  if (services.master != nullptr) AddMasterMethods(methods, *services.master, impl_->variants());
  if (services.worker != nullptr) {
    AddWorkerMethods(methods, *services.worker, impl_->offers(), impl_->variants());
  }
  if (services.status_page != nullptr) AddStatusPage(methods, std::move(services.status_page));
  impl_->health().AddTo(methods);
  Start(std::move(methods));
}

void RpcServer::Start(MethodTable methods) { impl_->Start(std::move(methods)); }

void RpcServer::Drain(Status reason) { impl_->Drain(std::move(reason)); }

bool RpcServer::AwaitIdle(std::chrono::steady_clock::time_point deadline) const {
  return impl_->AwaitIdle(deadline);
}

RpcServer::InFlight RpcServer::in_flight() const { return impl_->in_flight(); }
bool RpcServer::TakeBurst() { return impl_->TakeBurst(); }

int RpcServer::num_open_calls() const { return impl_->num_open_calls(); }

void RpcServer::Shutdown(std::chrono::milliseconds grace) { impl_->Shutdown(grace); }

}  // namespace rheo::rpc
