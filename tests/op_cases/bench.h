// Times the kernels of cases, without graph or executor.
#ifndef RHEO_TESTS_OP_CASES_BENCH_H_
#define RHEO_TESTS_OP_CASES_BENCH_H_

#include <string_view>

#include "rheo/runtime/registries.h"

namespace rheo::ops {

// Prints "<ns per call> <elements of output 0> <case>" for the successful cases whose name holds
// `filter`: the best of several short runs, on a pool of as many threads as there are cores.
Status BenchCases(const runtime::Registries& registries, std::string_view filter);

}  // namespace rheo::ops

#endif  // RHEO_TESTS_OP_CASES_BENCH_H_
