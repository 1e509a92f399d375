// RpcServer: the gRPC port of a task.
//
// One server answers MasterService, WorkerService, Rheo's own methods and gRPC's health check on
// one port. Every method goes through one generic service, one completion queue and a table of
// handlers; requests and answers are raw bytes. No thread belongs to a call: thousands may be open
// at once.
#ifndef RHEO_RPC_SERVER_H_
#define RHEO_RPC_SERVER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rheo/async/fault_points.h"
#include "rheo/base/status.h"
#include "rheo/rpc/plain_policy.h"
#include "rheo/rpc/secrets.h"

namespace rheo::service {
class MasterService;
class WorkerService;
}  // namespace rheo::service

namespace rheo::wire {
class VariantDecoders;
}  // namespace rheo::wire

namespace rheo::rpc {

class MethodTable;
class PolledQueue;
struct TrafficCounters;

// What a port serves. What the pointers point to outlives Shutdown; methods of null are
// UNIMPLEMENTED.
struct RpcServices {
  service::MasterService* master = nullptr;
  service::WorkerService* worker = nullptr;
  std::function<std::string()> status_page;  // text for people, see status_page.h
};

struct RpcServerOptions {
  // "host:port": every address of the host and no other; "[::]" is all there are, "0.0.0.0" all of
  // IPv4; port 0 lets the system choose.
  std::string address = "127.0.0.1:0";
  // What callers must show, and who need not; see doorkeeper.h. The default asks nobody for
  // anything.
  std::shared_ptr<const Secrets> secrets;
  PlainPolicy plain = {.any = true};
  std::vector<std::string> cluster_hosts;  // those that PlainPolicy::cluster means
  // Threads that poll the queue and run short handlers. 0: one for every four cores, at most 8. A
  // second one costs each call a wake-up, which only a machine with idle cores makes up for.
  int num_pollers = 0;
  // Threads that run the handlers of long methods and of large requests.
  int num_handlers = 2;
  // Calls that can be accepted before a poller has to come around.
  int num_posted_accepts = 64;
  // Larger requests are refused with RESOURCE_EXHAUSTED; 0: none are.
  int64_t max_message_bytes = 0;
  // Of requests of clients that are read and not answered; more wait, see message_room.h. 0: none
  // do.
  int64_t max_bytes_in_flight = 0;
  // How often connections are pinged, so that callers who vanished are noticed.
  std::chrono::milliseconds ping_interval = std::chrono::seconds(15);
  // Counts the messages' bytes; outlives the server. Null: nobody asks.
  TrafficCounters* traffic = nullptr;
  // Points accept (of a call) and cancel; outlives the server. Null: none.
  FaultPoints* faults = nullptr;
  // Reads variants in requests; null: they stay opaque. Outlives the server.
  const wire::VariantDecoders* variants = nullptr;
};

// Start and Shutdown are called by the owner's thread; the rest is thread-safe.
class RpcServer {
 public:
  // Takes the port, so that port() is known before the services exist. Calls that arrive before
  // Start wait. UNKNOWN "Could not start gRPC server: ..." with address and reason when the port is
  // taken or the address is no good.
  static StatusOr<std::unique_ptr<RpcServer>> Bind(RpcServerOptions options = {});
  // Shutdown without grace.
  ~RpcServer();
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  int port() const;

  // The queue that the server's threads poll, for the client of this process.
  std::shared_ptr<PolledQueue> queue() const;
  // The addresses that it listens on, with the port: {"127.0.0.1:7000"}.
  const std::vector<std::string>& bound() const;
  // "mutual TLS and a token; plain calls from nowhere"
  std::string DescribeDoor() const;

  // Begins to serve; the services outlive Shutdown. A null service's methods are UNIMPLEMENTED. The
  // services' methods run on polling threads: they must not block.
  void Start(service::MasterService* master, service::WorkerService* worker);
  void Start(RpcServices services);
  // As above with any handlers.
  void Start(MethodTable methods);

  // From now on new calls are answered with `reason`, but for those that serve running steps or end
  // something; the health check says NOT_SERVING. Call it once.
  void Drain(Status reason);
  // Waits until no call is open, at most until `deadline`; true when there is none.
  bool AwaitIdle(std::chrono::steady_clock::time_point deadline) const;
  int num_open_calls() const;
  // For whoever looks now and then: true once after each time that more than a hundred calls were
  // open at once, at the second look that finds them ended. What they leave goes after them.
  bool TakeBurst();
  // Bytes of clients' requests that are in flight, and calls that wait until there are fewer.
  struct InFlight {
    int64_t bytes = 0;
    int num_waiting = 0;
  };
  InFlight in_flight() const;

  // Refuses new calls, lets open ones go on for `grace`, then stops them through their stop tokens.
  // Returns when every handler has answered; the port is free then. Later calls do nothing. Not to
  // be called from a handler.
  void Shutdown(std::chrono::milliseconds grace);

 private:
  class Impl;
  explicit RpcServer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SERVER_H_
