// Whole files, as the kernels of this family read, write and find them, with TensorFlow's errors.
#ifndef RHEO_OPS_IO_FILES_H_
#define RHEO_OPS_IO_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/ops/io/file_policy.h"

namespace rheo::ops {

// Names may begin with "file://"; UNIMPLEMENTED for other schemes ("s3://…"). Otherwise the
// system's reason as "<name>; No such file or directory": NOT_FOUND, PERMISSION_DENIED,
// FAILED_PRECONDITION (a folder), RESOURCE_EXHAUSTED (no space).
StatusOr<std::string> ReadWholeFile(const FilePolicy& policy, const std::string& name);
// Makes missing folders; replaces a file that is there.
Status WriteWholeFile(const FilePolicy& policy, const std::string& name, std::string_view contents);

// The files and folders whose names match `pattern`: '*', '?' and '[…]' within one level. None is
// no error. Sorted. Only what the policy allows; PERMISSION_DENIED when the part before the first
// wildcard leads out of it already.
StatusOr<std::vector<std::string>> MatchFiles(const FilePolicy& policy, const std::string& pattern);

}  // namespace rheo::ops

#endif  // RHEO_OPS_IO_FILES_H_
