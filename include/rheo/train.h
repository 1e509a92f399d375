// Train models: the task that a process is, where its variables go, optimizers.
//
//   #include <rheo/train.h>
//   train::Task task = train::Task::FromEnvironment().value();        // TF_CONFIG
//   Scope g = Scope::NewRoot().WithDevice(train::ReplicaDeviceSetter(task.cluster(), task));
//   Operation step = train::GradientDescent{.rate = 0.1f}.Minimize(g, loss, train::GlobalStep(g));
#ifndef RHEO_TRAIN_H_
#define RHEO_TRAIN_H_

#include "rheo/client.h"
#include "rheo/train/optimizer.h"
#include "rheo/train/replica_device_setter.h"
#include "rheo/train/task.h"

#endif  // RHEO_TRAIN_H_
