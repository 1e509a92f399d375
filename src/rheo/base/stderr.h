// What the process says on stderr, its log lines as well as the words of the `rheo` command.
#ifndef RHEO_BASE_STDERR_H_
#define RHEO_BASE_STDERR_H_

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace rheo {

// Writes `text` to stderr. Throws nothing and holds nobody up for more than a second, whoever
// reads: what a reader who has stopped does not take is dropped, and counted in a line of its own
// once he reads again; after a reader who has gone, all of it. Lines of up to 4096 bytes are not
// torn. Thread-safe.
void WriteToStderr(std::string_view text);

template <typename... Args>
void PrintToStderr(fmt::format_string<Args...> format, Args&&... args) {
  WriteToStderr(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace rheo

#endif  // RHEO_BASE_STDERR_H_
