// What ThreadSanitizer has to be told about gRPC.
//
// gRPC's libraries are not built with ThreadSanitizer, but the templates of its headers are, as
// part of our code: it would see half of what happens. So gRPC's own memory accesses are hidden
// from it, and what travels through gRPC from thread to thread is published and received by hand.
// Without ThreadSanitizer all of this does nothing.
#ifndef RHEO_RPC_THREAD_SANITIZER_H_
#define RHEO_RPC_THREAD_SANITIZER_H_

namespace rheo::rpc {

// What this thread did so far becomes visible to whoever calls Receive for `object` later.
void Publish(void* object);
void Receive(void* object);

// The memory accesses of this thread are not checked while one lives.
class GrpcSection {
 public:
  GrpcSection();
  // NOLINTNEXTLINE(performance-trivially-destructible): with ThreadSanitizer it has work to do.
  ~GrpcSection();
  GrpcSection(const GrpcSection&) = delete;
  GrpcSection& operator=(const GrpcSection&) = delete;
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_THREAD_SANITIZER_H_
