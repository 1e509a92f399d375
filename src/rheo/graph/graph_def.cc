#include "rheo/graph/graph_def.h"

#include <fmt/format.h>

#include <charconv>

#include "rheo/graph/graph.h"

namespace rheo::graph {

std::string TensorName::ToString() const {
  if (index == kControlSlot) return '^' + node;
  return fmt::format("{}:{}", node, index);
}

TensorName ParseTensorName(std::string_view text) {
  if (text.starts_with('^')) {
    return {.node = std::string(text.substr(1)), .index = kControlSlot};
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {.node = std::string(text), .index = 0};
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  int index = 0;
  const auto result = std::from_chars(begin, end, index);
  if (result.ec != std::errc() || result.ptr != end || index < 0) {
    return {.node = std::string(text), .index = 0};
  }
  return {.node = std::string(text.substr(0, colon)), .index = index};
}

}  // namespace rheo::graph
