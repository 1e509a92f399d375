#include "rheo/device/device_name.h"

#include <fmt/format.h>

#include <charconv>

namespace rheo::device {
namespace {

constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads a specification from left to right. A Take… that fails leaves the rest unchanged.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }

  bool Take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  // A letter followed by letters, digits and '_', or "*" for no name.
  bool TakeName(std::optional<std::string>& name) {
    name.reset();
    if (Take("*")) return true;
    size_t size = 0;
    while (size < rest_.size() && IsNameChar(rest_[size], size)) ++size;
    if (size == 0) return false;
    name = std::string(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return true;
  }

  // A number that fits int, or "*" for none.
  bool TakeNumber(std::optional<int>& number) {
    number.reset();
    if (Take("*")) return true;
    if (rest_.empty() || !IsDigit(rest_.front())) return false;
    int value = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (result.ec != std::errc()) return false;
    number = value;
    rest_.remove_prefix(static_cast<size_t>(result.ptr - rest_.data()));
    return true;
  }

 private:
  static bool IsNameChar(char c, size_t position) {
    return IsLetter(c) || (position > 0 && (IsDigit(c) || c == '_'));
  }

  std::string_view rest_;
};

// "CPU:0", "CPU:*", "CPU" or "*" behind "/device:".
bool TakeDevice(Reader& reader, DeviceName& name) {
  if (!reader.TakeName(name.type)) return false;
  name.id.reset();
  return !reader.Take(":") || reader.TakeNumber(name.id);
}

bool TakeLegacyDevice(Reader& reader, DeviceName& name, std::string_view type) {
  name.type = std::string(type);
  return reader.TakeNumber(name.id);
}

bool TakePart(Reader& reader, DeviceName& name) {
  if (reader.Take("/job:")) return reader.TakeName(name.job);
  if (reader.Take("/replica:")) return reader.TakeNumber(name.replica);
  if (reader.Take("/task:")) return reader.TakeNumber(name.task);
  if (reader.Take("/device:")) return TakeDevice(reader, name);
  if (reader.Take("/cpu:") || reader.Take("/CPU:")) return TakeLegacyDevice(reader, name, "CPU");
  if (reader.Take("/gpu:") || reader.Take("/GPU:")) return TakeLegacyDevice(reader, name, "GPU");
  return false;
}

bool TakeParts(Reader& reader, DeviceName& name) {
  while (!reader.AtEnd()) {
    if (!TakePart(reader, name)) return false;
  }
  return true;
}

// "CPU:0" and "cpu:0".
bool TakeLocalForm(Reader& reader, DeviceName& name) {
  if (!reader.TakeName(name.type) || !name.type || !reader.Take(":")) return false;
  if (*name.type == "cpu") name.type = "CPU";
  if (*name.type == "gpu") name.type = "GPU";
  return reader.TakeNumber(name.id) && reader.AtEnd();
}

template <typename T>
bool Fit(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}

template <typename T>
bool PartCovers(const std::optional<T>& wanted, const std::optional<T>& present) {
  return !wanted || wanted == present;
}

template <typename T>
void Complete(std::optional<T>& part, const std::optional<T>& fallback) {
  if (!part) part = fallback;
}

}  // namespace

StatusOr<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  if (text.empty() || text == "/") return name;
  Reader reader(text);
  const bool parsed = text.front() == '/' ? TakeParts(reader, name) : TakeLocalForm(reader, name);
  if (!parsed) return InvalidArgument("malformed device specification '{}'", text);
  return name;
}

std::string DeviceName::ToString() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += fmt::format("/replica:{}", *replica);
  if (task) text += fmt::format("/task:{}", *task);
  if (type || id) {
    text += "/device:" + type.value_or("*") + ':' + (id ? fmt::to_string(*id) : std::string("*"));
  }
  return text;
}

DeviceName DeviceName::TaskPart() const {
  DeviceName part;
  part.job = job;
  part.replica = replica;
  part.task = task;
  return part;
}

DeviceName DeviceName::LocalPart() const {
  DeviceName part;
  part.type = type;
  part.id = id;
  return part;
}

bool DeviceName::IsCompatibleWith(const DeviceName& other) const {
  return Fit(job, other.job) && Fit(replica, other.replica) && Fit(task, other.task) &&
         Fit(type, other.type) && Fit(id, other.id);
}

bool DeviceName::Covers(const DeviceName& full) const {
  return PartCovers(job, full.job) && PartCovers(replica, full.replica) &&
         PartCovers(task, full.task) && PartCovers(type, full.type) && PartCovers(id, full.id);
}

bool DeviceName::SameTask(const DeviceName& other) const {
  return has_task() && job == other.job && replica == other.replica && task == other.task;
}

DeviceName DeviceName::CompletedFrom(const DeviceName& other) const {
  DeviceName completed = *this;
  Complete(completed.job, other.job);
  Complete(completed.replica, other.replica);
  Complete(completed.task, other.task);
  Complete(completed.type, other.type);
  Complete(completed.id, other.id);
  return completed;
}

bool IsValidJobName(std::string_view job) {
  std::optional<std::string> name;
  Reader reader(job);
  return reader.TakeName(name) && name && reader.AtEnd();
}

std::string_view TaskOf(std::string_view device) {
  return device.substr(0, device.find("/device:"));
}

std::string_view DeviceWithinTask(std::string_view device) {
  return device.substr(TaskOf(device).size());
}

std::string TaskName(std::string_view job, int task) {
  return fmt::format("/job:{}/replica:0/task:{}", job, task);
}

}  // namespace rheo::device
