#include "data.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <vector>

namespace rheo::digits {
namespace {

constexpr int64_t kPixels = 64;
constexpr float kWhite = 16;  // the largest pixel value

// Numbers separated by commas.
StatusOr<std::vector<int>> ParseLine(const std::string& line, int number) {
  std::vector<int> values;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at < end) {
    int value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next != end && *next != ',')) {
      return InvalidArgument("line {} of the digits is no list of numbers", number);
    }
    values.push_back(value);
    at = next + 1;
  }
  if (static_cast<int64_t>(values.size()) != kPixels + 1) {
    return InvalidArgument("line {} of the digits has {} numbers, not {}", number, values.size(),
                           kPixels + 1);
  }
  return values;
}

Examples Make(const std::vector<std::vector<int>>& rows) {
  const auto count = static_cast<int64_t>(rows.size());
  Examples examples{Tensor(DType::kFloat, Shape{count, kPixels}),
                    Tensor(DType::kInt32, Shape{count})};
  const auto images = examples.images.mutable_flat<float>();
  const auto labels = examples.labels.mutable_flat<int32_t>();
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::vector<int>& row = rows[i];
    for (size_t p = 0; p < kPixels; ++p) {
      images[i * kPixels + p] = static_cast<float>(row[p]) / kWhite;
    }
    labels[i] = row[kPixels];
  }
  return examples;
}

}  // namespace

Examples Examples::Batch(int64_t begin, int64_t count) const {
  Examples batch{Tensor(DType::kFloat, Shape{count, kPixels}), Tensor(DType::kInt32, Shape{count})};
  const auto images_out = batch.images.mutable_flat<float>();
  const auto labels_out = batch.labels.mutable_flat<int32_t>();
  const auto images_in = images.flat<float>();
  const auto labels_in = labels.flat<int32_t>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = (begin + i) % size();
    std::copy_n(images_in.begin() + from * kPixels, kPixels, images_out.begin() + i * kPixels);
    labels_out[static_cast<size_t>(i)] = labels_in[static_cast<size_t>(from)];
  }
  return batch;
}

StatusOr<Data> Load(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("cannot read the digits in '{}'", path);
  std::vector<std::vector<int>> train;
  std::vector<std::vector<int>> test;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    RHEO_ASSIGN_OR_RETURN(std::vector<int> row, ParseLine(line, number));
    // The file goes writer by writer; every fifth image for the test takes some of each.
    (number % 5 == 0 ? test : train).push_back(std::move(row));
  }
  if (test.empty()) return InvalidArgument("'{}' has fewer than five digits", path);
  return Data{Make(train), Make(test)};
}

}  // namespace rheo::digits
