// What a task says about itself on its status page.
#ifndef RHEO_TESTS_CLUSTER_STATUS_PAGE_H_
#define RHEO_TESTS_CLUSTER_STATUS_PAGE_H_

#include <string>
#include <vector>

namespace rheo::cluster_test {

struct StatusPage {
  int sessions = -1;
  int worker_sessions = -1;
  int graphs = -1;
  int steps = -1;
  int open_calls = -1;
  int64_t bytes_in_flight = -1;
  int waiting_calls = -1;
  std::vector<std::string> blocked;

  // No session, graph, step, blocked operation or call is left.
  bool IsClean() const;
  std::string text;  // the page itself, or why there is none
};

// The page of the task at "host:port"; all -1 when it cannot be had.
StatusPage ReadStatusPage(const std::string& address);

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_STATUS_PAGE_H_
