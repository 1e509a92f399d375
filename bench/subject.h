// A subject: a process that takes measurements when bench/run asks for them, so that several
// subjects can take turns within one run.
//
// A request is a line on stdin, "NAME ARG…"; the answer is a line on stdout: a number, for most
// the seconds that one iteration took, or "error" and a text.
#ifndef RHEO_BENCH_SUBJECT_H_
#define RHEO_BENCH_SUBJECT_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rheo/base/status.h"

namespace rheo::bench {

using Arguments = std::vector<std::string>;
using Measurement = std::function<StatusOr<double>(const Arguments&)>;

// Answers requests until stdin ends; the exit code of the process.
int Serve(const std::map<std::string, Measurement>& measurements);

// A whole number ≥ 1 at position `i`. INVALID_ARGUMENT when there is none.
StatusOr<int64_t> CountAt(const Arguments& arguments, size_t i);
StatusOr<std::string> TextAt(const Arguments& arguments, size_t i);

// Runs `iteration` `count` times; the mean seconds, or the first error.
StatusOr<double> SecondsEach(int64_t count, const std::function<Status()>& iteration);

}  // namespace rheo::bench

#endif  // RHEO_BENCH_SUBJECT_H_
