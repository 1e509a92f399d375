// Cursor: a position in a text that is read from left to right, for the parsers of the tables.
#ifndef RHEO_OP_CURSOR_H_
#define RHEO_OP_CURSOR_H_

#include <charconv>
#include <string>
#include <string_view>

namespace rheo::op {

// The text outlives the cursor. Every Take… that fails leaves the position where it was.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool AtEnd() const { return position_ == text_.size(); }
  std::string_view rest() const { return text_.substr(position_); }
  char Peek() const { return AtEnd() ? '\0' : text_[position_]; }

  bool Take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  // A run of letters, digits and '_'; empty when there is none.
  std::string_view TakeWord() {
    const size_t begin = position_;
    while (!AtEnd() && IsWordChar(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  // The text before `separator` (which is skipped), or all that is left.
  std::string_view TakeUntil(char separator) {
    const size_t begin = position_;
    const size_t end = std::min(text_.find(separator, begin), text_.size());
    position_ = std::min(end + 1, text_.size());
    return text_.substr(begin, end - begin);
  }

  template <typename Number>
  bool TakeNumber(Number& value) {
    const char* begin = text_.data() + position_;
    const auto result = std::from_chars(begin, text_.data() + text_.size(), value);
    if (result.ec != std::errc()) return false;
    position_ += static_cast<size_t>(result.ptr - begin);
    return true;
  }

  // A JSON string in quotes; `\u00xx` stands for the byte xx.
  bool TakeQuoted(std::string& value);

 private:
  static bool IsWordChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace rheo::op

#endif  // RHEO_OP_CURSOR_H_
