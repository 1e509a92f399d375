// What the simplifying passes may touch.
#ifndef RHEO_PASSES_SIMPLIFIABLE_H_
#define RHEO_PASSES_SIMPLIFIABLE_H_

#include "rheo/graph/graph.h"

namespace rheo::passes {

// True for a node whose outputs are a function of its inputs and attrs alone, without side effects,
// control flow, references or functions of the program.
bool IsPure(const graph::Node& node);

}  // namespace rheo::passes

#endif  // RHEO_PASSES_SIMPLIFIABLE_H_
