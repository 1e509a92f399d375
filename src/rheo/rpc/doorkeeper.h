// Doorkeeper: who may call a server. It looks at every connection once, and at every call where
// that is not enough.
//
//   a call comes over     it may go on
//   TLS                   with the client's certificate and the token, as far as the server wants
//                         them
//   a plain connection    with the token, when the server has one and no TLS; or without it from an
//                         address that the policy lets in
//
// A wrong token is refused everywhere. Refusals are UNAUTHENTICATED and come before anything of the
// call is read; they say what is missing and never what would be right.
#ifndef RHEO_RPC_DOORKEEPER_H_
#define RHEO_RPC_DOORKEEPER_H_

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "rheo/async/thread_pool.h"
#include "rheo/base/mutex.h"
#include "rheo/rpc/peer_address.h"
#include "rheo/rpc/plain_policy.h"
#include "rheo/rpc/secrets.h"

namespace rheo::rpc {

struct DoorkeeperOptions {
  std::shared_ptr<const Secrets> secrets;  // null: none are asked for
  PlainPolicy plain;
  // Names and addresses of the hosts that PlainPolicy::cluster means.
  std::vector<std::string> cluster_hosts;
};

// Thread-safe.
class Doorkeeper {
 public:
  explicit Doorkeeper(DoorkeeperOptions options);
  // Stops.
  ~Doorkeeper();
  // Waits for names that are being resolved; every `then` has run when it returns. No connection
  // may come after it.
  void Stop();

  // Finds out whether plain calls of `peer` are let in, before the first of them comes, then calls
  // `then()`, here or, when names have to be resolved first, on a thread of its own.
  void OnPlainConnection(const PeerAddress& peer, std::function<void()> then);

  // OK, or UNAUTHENTICATED.
  Status Admit(const grpc::ServerContext& call) const {
    // The common case costs one load.
    if (options_.secrets == nullptr && !refuses_some_.load(std::memory_order_acquire)) {
      return OkStatus();
    }
    return Check(call);
  }

  // "mutual TLS and a token; plain calls from nowhere", for the start line.
  std::string Describe() const;

 private:
  enum class Verdict { kIn, kOut, kAskNames };
  Verdict Judge(const PeerAddress& peer) const RHEO_EXCLUDES(mutex_);
  void NoteRefused(const PeerAddress& peer) RHEO_EXCLUDES(mutex_);
  void ResolveNames() RHEO_EXCLUDES(mutex_);

  Status Check(const grpc::ServerContext& call) const;
  Status CheckPlain(const grpc::ServerContext& call, bool has_token) const;

  const DoorkeeperOptions options_;
  std::vector<std::string> cluster_names_;  // the hosts that are not addresses
  std::atomic<bool> stopping_{false};
  std::atomic<bool> refuses_some_{false};
  mutable Mutex mutex_;
  absl::flat_hash_set<PeerAddress> cluster_ RHEO_GUARDED_BY(mutex_);
  absl::flat_hash_set<PeerAddress> logged_ RHEO_GUARDED_BY(mutex_);  // refused, and said so
  std::chrono::steady_clock::time_point names_known_until_ RHEO_GUARDED_BY(mutex_);
  std::unique_ptr<ThreadPool> resolver_ RHEO_GUARDED_BY(mutex_);  // made when it is first needed
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_DOORKEEPER_H_
