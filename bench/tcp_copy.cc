#include "tcp_copy.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace rheo::bench {
namespace {

bool ReadAll(int socket, void* to, size_t num_bytes) {
  char* at = static_cast<char*>(to);
  while (num_bytes > 0) {
    const ssize_t got = read(socket, at, num_bytes);
    if (got <= 0) return false;
    at += got;
    num_bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteAll(int socket, const void* from, size_t num_bytes) {
  const char* at = static_cast<const char*>(from);
  while (num_bytes > 0) {
    const ssize_t put = write(socket, at, num_bytes);
    if (put <= 0) return false;
    at += put;
    num_bytes -= static_cast<size_t>(put);
  }
  return true;
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void DisableNagle(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

void ServeTcpSink(const std::function<void(int)>& report_port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listener, 1) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return;
  }
  report_port(ntohs(address.sin_port));
  const int connection = accept(listener, nullptr, nullptr);
  DisableNagle(connection);
  std::vector<char> bytes;
  int64_t num_bytes = 0;
  while (ReadAll(connection, &num_bytes, sizeof(num_bytes))) {
    const auto size = static_cast<size_t>(num_bytes);
    if (size < bytes.size()) bytes.shrink_to_fit();
    bytes.resize(size);
    const char confirmation = 0;
    if (!ReadAll(connection, bytes.data(), size) || !WriteAll(connection, &confirmation, 1)) return;
  }
}

StatusOr<TcpSender> TcpSender::Connect(int port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Loopback(port);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Unavailable("connect to port {}: {}", port, strerror(errno));
  }
  DisableNagle(connection);
  return TcpSender(connection);
}

TcpSender::~TcpSender() {
  if (socket_ >= 0) close(socket_);
}

TcpSender::TcpSender(TcpSender&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), bytes_(std::move(other.bytes_)) {}

Status TcpSender::Send(int64_t num_bytes) {
  bytes_.resize(static_cast<size_t>(num_bytes));
  char confirmation = 0;
  if (WriteAll(socket_, &num_bytes, sizeof(num_bytes)) &&
      WriteAll(socket_, bytes_.data(), bytes_.size()) && ReadAll(socket_, &confirmation, 1)) {
    return OkStatus();
  }
  return Unavailable("the TCP connection broke: {}", strerror(errno));
}

}  // namespace rheo::bench
