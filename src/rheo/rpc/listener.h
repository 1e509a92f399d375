// Listener: the sockets on which a server takes connections.
//
// gRPC could listen itself, but it binds more than it was asked to (both families for "0.0.0.0"),
// writes its own lines about a port that is taken, and cannot tell plain connections from TLS ones
// on one port. So Rheo accepts, and hands each connection to gRPC.
#ifndef RHEO_RPC_LISTENER_H_
#define RHEO_RPC_LISTENER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/thread_pool.h"
#include "rheo/base/status.h"
#include "rheo/rpc/peer_address.h"

namespace rheo::rpc {

// A file descriptor with one owner.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  int Release();

 private:
  int fd_ = -1;
};

// A connection that has come in; its socket does not block.
struct Connection {
  FileDescriptor socket;
  int listener_fd = -1;
  PeerAddress peer;
  bool is_tls = false;  // meaningful when the listener looks
};

struct ListenerOptions {
  // "host:port": every address of the host, and no other. "0.0.0.0" is every IPv4 address, "[::]"
  // every address of both families; port 0 lets the system choose.
  std::string address;
  // Looks at the first byte of each connection, before handing it over, to find out whether it
  // begins a TLS handshake. A connection that sends nothing for 20 s is closed.
  bool look_for_tls = false;
};

// Bind, Start and Close are called by the owner's thread.
class Listener {
 public:
  // The port is taken when this returns; connections wait until Start. INVALID_ARGUMENT when the
  // address is none, UNAVAILABLE with the system's reason when it cannot be had.
  static StatusOr<std::unique_ptr<Listener>> Bind(ListenerOptions options);
  // Closes.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // What is really bound: {"127.0.0.1:7000", "[::1]:7000"}.
  const std::vector<std::string>& bound() const { return bound_; }

  // `take` gets each connection, on the listener's own thread; it must not block.
  void Start(std::function<void(Connection)> take);
  // Takes no more connections; the port is free and `take` is not running when it returns.
  void Close();

 private:
  struct Fresh;  // a connection whose first byte has not come yet

  explicit Listener(bool look_for_tls);
  Status BindAll(const std::string& host, int port);
  Status BindHost(const std::string& host, int port);
  void Run();
  void Accept(int listener_fd);
  void Look();

  const bool look_for_tls_;
  int port_ = 0;
  std::vector<std::string> bound_;
  std::vector<FileDescriptor> sockets_;
  FileDescriptor wake_;  // an eventfd: readable once Close was called
  std::function<void(Connection)> take_;
  std::vector<Fresh> fresh_;  // of the listener's thread
  std::unique_ptr<ThreadPool> thread_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_LISTENER_H_
