// Spinning: looking again and again for what soon completes on a queue, instead of sleeping.
#ifndef RHEO_RPC_SPIN_H_
#define RHEO_RPC_SPIN_H_

#include <grpcpp/completion_queue.h>

#include "rheo/rpc/spin_budget.h"

namespace rheo::rpc {

// Completes the next operation of `queue` if it ends within the time that `budget` allows; false
// otherwise: sleep for it. Tells `budget` what became of it.
bool SpinForNext(grpc::CompletionQueue& queue, SpinBudget& budget);

}  // namespace rheo::rpc

#endif  // RHEO_RPC_SPIN_H_
