#include "rheo/ops/io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace rheo::ops {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileScheme = "file://";
constexpr std::string_view kWildcards = "*?[\\";

StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
      return StatusCode::kPermissionDenied;
    case EISDIR:
      return StatusCode::kFailedPrecondition;
    case ENOSPC:
    case EFBIG:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return StatusCode::kResourceExhausted;
    default:
      return StatusCode::kUnknown;
  }
}

Status SystemError(const std::string& name, int error) {
  return Status(CodeOf(error), fmt::format("{}; {}", name, std::generic_category().message(error)));
}

// The name without "file://".
StatusOr<std::string> LocalName(const std::string& name) {
  if (const size_t zero = name.find('\0'); zero != std::string::npos) {
    return InvalidArgument("a file name has a zero byte behind '{}'; no name can have one",
                           name.substr(0, zero));
  }
  const size_t scheme = name.find("://");
  if (scheme == std::string::npos) return name;
  if (name.starts_with(kFileScheme)) return name.substr(kFileScheme.size());
  const bool is_scheme = scheme > 0 && std::all_of(name.begin(), name.begin() + scheme, [](char c) {
                           return std::isalnum(static_cast<unsigned char>(c)) != 0;
                         });
  if (!is_scheme) return name;
  return Unimplemented("File system scheme '{}' not implemented (file: '{}')",
                       name.substr(0, scheme), name);
}

// Closes at the end of its scope.
struct OpenFile {
  int fd = -1;
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
};

Status Open(const FilePolicy& policy, const std::string& name, int flags, OpenFile& file,
            std::string& path) {
  RHEO_ASSIGN_OR_RETURN(const std::string local, LocalName(name));
  RHEO_ASSIGN_OR_RETURN(path, policy.Resolve(local));
  if ((flags & O_CREAT) != 0) {
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) return SystemError(folder.string(), error.value());
  }
  // A resolved path has no link at its end, unless one was put there meanwhile.
  const int no_follow = policy.is_everywhere() ? 0 : O_NOFOLLOW;
  file.fd = open(path.c_str(), flags | O_CLOEXEC | no_follow, 0666);
  return file.fd < 0 ? SystemError(name, errno) : OkStatus();
}

bool HasWildcard(std::string_view text) {
  return text.find_first_of(kWildcards) != std::string_view::npos;
}

// Finds what matches, one level of names after the other.
class Finder {
 public:
  Finder(const FilePolicy& policy, const StopToken& stop) : policy_(policy), stop_(stop) {}

  // `base` is what has matched so far, ending in '/' or empty; `rest` the levels to come. A folder
  // that cannot be read, or that goes meanwhile, has no more names.
  void Find(const std::string& base, std::string_view rest) {
    const size_t slash = rest.find('/');
    const std::string level(rest.substr(0, slash));
    const bool is_last = slash == std::string_view::npos;
    const auto go_on = [&](const std::string& name) {
      if (is_last) return Add(base + name);
      Find(base + name + '/', rest.substr(slash + 1));
    };
    if (!HasWildcard(level)) return go_on(level);
    if (!IsAllowed(base)) return;
    std::error_code error;
    fs::directory_iterator entry(base.empty() ? "." : base, error);
    for (; entry != fs::directory_iterator(); entry.increment(error)) {
      if (stop_.stop_requested()) return;
      const std::string name = entry->path().filename().string();
      if (fnmatch(level.c_str(), name.c_str(), FNM_PATHNAME) == 0) go_on(name);
    }
  }

  std::vector<std::string>& found() { return found_; }

 private:
  bool IsAllowed(const std::string& path) const { return policy_.Resolve(path).ok(); }

  void Add(const std::string& path) {
    struct stat info {};
    if (IsAllowed(path) && stat(path.c_str(), &info) == 0) found_.push_back(path);
  }

  const FilePolicy& policy_;
  const StopToken& stop_;
  std::vector<std::string> found_;
};

}  // namespace

StatusOr<std::string> ReadWholeFile(const FilePolicy& policy, const std::string& name,
                                    const StopToken& stop) {
  OpenFile file;
  std::string path;
  // A pipe without a writer must not hold the thread.
  RHEO_RETURN_IF_ERROR(Open(policy, name, O_RDONLY | O_NONBLOCK, file, path));
  struct stat info {};
  if (fstat(file.fd, &info) != 0) return SystemError(name, errno);
  if (S_ISDIR(info.st_mode)) return SystemError(name, EISDIR);
  constexpr size_t kPiece = 1 << 20;
  const bool says_size = info.st_size > 0;
  const size_t limit = says_size ? static_cast<size_t>(info.st_size) : kMaxUnsaidFileBytes;
  std::string contents;
  if (says_size) contents.reserve(limit);  // a size that is not to be had fails before any reading
  while (contents.size() < limit) {
    if (stop.stop_requested()) return AsDerived(Cancelled("reading {} was stopped", name));
    const size_t have = contents.size();
    contents.resize(have + std::min(limit - have, kPiece));
    const ssize_t got = read(file.fd, contents.data() + have, contents.size() - have);
    if (got < 0 && errno != EINTR) return SystemError(name, errno);
    contents.resize(have + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return contents;
  }
  if (says_size) return contents;
  return ResourceExhausted("{}; it does not say its size, and has more than {} bytes", name, limit);
}

Status WriteWholeFile(const FilePolicy& policy, const std::string& name,
                      std::string_view contents) {
  OpenFile file;
  std::string path;
  RHEO_RETURN_IF_ERROR(Open(policy, name, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, file, path));
  while (!contents.empty()) {
    const ssize_t written = write(file.fd, contents.data(), contents.size());
    if (written < 0 && errno != EINTR) return SystemError(name, errno);
    contents.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  const int fd = std::exchange(file.fd, -1);
  return close(fd) == 0 ? OkStatus() : SystemError(name, errno);
}

StatusOr<std::vector<std::string>> MatchFiles(const FilePolicy& policy, const std::string& pattern,
                                              const StopToken& stop) {
  if (pattern.empty()) return std::vector<std::string>();
  RHEO_ASSIGN_OR_RETURN(std::string local, LocalName(pattern));
  const std::string scheme(local.size() < pattern.size() ? kFileScheme : "");
  const bool names_folder = local.find('/') != std::string::npos;
  if (!names_folder) local = "./" + local;
  // Where the first wildcard stands, and the folder before it.
  const size_t wildcard = std::min(local.find_first_of(kWildcards), local.size());
  const size_t slash = local.rfind('/', wildcard);
  RHEO_RETURN_IF_ERROR(policy.Resolve(local.substr(0, slash + 1)).status());
  Finder finder(policy, stop);
  finder.Find("", local);
  if (stop.stop_requested()) return AsDerived(Cancelled("matching {} was stopped", pattern));
  std::vector<std::string>& found = finder.found();
  for (std::string& name : found) name.insert(0, scheme);
  std::sort(found.begin(), found.end());
  return std::move(found);
}

}  // namespace rheo::ops
