#include "bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "all_cases.h"
#include "rheo/ops/common/kernel_test_util.h"

namespace rheo::ops {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<kernel::Value> ValuesOf(const std::vector<Tensor>& inputs) {
  std::vector<kernel::Value> values;
  for (const Tensor& t : inputs) {
    values.push_back({.state = kernel::Value::State::kLive, .tensor = t, .ref = nullptr});
  }
  return values;
}

// Nanoseconds per call, the best of seven runs. The caller keeps a reference to the inputs, so no
// kernel can take over their buffers.
StatusOr<double> TimeCall(PreparedKernel& kernel, const std::vector<Tensor>& inputs) {
  constexpr int kRuns = 7;
  constexpr auto kLength = std::chrono::milliseconds(3);
  double best = 1e18;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<kernel::Value> values = ValuesOf(inputs);
    std::vector<kernel::Value> outputs(kernel.types().outputs.size());
    int64_t calls = 0;
    const Clock::time_point start = Clock::now();
    Clock::time_point now = start;
    for (; now - start < kLength; now = Clock::now()) {
      for (int i = 0; i < 16; ++i, ++calls) {
        RHEO_RETURN_IF_ERROR(kernel.RunUnchecked(values, outputs));
        const bool handed_on =
            std::ranges::any_of(values, [](const kernel::Value& v) { return !v.tensor.buffer(); });
        if (handed_on) values = ValuesOf(inputs);
      }
    }
    const std::chrono::duration<double, std::nano> spent = now - start;
    best = std::min(best, spent.count() / static_cast<double>(calls));
  }
  return best;
}

}  // namespace

Status BenchCases(const runtime::Registries& registries, std::string_view filter) {
  ThreadPool pool({.name = "ops"});
  KernelRunner runner(registries.ops, registries.kernels, &pool);
  for (const OpCase& op_case : AllOpCases()) {
    RHEO_ASSIGN_OR_RETURN(const std::vector<ConcreteCase> cases, Expand(op_case, registries.ops));
    for (const ConcreteCase& c : cases) {
      if (c.error.has_value() || HasVariables(c) || c.name.find(filter) == std::string::npos)
        continue;
      RHEO_ASSIGN_OR_RETURN(const auto kernel, runner.Prepare(c.op, c.attrs, c.inputs));
      RHEO_ASSIGN_OR_RETURN(const double ns, TimeCall(*kernel, c.inputs));
      const StatusOr<std::vector<Tensor>> outputs = kernel->Run(c.inputs);
      const int64_t n = outputs.ok() && !outputs->empty() ? (*outputs)[0].num_elements() : 0;
      fmt::print("{:12.1f} {:9} {}\n", ns, n, c.name);
    }
  }
  return OkStatus();
}

}  // namespace rheo::ops
