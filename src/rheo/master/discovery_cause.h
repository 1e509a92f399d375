// Why a task is missing, in words.
#ifndef RHEO_MASTER_DISCOVERY_CAUSE_H_
#define RHEO_MASTER_DISCOVERY_CAUSE_H_

#include <string>
#include <string_view>

#include "rheo/service/worker_service.h"

namespace rheo::master {

// What the error of a GetStatus call tells of the task that was asked: "connection refused: nothing
// listens there (…)", with the transport's own words in brackets.
std::string CauseOf(const Status& error);

// Whether asking again may help.
bool MayPass(const Status& error);

// Why an answer to GetStatus is not from a member of this cluster: another task has it, or the
// peer's cluster specification contradicts that of `directory`. Empty when all is well.
//
// Specifications may differ in what they leave out and in how they write a host; they contradict
// each other when a task of both has different ports. Each task's own entry may be anything.
std::string MistakeOf(const service::GetStatusResponse& answer, std::string_view task,
                      const service::WorkerDirectory& directory, std::string_view own_task);

}  // namespace rheo::master

#endif  // RHEO_MASTER_DISCOVERY_CAUSE_H_
