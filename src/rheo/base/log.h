// RHEO_LOG(Info, "step {} took {} ms", id, ms): one line on stderr with time, level, file and line.
//
// Levels: Debug, Info, Warning, Error. The threshold (default Warning in libraries, Info in the
// `rheo` command) is process wide and set by the program. Thread-safe; one write(2) per line.
#ifndef RHEO_BASE_LOG_H_
#define RHEO_BASE_LOG_H_

#include <fmt/core.h>

namespace rheo {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

void SetLogLevel(LogLevel level);
bool LogEnabled(LogLevel level);
void LogLine(LogLevel level, const char* file, int line, fmt::string_view format,
             fmt::format_args args);

template <typename... Args>
void LogFormatted(LogLevel level, const char* file, int line, fmt::format_string<Args...> format,
                  Args&&... args) {
  LogLine(level, file, line, format, fmt::make_format_args(args...));
}

}  // namespace rheo

#define RHEO_LOG(Level, ...)                                                             \
  do {                                                                                   \
    if (::rheo::LogEnabled(::rheo::LogLevel::k##Level)) {                                \
      ::rheo::LogFormatted(::rheo::LogLevel::k##Level, __FILE__, __LINE__, __VA_ARGS__); \
    }                                                                                    \
  } while (false)

#endif  // RHEO_BASE_LOG_H_
