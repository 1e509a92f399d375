#include "rheo/trace/step_stats.h"

#include <chrono>

namespace rheo::trace {

int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace rheo::trace
