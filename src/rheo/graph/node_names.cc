#include "rheo/graph/node_names.h"

#include <algorithm>
#include <charconv>

#include "rheo/graph/graph.h"

namespace rheo::graph {
namespace {

constexpr bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr bool IsInnerChar(char c) {
  return IsLetterOrDigit(c) || c == '_' || c == '>' || c == '.' || c == '/' || c == '-' ||
         c == '\\';
}

std::optional<int> ParseIndex(std::string_view digits) {
  if (digits.empty() || (digits.front() == '0' && digits.size() > 1)) return std::nullopt;
  if (digits.front() < '0' || digits.front() > '9') return std::nullopt;
  int index = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, index);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return index;
}

}  // namespace

bool IsLegalNodeName(std::string_view name, bool allow_internal) {
  if (name.empty()) return false;
  const char first = name.front();
  const bool good_start =
      IsLetterOrDigit(first) || first == '.' || (allow_internal && first == '_');
  return good_start && std::all_of(name.begin() + 1, name.end(), IsInnerChar);
}

std::optional<InputRef> ParseInputRef(std::string_view text) {
  InputRef ref{.node = text, .index = 0};
  if (text.starts_with('^')) {
    ref = {.node = text.substr(1), .index = kControlSlot};
  } else if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::optional<int> index = ParseIndex(text.substr(colon + 1));
    if (!index) return std::nullopt;
    ref = {.node = text.substr(0, colon), .index = *index};
  }
  if (!IsLegalNodeName(ref.node, /*allow_internal=*/true)) return std::nullopt;
  return ref;
}

}  // namespace rheo::graph
