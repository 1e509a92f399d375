#include "rheo/rpc/port_probe.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <system_error>

#include "rheo/service/cluster_spec.h"

namespace rheo::rpc {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The errno of the first of `addresses` that cannot be bound; 0 when all can.
int BindError(const addrinfo* addresses) {
  for (const addrinfo* a = addresses; a != nullptr; a = a->ai_next) {
    const int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
    if (fd < 0) return errno;
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const bool failed = bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, 1) != 0;
    const int error = errno;
    close(fd);
    if (failed) return error;
  }
  return 0;
}

}  // namespace

std::string WhyNotBound(const std::string& address) {
  const StatusOr<service::HostPort> parsed = service::ParseHostPort(address);
  if (!parsed.ok()) return std::string(Message(parsed.status()));
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(parsed->host.c_str(), std::to_string(parsed->port).c_str(), &hints, &found);
  if (error != 0) return gai_strerror(error);
  const AddressList addresses(found, &freeaddrinfo);
  const int bind_error = BindError(found);
  return bind_error == 0 ? "unknown reason" : std::generic_category().message(bind_error);
}

}  // namespace rheo::rpc
