#include "rheo/base/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>

#include "rheo/base/stderr.h"

namespace rheo {
namespace {

// Relaxed: the threshold may take effect a little later on other threads.
std::atomic<LogLevel> threshold{LogLevel::kWarning};

}  // namespace

void SetLogLevel(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

bool LogEnabled(LogLevel level) { return level >= threshold.load(std::memory_order_relaxed); }

void LogLine(LogLevel level, const char* file, int line, fmt::string_view format,
             fmt::format_args args) {
  const auto now = std::chrono::system_clock::now();
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
      1'000'000;
  const char* base = std::strrchr(file, '/');
  fmt::memory_buffer out;
  fmt::format_to(fmt::appender(out), "{}{:%m%d %H:%M:%S}.{:06d} {}:{}] ",
                 "DIWE"[static_cast<int>(level)],
                 fmt::gmtime(std::chrono::system_clock::to_time_t(now)), micros,
                 base != nullptr ? base + 1 : file, line);
  fmt::vformat_to(fmt::appender(out), format, args);
  out.push_back('\n');
  WriteToStderr({out.data(), out.size()});
}

}  // namespace rheo
