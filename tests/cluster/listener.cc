#include "listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "sockets.h"

namespace rheo::cluster_test {

SilentListener::SilentListener(const std::string& address, std::string greeting)
    : greeting_(std::move(greeting)), socket_(ListenOn(address)), thread_([this] { Accept(); }) {}

SilentListener::~SilentListener() {
  is_over_ = true;
  thread_.join();
  close(socket_);
}

void SilentListener::Accept() {
  std::vector<int> connections;
  while (!is_over_) {
    const int connection = AcceptSoon(socket_);
    if (connection < 0) continue;
    connections.push_back(connection);
    ++num_connections_;
    if (greeting_.empty()) continue;
    [[maybe_unused]] const auto sent =
        send(connection, greeting_.data(), greeting_.size(), MSG_NOSIGNAL);
  }
  for (const int connection : connections) close(connection);
}

}  // namespace rheo::cluster_test
