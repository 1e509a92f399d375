// A client that blocks in a dequeue, again and again, until it is killed.
//
//   cluster_victim TARGET [TIMEOUT_MS COUNT]   COUNT dequeues of at most TIMEOUT_MS each

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../queue.h"
#include "rheo/client.h"

int main(int argc, char** argv) {
  using namespace rheo;  // NOLINT(google-build-using-namespace)
  if (argc < 2) return 2;
  const int timeout_ms = argc > 2 ? std::atoi(argv[2]) : 0;
  const int count = argc > 3 ? std::atoi(argv[3]) : 1;
  const Scope g = Scope::NewRoot();
  const cluster_test::Queue queue(g);
  const StatusOr<Session> session = Session::Create(g, {.target = argv[1]});
  if (!session.ok()) {
    std::fprintf(stderr, "%s\n", session.status().ToString().c_str());
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    (void)session->Run({.fetches = {queue.dequeued},
                        .options = {.timeout = std::chrono::milliseconds(timeout_ms)}});
  }
  return 0;
}
