// Steps inside this process, by a prepared callable on the caller's thread.

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "graphs.h"
#include "rheo/client.h"

namespace rheo::bench {
namespace {

// Runs what `build` made until the benchmark has seen enough.
void RunSteps(benchmark::State& state, const std::function<Operation(const Scope&)>& build) {
  const Scope g = Scope::NewRoot();
  const Operation target = build(g);
  const StatusOr<Session> session = Session::Create(g, {.target = "", .config = AsWritten()});
  if (!session.ok()) return state.SkipWithError(std::string(Message(session.status())).c_str());
  const StatusOr<Callable> step = session->Prepare({}, {}, {target});
  if (!step.ok()) return state.SkipWithError(std::string(Message(step.status())).c_str());
  std::vector<Tensor> nothing;
  for (auto _ : state) {
    const Status status = step->RunInto({}, nothing);
    if (!status.ok()) return state.SkipWithError(std::string(Message(status)).c_str());
  }
}

void NullStep(benchmark::State& state) {
  RunSteps(state, [](const Scope& g) { return ops::NoOp(g); });
}
BENCHMARK(NullStep);

void Chain(benchmark::State& state) {
  RunSteps(state, [&](const Scope& g) { return NegChain(g, state.range(0)); });
}
BENCHMARK(Chain)->Arg(1)->Arg(1001);

void Fan(benchmark::State& state) {
  RunSteps(state, [&](const Scope& g) { return NegFan(g, state.range(0)); });
}
BENCHMARK(Fan)->Arg(1)->Arg(1001);

}  // namespace
}  // namespace rheo::bench

BENCHMARK_MAIN();
