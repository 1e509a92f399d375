// Whole files, as the kernels of this family read, write and find them, with TensorFlow's errors.
#ifndef RHEO_OPS_IO_FILES_H_
#define RHEO_OPS_IO_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "rheo/async/stop.h"
#include "rheo/base/status.h"
#include "rheo/ops/io/file_policy.h"

namespace rheo::ops {

// Devices and files of /proc have no size to go by: of them no more is read than this.
inline constexpr size_t kMaxUnsaidFileBytes = size_t{64} << 20;

// Names may begin with "file://"; UNIMPLEMENTED for other schemes ("s3://…"). Otherwise the
// system's reason as "<name>; No such file or directory": NOT_FOUND, PERMISSION_DENIED,
// FAILED_PRECONDITION (a folder), RESOURCE_EXHAUSTED (no space, or endless). CANCELLED (derived)
// soon after `stop` fires. A file that grows meanwhile is read up to the size that it had.
StatusOr<std::string> ReadWholeFile(const FilePolicy& policy, const std::string& name,
                                    const StopToken& stop);
// Makes missing folders; replaces a file that is there.
Status WriteWholeFile(const FilePolicy& policy, const std::string& name, std::string_view contents);

// The files and folders whose names match `pattern`: '*', '?' and '[…]' within one level. None is
// no error. Sorted. Only what the policy allows; PERMISSION_DENIED when the part before the first
// wildcard leads out of it already; CANCELLED (derived) soon after `stop` fires.
StatusOr<std::vector<std::string>> MatchFiles(const FilePolicy& policy, const std::string& pattern,
                                              const StopToken& stop);

}  // namespace rheo::ops

#endif  // RHEO_OPS_IO_FILES_H_
