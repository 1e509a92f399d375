#include "rheo/base/stderr.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "rheo/base/mutex.h"

namespace rheo {
namespace {

using Clock = std::chrono::steady_clock;

// How long a reader may take for one message. One who was too slow once gets no more time until he
// reads again.
constexpr std::chrono::milliseconds kPatience(1000);

struct Outlet {
  Mutex mutex;
  int64_t num_dropped RHEO_GUARDED_BY(mutex) = 0;
  bool is_torn RHEO_GUARDED_BY(mutex) = false;  // the last line that was written has no end
};

bool WaitForRoom(Clock::time_point until) {
  pollfd fd{.fd = STDERR_FILENO, .events = POLLOUT};
  int ready = 0;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    ready = poll(&fd, 1, std::max(0, static_cast<int>(left.count())));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// How much of `text` was taken.
size_t Write(std::string_view text, std::chrono::milliseconds patience) {
  const Clock::time_point until = Clock::now() + patience;
  size_t done = 0;
  while (done < text.size() && WaitForRoom(until)) {
    // A pipe that has room for anything takes this much without making the writer wait.
    const size_t piece = std::min<size_t>(text.size() - done, PIPE_BUF);
    const ssize_t written = write(STDERR_FILENO, text.data() + done, piece);
    if (written < 0 && errno != EINTR) break;
    done += static_cast<size_t>(std::max<ssize_t>(written, 0));
  }
  return done;
}

}  // namespace

void WriteToStderr(std::string_view text) {
  static Outlet& outlet = *new Outlet;  // there for whatever speaks last
  MutexLock lock(outlet.mutex);
  if (outlet.num_dropped > 0) {
    const std::string notice = fmt::format("{}[{} messages were not written: nobody read them]\n",
                                           outlet.is_torn ? "\n" : "", outlet.num_dropped);
    if (Write(notice, std::chrono::milliseconds(0)) < notice.size()) {
      ++outlet.num_dropped;
      return;
    }
    outlet.num_dropped = 0;
  }
  const size_t written = Write(text, kPatience);
  outlet.is_torn = written > 0 && written < text.size();
  if (written < text.size()) ++outlet.num_dropped;
}

}  // namespace rheo
