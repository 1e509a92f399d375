// Forwarder: a TCP relay whose connections can go dead on command: nothing passes any more, and
// neither end is told.
#ifndef RHEO_TESTS_CLUSTER_FORWARDER_H_
#define RHEO_TESTS_CLUSTER_FORWARDER_H_

#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace rheo::cluster_test {

class Forwarder {
 public:
  // Relays between whoever connects to `address` and `target`, both "127.0.0.1:port".
  Forwarder(const std::string& address, std::string target);
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  // The connections that exist go dead; new ones pass.
  void KillOpen() { ++epoch_; }
  // All connections go dead, and new ones get no answer.
  void DropEverything() { drops_all_ = true; }

  int num_connections() const { return num_connections_; }

 private:
  // Both directions of one connection, until either end closes.
  void Relay(int client, int server, int epoch);
  void Accept();

  const std::string target_;
  const int socket_;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> drops_all_{false};
  std::atomic<int> epoch_{0};  // connections of an earlier one are dead
  std::atomic<int> num_connections_{0};
  std::list<std::thread> relays_;  // of the accepting thread, then of the destructor
  std::thread thread_;
};

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_FORWARDER_H_
