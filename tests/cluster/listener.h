// SilentListener: a port that accepts connections and counts them; whatever comes, it says nothing,
// or always the same.
#ifndef RHEO_TESTS_CLUSTER_LISTENER_H_
#define RHEO_TESTS_CLUSTER_LISTENER_H_

#include <atomic>
#include <string>
#include <thread>

namespace rheo::cluster_test {

class SilentListener {
 public:
  // Listens on "127.0.0.1:port" and says `greeting` to each caller.
  explicit SilentListener(const std::string& address, std::string greeting = "");
  ~SilentListener();
  SilentListener(const SilentListener&) = delete;
  SilentListener& operator=(const SilentListener&) = delete;

  int num_connections() const { return num_connections_; }

 private:
  void Accept();

  const std::string greeting_;
  const int socket_;
  std::atomic<bool> is_over_{false};
  std::atomic<int> num_connections_{0};
  std::thread thread_;
};

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_LISTENER_H_
