// Gradients of a Scope's graph, with the gradient functions that were attached to it.
#ifndef RHEO_CLIENT_GRADIENTS_H_
#define RHEO_CLIENT_GRADIENTS_H_

#include <vector>

#include "rheo/autodiff/gradient_registry.h"
#include "rheo/base/status.h"
#include "rheo/builder/scope.h"

namespace rheo::client {

// A new graph whose gradients are built with `gradients`. Both registries outlive it.
builder::Scope NewRoot(const op::OpRegistry& ops, const autodiff::GradientRegistry& gradients);

// d(sum of ys)/d(xs), one per x, empty where no y depends on it. An x that is a Variable stands for
// all reads of that variable. A mistake (those of autodiff::AddGradients; FAILED_PRECONDITION when
// no gradient functions are attached to the scope) goes to scope.status() and gives empty outputs.
std::vector<builder::Output> Gradients(const builder::Scope& scope,
                                       const std::vector<builder::Output>& ys,
                                       const std::vector<builder::Output>& xs,
                                       const std::vector<builder::Output>& grad_ys = {});

}  // namespace rheo::client

#endif  // RHEO_CLIENT_GRADIENTS_H_
