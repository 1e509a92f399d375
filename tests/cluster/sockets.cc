#include "sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rheo/service/cluster_spec.h"

namespace rheo::cluster_test {
namespace {

constexpr int kSoonMs = 100;

sockaddr_in Parse(const std::string& address) {
  const auto parsed = service::ParseHostPort(address);
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<uint16_t>(parsed.value().port));
  inet_pton(AF_INET, parsed->host.c_str(), &result.sin_addr);
  return result;
}

int NewSocket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

}  // namespace

int ListenOn(const std::string& address) {
  const int fd = NewSocket();
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in parsed = Parse(address);
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&parsed), sizeof parsed) == 0;
  EXPECT_TRUE(bound && listen(fd, 128) == 0) << address << ": " << strerror(errno);
  return fd;
}

int ConnectTo(const std::string& address) {
  const int fd = NewSocket();
  const sockaddr_in parsed = Parse(address);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&parsed), sizeof parsed) == 0) return fd;
  close(fd);
  return -1;
}

int AcceptSoon(int listener) {
  return ReadableSoon(listener) ? accept4(listener, nullptr, nullptr, SOCK_CLOEXEC) : -1;
}

bool ReadableSoon(int socket) {
  pollfd poll_fd{.fd = socket, .events = POLLIN};
  return poll(&poll_fd, 1, kSoonMs) > 0;
}

}  // namespace rheo::cluster_test
