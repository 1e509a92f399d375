// Whether two parts of device names contradict each other.
#ifndef RHEO_PLACER_DIFFER_H_
#define RHEO_PLACER_DIFFER_H_

#include <optional>

namespace rheo::placer {

// True when both are said, and not the same.
template <typename T>
bool Differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a != *b;
}

}  // namespace rheo::placer

#endif  // RHEO_PLACER_DIFFER_H_
