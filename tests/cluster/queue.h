// Queue: a shared FIFO queue of floats on ps 0, and what a program does with it.
#ifndef RHEO_TESTS_CLUSTER_QUEUE_H_
#define RHEO_TESTS_CLUSTER_QUEUE_H_

#include <string>

#include "rheo/client.h"

namespace rheo::cluster_test {

struct Queue {
  explicit Queue(const Scope& scope, const std::string& name = "queue")
      : ps(scope.WithDevice("/job:ps/task:0")),
        handle(ops::FIFOQueueV2(ps.WithName(name), {DType::kFloat}, {.shared_name = name})),
        value(ops::Placeholder(Scope(scope.WithName(name + "_value")), DType::kFloat)),
        enqueue(ops::QueueEnqueueV2(ps.WithName(name + "_enqueue"), handle, {value})),
        dequeued(ops::QueueDequeueV2(ps.WithName(name + "_dequeue"), handle, {DType::kFloat})[0]) {}

  Scope ps;
  Output handle;
  Output value;  // what `enqueue` takes
  Operation enqueue;
  Output dequeued;
};

}  // namespace rheo::cluster_test

#endif  // RHEO_TESTS_CLUSTER_QUEUE_H_
