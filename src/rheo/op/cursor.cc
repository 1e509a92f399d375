#include "rheo/op/cursor.h"

namespace rheo::op {
namespace {

// The byte that the escape at the start of `text` (behind the backslash) stands for; -1 when it is
// malformed. `length` is what it takes.
int Unescape(std::string_view text, size_t& length) {
  length = 1;
  if (text.empty()) return -1;
  switch (text[0]) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
      return text[0];
    case 'u':
      break;
    default:
      return -1;
  }
  length = 5;
  if (text.size() < length) return -1;
  unsigned code = 0;
  const char* end = text.data() + length;
  const auto result = std::from_chars(text.data() + 1, end, code, 16);
  return result.ptr == end && code < 256 ? static_cast<int>(code) : -1;
}

}  // namespace

bool Cursor::TakeQuoted(std::string& value) {
  if (Peek() != '"') return false;
  std::string result;
  size_t i = position_ + 1;
  while (i < text_.size() && text_[i] != '"') {
    if (text_[i] != '\\') {
      result += text_[i++];
      continue;
    }
    size_t length = 0;
    const int byte = Unescape(text_.substr(i + 1), length);
    if (byte < 0) return false;
    result += static_cast<char>(byte);
    i += 1 + length;
  }
  if (i >= text_.size()) return false;
  position_ = i + 1;
  value = std::move(result);
  return true;
}

}  // namespace rheo::op
