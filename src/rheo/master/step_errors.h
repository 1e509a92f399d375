// One status for a step from those of its parts.
#ifndef RHEO_MASTER_STEP_ERRORS_H_
#define RHEO_MASTER_STEP_ERRORS_H_

#include <string>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::master {

struct PartStatus {
  std::string task;
  Status status;
};

// OK when all are. Otherwise the root cause, its text after "From <task>:\n":
//   * derived errors count only where there is nothing else, and stay derived then;
//   * an error whose text contains the text of another one is that one, passed on by a task that
//   was
//     waiting for it, and is dropped;
//   * of several that remain, errors that say what is wrong come before lost connections, those
//     before ABORTED and CANCELLED; the first gives code and payloads, the others follow its text.
// The text is cut to 8192 bytes.
Status AggregateErrors(const std::vector<PartStatus>& parts);

}  // namespace rheo::master

#endif  // RHEO_MASTER_STEP_ERRORS_H_
