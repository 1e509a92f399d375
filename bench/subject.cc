#include "subject.h"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace rheo::bench {
namespace {

StatusOr<double> Answer(const std::map<std::string, Measurement>& measurements,
                        const std::string& line) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  Arguments arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  const auto found = measurements.find(name);
  if (found == measurements.end()) return NotFound("there is no measurement '{}'", name);
  return found->second(arguments);
}

}  // namespace

int Serve(const std::map<std::string, Measurement>& measurements) {
  for (std::string line; std::getline(std::cin, line);) {
    const StatusOr<double> seconds = Answer(measurements, line);
    if (seconds.ok()) {
      fmt::print("{:.9g}\n", *seconds);
    } else {
      fmt::print("error {}\n", Message(seconds.status()));
    }
    std::fflush(stdout);
  }
  return 0;
}

StatusOr<std::string> TextAt(const Arguments& arguments, size_t i) {
  if (i < arguments.size()) return arguments[i];
  return InvalidArgument("argument {} is missing", i + 1);
}

StatusOr<int64_t> CountAt(const Arguments& arguments, size_t i) {
  RHEO_ASSIGN_OR_RETURN(const std::string text, TextAt(arguments, i));
  int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && at == end && count >= 1) return count;
  return InvalidArgument("'{}' is no number ≥ 1", text);
}

StatusOr<double> SecondsEach(int64_t count, const std::function<Status()>& iteration) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count; ++i) RHEO_RETURN_IF_ERROR(iteration());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return seconds.count() / static_cast<double>(count);
}

}  // namespace rheo::bench
