#include "rheo/ops/io/file_policy.h"

#include <filesystem>

namespace rheo::ops {
namespace {

namespace fs = std::filesystem;

bool IsWithin(const std::string& path, const std::string& folder) {
  if (folder == "/" || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

StatusOr<FilePolicy> FilePolicy::Parse(std::string_view text) {
  if (text == "any") return Everywhere();
  if (text == "none") return FilePolicy(Kind::kNowhere, {});
  std::vector<std::string> folders;
  while (true) {
    const size_t comma = text.find(',');
    const std::string folder(text.substr(0, comma));
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    if (error || !fs::is_directory(canonical, error)) {
      return InvalidArgument(
          "files may be touched in '{}', says the policy, but there is no such "
          "folder; say any, none, or folders by commas",
          folder);
    }
    folders.push_back(canonical.string());
    if (comma == std::string_view::npos) return FilePolicy(Kind::kFolders, std::move(folders));
    text.remove_prefix(comma + 1);
  }
}

StatusOr<std::string> FilePolicy::Resolve(const std::string& path) const {
  if (kind_ == Kind::kEverywhere) return path;
  // A name with a NUL means another file to the system than to us.
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const std::string resolved =
      error ? "" : fs::weakly_canonical(absolute, error).lexically_normal().string();
  if (!error && !resolved.empty() && path.find('\0') == std::string::npos) {
    for (const std::string& folder : folders_) {
      if (IsWithin(resolved, folder)) return resolved;
    }
  }
  return PermissionDenied("this task allows {} to be touched, not '{}'", Describe(), path);
}

std::string FilePolicy::Describe() const {
  if (kind_ == Kind::kEverywhere) return "all files";
  if (kind_ == Kind::kNowhere) return "no files";
  std::string text = "files in ";
  for (size_t i = 0; i < folders_.size(); ++i) {
    if (i > 0) text += i + 1 == folders_.size() ? " and " : ", ";
    text += folders_[i];
  }
  return text;
}

}  // namespace rheo::ops
