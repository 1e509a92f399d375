// Spinning: looking again and again for what soon completes on a queue, instead of sleeping.
//
// Between two looks the thread offers its core to whoever waits for it. The kernel likes to wake
// the receiver of a message on the sender's core, because a sender mostly sleeps soon: here the
// receiver runs there at once, and nobody waits for another core to wake up.
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
