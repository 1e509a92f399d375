// rheo credentials: certificates and a token for one job.

#include "rheo/service/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "flags.h"
#include "rheo/base/stderr.h"
#include "rheo/rpc/certificates.h"

namespace rheo::app {
namespace {

constexpr std::string_view kHelp =
    R"(rheo credentials DIR [HOST…]: makes certificates and a token for one job.

DIR must not exist. It gets ca.pem, cert.pem, key.pem and token, which all tasks and clients of the
job share: copy it to their machines, readable by their user only. The certificate is good for the
HOSTs (names or addresses, as they stand in the cluster spec) and for this machine's loopback names.
The authority's key is not kept: a further host means a new folder.

  --days N      how long the certificates are valid (default 30)

Use it as `rheo serve --credentials DIR …`, in C++ as Credentials::InFolder(DIR), or for any program
of Rheo as RHEO_CREDENTIALS=DIR.

Example:
  rheo credentials job-17 node-1.example node-2.example
)";

constexpr int kMaxDays = 36500;

// A new file that only its owner can read.
Status WriteSecret(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return Internal("cannot make '{}': {}", path, std::strerror(errno));
  const ssize_t written = write(fd, text.data(), text.size());
  const bool is_closed = close(fd) == 0;
  if (is_closed && written == static_cast<ssize_t>(text.size())) return OkStatus();
  return Internal("cannot write '{}': {}", path, std::strerror(errno));
}

Status Make(const std::string& folder, const std::vector<std::string>& hosts, int days) {
  RHEO_ASSIGN_OR_RETURN(const rpc::JobCredentials made,
                        rpc::MakeJobCredentials(hosts, std::chrono::hours(24) * days));
  if (mkdir(folder.c_str(), 0700) != 0) {
    return InvalidArgument("cannot make the folder '{}': {}", folder, std::strerror(errno));
  }
  const service::Credentials files = service::Credentials::InFolder(folder);
  RHEO_RETURN_IF_ERROR(WriteSecret(files.ca_file, made.ca));
  RHEO_RETURN_IF_ERROR(WriteSecret(files.cert_file, made.cert));
  RHEO_RETURN_IF_ERROR(WriteSecret(files.key_file, made.key));
  return WriteSecret(files.token_file, made.token + "\n");
}

}  // namespace

int MakeCredentials(const std::vector<std::string>& args) {
  int days = 30;
  bool help = false;
  const StatusOr<std::vector<std::string>> rest =
      ParseFlags(args, {{.name = "days", .number = &days}, {.name = "help", .on = &help}});
  if (!rest.ok()) return WrongCall("credentials", rest.status());
  if (help) {
    fmt::print("{}", kHelp);
    return kDone;
  }
  if (rest->empty()) return WrongCall("credentials", InvalidArgument("name the folder to make"));
  if (days < 1 || days > kMaxDays) {
    return WrongCall("credentials", InvalidArgument("--days must be 1 to {}", kMaxDays));
  }
  const std::vector<std::string> hosts(rest->begin() + 1, rest->end());
  if (Status status = Make(rest->front(), hosts, days); !status.ok()) {
    return WrongCall("credentials", status);
  }
  PrintToStderr("rheo credentials: made {} for loopback{}{}, valid for {} day(s)\n", rest->front(),
                hosts.empty() ? "" : " and ", fmt::join(hosts, " "), days);
  return kDone;
}

}  // namespace rheo::app
