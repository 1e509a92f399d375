// Evaluates a small graph without an executor, kernel by kernel.
#ifndef RHEO_TESTS_OP_CASES_EVALUATE_H_
#define RHEO_TESTS_OP_CASES_EVALUATE_H_

#include <utility>
#include <vector>

#include "rheo/graph/graph.h"
#include "rheo/ops/common/kernel_test_util.h"

namespace rheo::ops {

// Values of endpoints that replace what would be computed.
using Feeds = std::vector<std::pair<graph::Endpoint, Tensor>>;

// The values of `fetches`. No control flow, references or control edges. Errors name the node.
StatusOr<std::vector<Tensor>> Evaluate(const graph::Graph& graph,
                                       const std::vector<graph::Endpoint>& fetches,
                                       const Feeds& feeds, KernelRunner& runner);

}  // namespace rheo::ops

#endif  // RHEO_TESTS_OP_CASES_EVALUATE_H_
