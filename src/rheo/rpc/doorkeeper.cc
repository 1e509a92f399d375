#include "rheo/rpc/doorkeeper.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "rheo/base/log.h"

namespace rheo::rpc {
namespace {

// So many refused addresses get a line in the log.
constexpr size_t kMaxLogged = 100;
// A stranger makes the names of the cluster be resolved again at most this often.
constexpr auto kNamesLast = std::chrono::seconds(2);

Status Refuse(const std::string& text) { return Status(StatusCode::kUnauthenticated, text); }

bool UsesTls(const grpc::AuthContext& context) {
  const auto types = context.FindPropertyValues(GRPC_TRANSPORT_SECURITY_TYPE_PROPERTY_NAME);
  return std::any_of(types.begin(), types.end(), [](grpc::string_ref type) {
    return type == GRPC_SSL_TRANSPORT_SECURITY_TYPE;
  });
}

bool ShowsCertificate(const grpc::AuthContext& context) {
  return !context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME).empty();
}

// The addresses of a host; none when the name is not known (now).
std::vector<PeerAddress> AddressesOf(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<PeerAddress> addresses;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return addresses;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    if (const auto address = PeerAddress::FromSocket(*a->ai_addr)) addresses.push_back(*address);
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace

Doorkeeper::Doorkeeper(DoorkeeperOptions options) : options_(std::move(options)) {
  MutexLock lock(mutex_);
  for (const std::string& host : options_.cluster_hosts) {
    if (const auto address = PeerAddress::Parse(host)) {
      cluster_.insert(*address);
    } else if (std::find(cluster_names_.begin(), cluster_names_.end(), host) ==
               cluster_names_.end()) {
      cluster_names_.push_back(host);
    }
  }
}

Doorkeeper::~Doorkeeper() { Stop(); }

void Doorkeeper::Stop() {
  stopping_ = true;
  std::unique_ptr<ThreadPool> resolver;
  {
    MutexLock lock(mutex_);
    resolver = std::move(resolver_);
  }
}

Doorkeeper::Verdict Doorkeeper::Judge(const PeerAddress& peer) const {
  const PlainPolicy& plain = options_.plain;
  if (plain.any || (plain.loopback && peer.is_loopback())) return Verdict::kIn;
  for (const AddressRange& range : plain.ranges) {
    if (range.Contains(peer)) return Verdict::kIn;
  }
  if (!plain.cluster) return Verdict::kOut;
  MutexLock lock(mutex_);
  if (cluster_.contains(peer)) return Verdict::kIn;
  const bool is_known = std::chrono::steady_clock::now() < names_known_until_;
  return cluster_names_.empty() || is_known ? Verdict::kOut : Verdict::kAskNames;
}

void Doorkeeper::NoteRefused(const PeerAddress& peer) {
  refuses_some_.store(true, std::memory_order_release);
  {
    MutexLock lock(mutex_);
    if (logged_.size() >= kMaxLogged || !logged_.insert(peer).second) return;
  }
  RHEO_LOG(Warning, "plain calls from {} are refused; they are taken from {}", peer.ToString(),
           options_.plain.Describe());
}

void Doorkeeper::ResolveNames() {
  for (const std::string& name : cluster_names_) {
    if (stopping_) return;
    const std::vector<PeerAddress> addresses = AddressesOf(name);
    MutexLock lock(mutex_);
    cluster_.insert(addresses.begin(), addresses.end());
  }
  MutexLock lock(mutex_);
  names_known_until_ = std::chrono::steady_clock::now() + kNamesLast;
}

void Doorkeeper::OnPlainConnection(const PeerAddress& peer, std::function<void()> then) {
  const Verdict verdict = Judge(peer);
  if (verdict == Verdict::kOut) NoteRefused(peer);
  if (verdict != Verdict::kAskNames) return then();
  MutexLock lock(mutex_);
  if (resolver_ == nullptr) {
    resolver_ =
        std::make_unique<ThreadPool>(ThreadPoolOptions{.name = "rpc-names", .num_threads = 1});
  }
  resolver_->Schedule([this, peer, then = std::move(then)] {
    // Another connection may have had the names resolved meanwhile.
    if (Judge(peer) == Verdict::kAskNames) ResolveNames();
    if (Judge(peer) != Verdict::kIn) NoteRefused(peer);
    then();
  });
}

Status Doorkeeper::Check(const grpc::ServerContext& call) const {
  const Secrets* const secrets = options_.secrets.get();
  bool has_token = false;
  if (secrets != nullptr && secrets->has_token()) {
    const auto headers = call.client_metadata().equal_range(kAuthorizationHeader);
    for (auto header = headers.first; header != headers.second; ++header) {
      if (!secrets->IsTokenHeader({header->second.data(), header->second.size()})) {
        return Refuse("the token of the call is not the one of this server");
      }
      has_token = true;
    }
  }
  if (secrets == nullptr || !secrets->server_uses_tls()) return CheckPlain(call, has_token);
  const std::shared_ptr<const grpc::AuthContext> auth = call.auth_context();
  if (auth == nullptr || !UsesTls(*auth)) return CheckPlain(call, has_token);
  if (secrets->wants_client_certificate() && !ShowsCertificate(*auth)) {
    return Refuse("the client has shown no certificate; this server wants one (mutual TLS)");
  }
  if (secrets->has_token() && !has_token) {
    return Refuse("the call carries no token; this server wants one (authorization: Bearer ...)");
  }
  return OkStatus();
}

Status Doorkeeper::CheckPlain(const grpc::ServerContext& call, bool has_token) const {
  const Secrets* const secrets = options_.secrets.get();
  const bool has_tls = secrets != nullptr && secrets->server_uses_tls();
  if (has_token && !has_tls) return OkStatus();
  const std::optional<PeerAddress> peer = PeerAddress::FromGrpcPeer(call.peer());
  if (peer && Judge(*peer) == Verdict::kIn) return OkStatus();
  return Refuse(fmt::format("plain calls{}{} are not taken here; they are taken from {}{}",
                            peer ? " from " : "", peer ? peer->ToString() : "",
                            options_.plain.Describe(),
                            has_tls              ? ". This server uses TLS"
                            : secrets != nullptr ? ". This server wants a token"
                                                 : ""));
}

std::string Doorkeeper::Describe() const {
  const Secrets* const secrets = options_.secrets.get();
  std::string what;
  if (secrets != nullptr) {
    if (secrets->server_uses_tls()) {
      what = secrets->wants_client_certificate() ? "mutual TLS" : "TLS";
    }
    if (secrets->has_token()) what += what.empty() ? "a token without TLS" : " and a token";
    if (!what.empty()) what += "; ";
  }
  return what + "plain calls from " + options_.plain.Describe();
}

}  // namespace rheo::rpc
