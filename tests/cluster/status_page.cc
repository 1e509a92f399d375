#include "status_page.h"

#include <sstream>

#include "rheo/rpc/client.h"
#include "rheo/rpc/status_page.h"

namespace rheo::cluster_test {

bool StatusPage::IsClean() const {
  return sessions == 0 && worker_sessions == 0 && graphs == 0 && steps == 0 && open_calls == 0 &&
         blocked.empty();
}

StatusPage ReadStatusPage(const std::string& address) {
  StatusPage page;
  rpc::RpcClient client;
  const StatusOr<std::string> text = rpc::FetchStatusPage(client, address, std::chrono::seconds(2));
  page.text = text.ok() ? *text : std::string(Message(text.status()));
  if (!text.ok()) return page;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    const std::string name = line.substr(0, space);
    const std::string value = line.substr(space + 1);
    if (name == "sessions") page.sessions = std::stoi(value);
    if (name == "worker_sessions") page.worker_sessions = std::stoi(value);
    if (name == "graphs") page.graphs = std::stoi(value);
    if (name == "steps") page.steps = std::stoi(value);
    if (name == "open_calls") page.open_calls = std::stoi(value);
    if (name == "bytes_in_flight") page.bytes_in_flight = std::stoll(value);
    if (name == "waiting_calls") page.waiting_calls = std::stoi(value);
    if (name == "blocked") page.blocked.push_back(value);
  }
  return page;
}

}  // namespace rheo::cluster_test
