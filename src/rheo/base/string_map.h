// Hash tables keyed by std::string that can be searched with std::string_view without a copy.
#ifndef RHEO_BASE_STRING_MAP_H_
#define RHEO_BASE_STRING_MAP_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace rheo {

struct StringViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <typename V>
using StringMap = absl::flat_hash_map<std::string, V, StringViewHash, std::equal_to<>>;
using StringSet = absl::flat_hash_set<std::string, StringViewHash, std::equal_to<>>;
// Keys that live elsewhere.
template <typename V>
using StringViewMap = absl::flat_hash_map<std::string_view, V, StringViewHash, std::equal_to<>>;

}  // namespace rheo

#endif  // RHEO_BASE_STRING_MAP_H_
