#include "forwarder.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "sockets.h"

namespace rheo::cluster_test {
namespace {

constexpr int kLookMs = 50;

// Moves what is there; false when an end closed.
bool Move(int from, int to) {
  char bytes[64 << 10];
  const ssize_t got = recv(from, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t n = send(to, bytes + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += n;
  }
  return true;
}

}  // namespace

Forwarder::Forwarder(const std::string& address, std::string target)
    : target_(std::move(target)), socket_(ListenOn(address)), thread_([this] { Accept(); }) {}

Forwarder::~Forwarder() {
  is_over_ = true;
  thread_.join();
  for (std::thread& relay : relays_) relay.join();
  close(socket_);
}

void Forwarder::Accept() {
  while (!is_over_) {
    const int client = AcceptSoon(socket_);
    if (client < 0) continue;
    ++num_connections_;
    const int server = drops_all_ ? -1 : ConnectTo(target_);
    relays_.emplace_back(
        [this, client, server, epoch = epoch_.load()] { Relay(client, server, epoch); });
  }
}

void Forwarder::Relay(int client, int server, int epoch) {
  bool is_open = true;
  while (!is_over_ && is_open) {
    const bool is_dead = drops_all_ || epoch != epoch_ || server < 0;
    pollfd ends[2] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    if (is_dead) {
      // Nothing is read, so nothing is answered; the sockets stay.
      poll(nullptr, 0, kLookMs);
      continue;
    }
    if (poll(ends, 2, kLookMs) <= 0) continue;
    if (ends[0].revents != 0) is_open = Move(client, server);
    if (is_open && ends[1].revents != 0) is_open = Move(server, client);
  }
  close(client);
  if (server >= 0) close(server);
}

}  // namespace rheo::cluster_test
