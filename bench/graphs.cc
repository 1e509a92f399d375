#include "graphs.h"

#include <utility>
#include <vector>

namespace rheo::bench {

service::SessionConfig AsWritten() {
  service::SessionConfig config;
  config.constant_folding = false;
  config.common_subexpressions = false;
  return config;
}

Operation NegChain(const Scope& g, int64_t length) {
  Output value = builder::ScalarConst(g, 1.0f);
  for (int64_t i = 0; i < length; ++i) value = ops::Neg(g, value);
  return value.op();
}

Operation NegFan(const Scope& g, int64_t width) {
  const Output source = builder::ScalarConst(g, 1.0f);
  std::vector<Operation> all = {source.op()};
  for (int64_t i = 0; i < width; ++i) all.push_back(ops::Neg(g, source).op());
  return ops::NoOp(g.WithControlInputs(all));
}

Mesh MakeMesh(const Scope& g, int64_t num_nodes) {
  constexpr size_t kWidth = 100;
  const Output input = ops::Placeholder(g, DType::kFloat, {.shape = {}});
  std::vector<Output> layer;
  for (size_t i = 0; i < kWidth; ++i) {
    layer.push_back(ops::Maximum(g, input, static_cast<float>(i)));
  }
  for (int64_t made = 2 * kWidth; made < num_nodes; made += kWidth) {
    std::vector<Output> next;
    for (size_t i = 0; i < kWidth; ++i) {
      next.push_back(ops::Maximum(g, layer[i], layer[(i + 1) % kWidth]));
    }
    layer = std::move(next);
  }
  return {input, ops::AddN(g, layer)};
}

}  // namespace rheo::bench
