// Graphs that are measured in more than one program.
#ifndef RHEO_BENCH_GRAPHS_H_
#define RHEO_BENCH_GRAPHS_H_

#include "rheo/client.h"

namespace rheo::bench {

// Settings under which the graphs run as they are written: constants stay, and equal nodes.
service::SessionConfig AsWritten();

// `length` negations of a scalar, one after the other; the last.
Operation NegChain(const Scope& g, int64_t length);
// `width` negations of one scalar, and an operation that needs them all.
Operation NegFan(const Scope& g, int64_t width);
// About `num_nodes` nodes in layers of 100, each the larger of two of the layer before; in the
// first layer, of the placeholder and a constant of its own, so that no two nodes are equal.
struct Mesh {
  Output input;
  Output output;
};
Mesh MakeMesh(const Scope& g, int64_t num_nodes);

}  // namespace rheo::bench

#endif  // RHEO_BENCH_GRAPHS_H_
