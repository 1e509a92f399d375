#include "rheo/ops/array/summarize.h"

#include <cstdlib>
#include <limits>

#include "rheo/ops/common/kernel_factories.h"

namespace rheo::ops {
namespace {

// With few digits where they tell the value, with enough digits otherwise.
template <typename F>
std::string ShortText(F value) {
  constexpr int kFew = std::numeric_limits<F>::digits10;
  std::string text = fmt::format("{:.{}g}", value, kFew);
  if (static_cast<F>(std::strtod(text.c_str(), nullptr)) == value) return text;
  return fmt::format("{:.{}g}", value, std::numeric_limits<F>::max_digits10);
}

template <typename T>
std::string Text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, double>) {
    return ShortText(value);
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", static_cast<__int128>(value));
  } else {
    return ShortText(static_cast<float>(value));
  }
}

// Writes elements until `limit` of them are out.
template <typename T>
class Summarizer {
 public:
  Summarizer(const Tensor& tensor, int64_t limit)
      : shape_(tensor.shape()), values_(tensor.flat<T>()), limit_(limit) {}

  std::string Write() && {
    if (shape_.rank() == 0) {
      WriteElement();
    } else {
      WriteAxis(0);
    }
    if (static_cast<int64_t>(values_.size()) > limit_) text_ += "...";
    return std::move(text_);
  }

 private:
  bool IsFull() const { return next_ >= limit_; }
  void WriteElement() {
    if (!IsFull()) text_ += Text(values_[static_cast<size_t>(next_++)]);
  }
  void WriteAxis(int axis) {
    for (int64_t i = 0; i < shape_.dim(axis) && !IsFull(); ++i) {
      if (axis == shape_.rank() - 1) {
        if (i > 0) text_ += ' ';
        WriteElement();
        if (IsFull() && axis > 0 && i + 1 < shape_.dim(axis)) text_ += "...";
      } else {
        text_ += '[';
        WriteAxis(axis + 1);
        text_ += ']';
      }
    }
  }

  const Shape& shape_;
  const std::span<const T> values_;
  const int64_t limit_;
  int64_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string SummarizeValues(const Tensor& tensor, int64_t max_values) {
  using Types = TypeList<float, double, Half, Bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                         uint16_t, uint32_t, uint64_t, bool, std::string>;
  const int64_t limit = max_values < 0 ? tensor.num_elements() : max_values;
  std::string text = "?";
  internal::CallForDType(Types{}, tensor.dtype(),
                         [&]<typename T>() { text = Summarizer<T>(tensor, limit).Write(); });
  return text;
}

}  // namespace rheo::ops
