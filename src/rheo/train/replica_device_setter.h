// ReplicaDeviceSetter: variables round-robin over the parameter servers, the rest on this worker.
#ifndef RHEO_TRAIN_REPLICA_DEVICE_SETTER_H_
#define RHEO_TRAIN_REPLICA_DEVICE_SETTER_H_

#include <string>

#include "rheo/builder/scope.h"
#include "rheo/service/cluster_spec.h"
#include "rheo/train/task.h"

namespace rheo::train {

struct ReplicaDeviceSetterOptions {
  std::string ps_job = "ps";
  std::string worker_device;  // "": the task's own name
};

// A device function for Scope::WithDevice: ops that hold variables, tables and the like go to the
// tasks of the ps job in turn, all others to the worker. What the scope's device says already is
// kept, part by part. Without a ps job everything goes to the worker. All workers must build the
// variables in the same order to agree where they are. (TensorFlow's
// tf.train.replica_device_setter.)
builder::Scope::DeviceFn ReplicaDeviceSetter(const service::ClusterSpec& cluster, const Task& task,
                                             const ReplicaDeviceSetterOptions& options = {});

}  // namespace rheo::train

#endif  // RHEO_TRAIN_REPLICA_DEVICE_SETTER_H_
