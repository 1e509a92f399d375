// rheo status: what a task does right now.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "flags.h"
#include "rheo/base/stderr.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/status_page.h"

namespace rheo::app {
namespace {

constexpr std::string_view kHelp = R"(rheo status HOST:PORT…: what each task does right now.

Sessions, graphs, steps and open calls as numbers, and for each step that waits: for which value or
operation, and for how long.

Example:
  rheo status 127.0.0.1:7000 127.0.0.1:7001
)";

constexpr std::chrono::seconds kTimeout(5);

}  // namespace

int ShowStatus(const std::vector<std::string>& args) {
  bool help = false;
  const StatusOr<std::vector<std::string>> addresses =
      ParseFlags(args, {{.name = "help", .on = &help}});
  if (!addresses.ok()) return WrongCall("status", addresses.status());
  if (help) {
    fmt::print("{}", kHelp);
    return kDone;
  }
  if (addresses->empty()) {
    return WrongCall("status", InvalidArgument("name the tasks to ask, as host:port"));
  }
  rpc::RpcClient client;
  int exit_code = kDone;
  for (const std::string& address : *addresses) {
    const StatusOr<std::string> page = rpc::FetchStatusPage(client, address, kTimeout);
    if (page.ok()) {
      fmt::print("{}", *page);
    } else {
      PrintToStderr("rheo status: {}\n", Message(page.status()));
      exit_code = kJobFailed;
    }
  }
  return exit_code;
}

}  // namespace rheo::app
