// FilePolicy: which files the operations of a task may touch.
#ifndef RHEO_OPS_IO_FILE_POLICY_H_
#define RHEO_OPS_IO_FILE_POLICY_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::ops {

// Immutable.
class FilePolicy {
 public:
  // Every file that the process may touch.
  static FilePolicy Everywhere() { return FilePolicy(Kind::kEverywhere, {}); }
  // "any", "none", or folders by commas. INVALID_ARGUMENT naming a folder that there is not.
  static StatusOr<FilePolicy> Parse(std::string_view text);

  bool allows_nothing() const { return kind_ == Kind::kNowhere; }
  bool is_everywhere() const { return kind_ == Kind::kEverywhere; }

  // The path that may be opened in place of `path`: the same where everything is allowed, else
  // without "..", "." and symbolic links, as far as it exists. PERMISSION_DENIED when it leads out
  // of the allowed folders. Whoever opens the result does so without following links: what could be
  // put in its place later is then not found outside.
  StatusOr<std::string> Resolve(const std::string& path) const;

  // "files in /data and /tmp/out", "all files", "no files"; for people.
  std::string Describe() const;

 private:
  enum class Kind { kNowhere, kFolders, kEverywhere };
  FilePolicy(Kind kind, std::vector<std::string> folders)
      : kind_(kind), folders_(std::move(folders)) {}

  const Kind kind_;
  const std::vector<std::string> folders_;  // absolute, without links
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_IO_FILE_POLICY_H_
