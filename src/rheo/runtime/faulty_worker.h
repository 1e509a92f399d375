// FaultyWorker: a worker whose RunGraph and RecvTensor pass fault points, for calls from outside.
#ifndef RHEO_RUNTIME_FAULTY_WORKER_H_
#define RHEO_RUNTIME_FAULTY_WORKER_H_

#include <memory>

#include "rheo/async/fault_points.h"
#include "rheo/service/worker_service.h"

namespace rheo::runtime {

// Points: run_graph, recv_tensor before the call; run_graph_answer, recv_tensor_answer before its
// answer. Both arguments outlive the result.
std::unique_ptr<service::WorkerService> MakeFaulty(service::WorkerService& worker,
                                                   FaultPoints& faults);

}  // namespace rheo::runtime

#endif  // RHEO_RUNTIME_FAULTY_WORKER_H_
