#include "rheo/rpc/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "rheo/base/log.h"
#include "rheo/service/cluster_spec.h"

namespace rheo::rpc {
namespace {

using Clock = std::chrono::steady_clock;
using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

constexpr auto kFirstBytePatience = std::chrono::seconds(20);
// Connections that may wait for their first byte; the oldest gives way.
constexpr size_t kMaxFresh = 1024;
constexpr int kOutOfDescriptorsPauseMs = 100;
constexpr int kFreePortTries = 8;
// A TLS record of the handshake begins with this byte; HTTP/2 begins with 'P'.
constexpr unsigned char kTlsHandshake = 22;

std::string SystemError(int error) { return std::generic_category().message(error); }

StatusOr<AddressList> Resolve(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return Unavailable("{}", gai_strerror(error));
  return AddressList(found, &freeaddrinfo);
}

void SetPort(sockaddr* address, int port) {
  const auto network_order = htons(static_cast<uint16_t>(port));
  if (address->sa_family == AF_INET) {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = network_order;
  } else {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = network_order;
  }
}

bool IsAny(const sockaddr* address) {
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

// A socket that listens on `address`, or the errno.
struct Bound {
  FileDescriptor socket;
  int error = 0;
  int port = 0;
};

Bound ListenOn(const addrinfo& a) {
  Bound bound;
  bound.socket = FileDescriptor(
      socket(a.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, a.ai_protocol));
  const int fd = bound.socket.get();
  const auto set = [fd](int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
  };
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  const bool listens =
      fd >= 0 && set(SOL_SOCKET, SO_REUSEADDR, 1) && set(IPPROTO_TCP, TCP_NODELAY, 1) &&
      (a.ai_family != AF_INET6 || set(IPPROTO_IPV6, IPV6_V6ONLY, IsAny(a.ai_addr) ? 0 : 1)) &&
      bind(fd, a.ai_addr, a.ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0;
  if (!listens) {
    bound.error = errno;
    return bound;
  }
  bound.port = ntohs(name.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(name).sin_port
                                               : reinterpret_cast<sockaddr_in6&>(name).sin6_port);
  return bound;
}

// This machine does not have the family, or not this address of a name that has several.
bool IsAbsent(int error) { return error == EAFNOSUPPORT || error == EADDRNOTAVAIL; }

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = other.Release();
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

int FileDescriptor::Release() { return std::exchange(fd_, -1); }

struct Listener::Fresh {
  Connection connection;
  Clock::time_point deadline;
};

StatusOr<std::unique_ptr<Listener>> Listener::Bind(ListenerOptions options) {
  RHEO_ASSIGN_OR_RETURN(const service::HostPort wanted, service::ParseHostPort(options.address));
  std::unique_ptr<Listener> listener(new Listener(options.look_for_tls));
  RHEO_RETURN_IF_ERROR(listener->BindAll(wanted.host, wanted.port));
  return listener;
}

Listener::Listener(bool look_for_tls) : look_for_tls_(look_for_tls) {}

Listener::~Listener() { Close(); }

Status Listener::BindAll(const std::string& host, int port) {
  // All interfaces of both families by one socket, where there is IPv6.
  const bool any = host.empty();
  Status status = BindHost(any ? "::" : host, port);
  if (any && !status.ok()) status = BindHost("0.0.0.0", port);
  for (int i = 0; i < kFreePortTries && !status.ok() && port == 0; ++i) {
    // The port that the first address got is taken on the second.
    status = BindHost(host, port);
  }
  RHEO_RETURN_IF_ERROR(status);
  wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.get() < 0) return Unavailable("eventfd: {}", SystemError(errno));
  return OkStatus();
}

Status Listener::BindHost(const std::string& host, int port) {
  RHEO_ASSIGN_OR_RETURN(const AddressList found, Resolve(host, port));
  sockets_.clear();
  bound_.clear();
  port_ = port;
  int absent = 0;
  for (const addrinfo* a = found.get(); a != nullptr; a = a->ai_next) {
    const std::optional<PeerAddress> address = PeerAddress::FromSocket(*a->ai_addr);
    if (!address) continue;
    // All addresses have the port that the first one got.
    SetPort(a->ai_addr, port_);
    const std::string name = JoinHostPort(address->ToString(), port_);
    if (std::find(bound_.begin(), bound_.end(), name) != bound_.end()) continue;
    Bound bound = ListenOn(*a);
    if (IsAbsent(bound.error)) {
      absent = bound.error;
      continue;
    }
    if (bound.error != 0) return Unavailable("{}", SystemError(bound.error));
    port_ = bound.port;
    sockets_.push_back(std::move(bound.socket));
    bound_.push_back(JoinHostPort(address->ToString(), port_));
  }
  if (sockets_.empty()) {
    return Unavailable(
        "{} (is it an address of another machine? another one can be chosen to bind)",
        SystemError(absent));
  }
  return OkStatus();
}

void Listener::Start(std::function<void(Connection)> take) {
  take_ = std::move(take);
  thread_ = std::make_unique<ThreadPool>(ThreadPoolOptions{.name = "rpc-accept", .num_threads = 1});
  thread_->Schedule([this] { Run(); });
}

void Listener::Close() {
  if (wake_.get() >= 0) eventfd_write(wake_.get(), 1);
  thread_.reset();
  fresh_.clear();
  sockets_.clear();
}

void Listener::Run() {
  std::vector<pollfd> fds;
  while (true) {
    fds = {{.fd = wake_.get(), .events = POLLIN}};
    for (const FileDescriptor& s : sockets_) fds.push_back({.fd = s.get(), .events = POLLIN});
    for (const Fresh& f : fresh_) {
      fds.push_back({.fd = f.connection.socket.get(), .events = POLLIN});
    }
    poll(fds.data(), fds.size(), fresh_.empty() ? -1 : 1000);
    if (fds[0].revents != 0) return;
    for (size_t i = 1; i <= sockets_.size(); ++i) {
      if (fds[i].revents != 0) Accept(fds[i].fd);
    }
    if (!fresh_.empty()) Look();
  }
}

void Listener::Accept(int listener_fd) {
  while (true) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const peer = reinterpret_cast<sockaddr*>(&address);
    FileDescriptor socket(accept4(listener_fd, peer, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      RHEO_LOG(Warning, "cannot take a connection to port {}: {}", port_, SystemError(errno));
      pollfd stop{.fd = wake_.get(), .events = POLLIN};
      poll(&stop, 1, kOutOfDescriptorsPauseMs);
      return;
    }
    const std::optional<PeerAddress> from = PeerAddress::FromSocket(*peer);
    if (!from) continue;
    Connection connection{std::move(socket), listener_fd, *from};
    if (!look_for_tls_) {
      take_(std::move(connection));
      continue;
    }
    if (fresh_.size() >= kMaxFresh) fresh_.erase(fresh_.begin());
    fresh_.push_back({std::move(connection), Clock::now() + kFirstBytePatience});
  }
}

void Listener::Look() {
  const auto now = Clock::now();
  std::vector<Fresh> waiting;
  for (Fresh& f : fresh_) {
    unsigned char first = 0;
    const ssize_t got = recv(f.connection.socket.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 1) {
      f.connection.is_tls = first == kTlsHandshake;
      take_(std::move(f.connection));
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR) && now < f.deadline) {
      waiting.push_back(std::move(f));
    }
  }
  fresh_ = std::move(waiting);
}

}  // namespace rheo::rpc
