// Rendezvous keys: <src device>;<incarnation>;<dst device>;<edge>;<frame>:<iteration>.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "rheo/device/device_name.h"
#include "rheo/wire/codec.h"

namespace rheo::wire {
namespace {

using rendezvous::Channel;
using rendezvous::RendezvousKey;

template <typename Integer>
bool ParseWhole(std::string_view text, int base, Integer& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

// Takes `prefix` and then characters up to the next '/' (or the end) off the front of `text`.
bool TakePart(std::string_view prefix, std::string_view& text, std::string_view& value) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  value = text.substr(0, text.find('/'));
  text.remove_prefix(value.size());
  return !value.empty();
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The canonical full name, recognised without taking it apart into strings.
bool IsCanonicalName(std::string_view text) {
  std::string_view job, replica, task, device;
  if (!TakePart("/job:", text, job) || !TakePart("/replica:", text, replica) ||
      !TakePart("/task:", text, task) || !TakePart("/device:", text, device) || !text.empty()) {
    return false;
  }
  const size_t colon = device.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  for (const char c : device.substr(0, colon)) {
    if ((c < 'A' || c > 'Z') && c != '_') return false;
  }
  return device::IsValidJobName(job) && IsNumber(replica) && IsNumber(task) &&
         IsNumber(device.substr(colon + 1));
}

bool IsDeviceName(std::string_view text) {
  return IsCanonicalName(text) || (!text.empty() && device::DeviceName::Parse(text).ok());
}

// Exactly N parts between ';'.
template <size_t N>
bool Split(std::string_view text, std::array<std::string_view, N>& parts) {
  for (size_t i = 0; i + 1 < N; ++i) {
    const size_t at = text.find(';');
    if (at == std::string_view::npos) return false;
    parts[i] = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  parts[N - 1] = text;
  return text.find(';') == std::string_view::npos;
}

// "frame:iteration", or the frame alone.
bool ParseFrame(std::string_view text, uint64_t& frame, int64_t& iteration) {
  const size_t colon = text.find(':');
  if (!ParseWhole(text.substr(0, colon), 10, frame)) return false;
  return colon == std::string_view::npos || ParseWhole(text.substr(colon + 1), 10, iteration);
}

}  // namespace

std::string KeyToString(const RendezvousKey& key) {
  if (key == RendezvousKey()) return "";
  const Channel& c = key.channel();
  return fmt::format("{};{:016x};{};{};{}:{}", c.src_device, c.src_incarnation.value, c.dst_device,
                     c.edge, key.frame(), key.iteration());
}

StatusOr<RendezvousKey> ParseKey(std::string_view text) {
  std::array<std::string_view, 5> parts;
  uint64_t incarnation = 0;
  uint64_t frame = 0;
  int64_t iteration = 0;
  if (!Split(text, parts) || !ParseWhole(parts[1], 16, incarnation) || parts[3].empty() ||
      !ParseFrame(parts[4], frame, iteration) || !IsDeviceName(parts[0]) ||
      !IsDeviceName(parts[2])) {
    return InvalidArgument("Invalid  rendezvous key: {}", text);
  }
  return RendezvousKey(Channel{std::string(parts[0]), Incarnation(incarnation),
                               std::string(parts[2]), std::string(parts[3])},
                       frame, iteration);
}

}  // namespace rheo::wire
