// op_cases emit DIR        writes all cases with our answers, for tests/compat/op_cases.py
// op_cases check [TEXT]    runs the cases of ops whose name holds TEXT; compares their gradients
// with
//                          numeric ones
// op_cases coverage        prints docs/operations.md
// op_cases coverage FILE   compares FILE with it; exit code 1 and the lines that differ if it is
// old op_cases bench [TEXT]    times the cases whose name holds TEXT
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "all_cases.h"
#include "bench.h"
#include "coverage.h"
#include "emit.h"
#include "gradient_check.h"
#include "rheo/ops/common/kernel_test_util.h"

namespace {

using rheo::runtime::Registries;

int Usage() {
  fmt::print(stderr, "usage: op_cases emit DIR | check [TEXT] | coverage [FILE] | bench [TEXT]\n");
  return 2;
}

int Report(const rheo::Status& status) {
  if (status.ok()) return 0;
  fmt::print(stderr, "op_cases: {}\n", rheo::Message(status));
  return 1;
}

// All calls of one case: what went wrong, one a line.
std::string CheckCase(const rheo::ops::OpCase& op_case, const Registries& registries,
                      rheo::ops::KernelRunner& runner) {
  std::string failures = rheo::ops::CheckOpCases({op_case}, runner);
  const auto calls = rheo::ops::Expand(op_case, registries.ops);
  if (!calls.ok()) return failures;
  int num_gradients = 0;
  for (const rheo::ops::ConcreteCase& c : *calls) {
    if (!rheo::ops::HasCheckableGradient(c, registries)) continue;
    ++num_gradients;
    const rheo::Status status = rheo::ops::CheckGradient(c, registries, runner);
    if (!status.ok()) failures += fmt::format("{}: {}\n", c.name, rheo::Message(status));
  }
  fmt::print("{}: {} calls, {} gradients\n", op_case.op, calls->size(), num_gradients);
  return failures;
}

int Check(const Registries& registries, std::string_view text) {
  rheo::ops::KernelRunner runner(registries.ops, registries.kernels);
  std::string failures;
  int num_ops = 0;
  for (const rheo::ops::OpCase& op_case : rheo::ops::AllOpCases()) {
    if (op_case.op.find(text) == std::string::npos) continue;
    ++num_ops;
    failures += CheckCase(op_case, registries, runner);
  }
  if (num_ops == 0) failures = fmt::format("no op with a case has a name that holds '{}'\n", text);
  fmt::print("{}", failures);
  return failures.empty() ? 0 : 1;
}

int CompareCoverage(const Registries& registries, const std::string& path) {
  std::ifstream file(path);
  std::ostringstream old;
  old << file.rdbuf();
  const std::string differences =
      rheo::ops::LineDifferences(old.str(), rheo::ops::CoverageTable(registries));
  if (differences.empty()) return 0;
  fmt::print(
      "{}{} is not what the operations are now. To write it again:\n"
      "  build/dev/bin/op_cases coverage > docs/operations.md\n",
      differences, path);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  const Registries& registries = rheo::runtime::BuiltIn();
  if (command == "emit" && argc == 3) return Report(rheo::ops::EmitCases(registries, argv[2]));
  if (command == "check" && argc <= 3) return Check(registries, argc == 3 ? argv[2] : "");
  if (command == "coverage" && argc == 2) {
    fmt::print("{}", rheo::ops::CoverageTable(registries));
    return 0;
  }
  if (command == "coverage" && argc == 3) return CompareCoverage(registries, argv[2]);
  if (command == "bench" && argc <= 3) {
    return Report(rheo::ops::BenchCases(registries, argc == 3 ? argv[2] : ""));
  }
  return Usage();
}
