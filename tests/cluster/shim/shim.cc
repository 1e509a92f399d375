// Preloaded into a process, it makes a machine look other than it is:
//
//   RHEO_SHIM_NO_IPV6=1      IPv6 sockets cannot be made
//   RHEO_SHIM_HOSTS=FILE     stands for /etc/hosts, for those who read it by fopen, as gRPC's
//                            resolver does
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

namespace {

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const char* Redirected(const char* path) {
  const char* hosts = getenv("RHEO_SHIM_HOSTS");
  return hosts != nullptr && strcmp(path, "/etc/hosts") == 0 ? hosts : path;
}

}  // namespace

extern "C" {

int socket(int family, int type, int protocol) noexcept {
  if (family == AF_INET6 && getenv("RHEO_SHIM_NO_IPV6") != nullptr) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  return Next<int(int, int, int)>("socket")(family, type, protocol);
}

FILE* fopen(const char* path, const char* mode) {
  return Next<FILE*(const char*, const char*)>("fopen")(Redirected(path), mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return Next<FILE*(const char*, const char*)>("fopen64")(Redirected(path), mode);
}

}  // extern "C"
