// LocalFunctions: runs functions of a registered graph's library on the device of the calling
// kernel.
#ifndef RHEO_WORKER_LOCAL_FUNCTIONS_H_
#define RHEO_WORKER_LOCAL_FUNCTIONS_H_

#include <memory>

#include "rheo/graph/function_library.h"
#include "rheo/kernel/function_caller.h"
#include "rheo/worker/worker.h"
#include "rheo/worker/worker_session.h"

namespace rheo::worker {

// `env` outlives the result.
std::unique_ptr<kernel::FunctionCaller> MakeLocalFunctions(graph::FunctionLibraryRef library,
                                                           const WorkerEnv& env,
                                                           SessionDevice device);

}  // namespace rheo::worker

#endif  // RHEO_WORKER_LOCAL_FUNCTIONS_H_
