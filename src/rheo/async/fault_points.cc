#include "rheo/async/fault_points.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace rheo {
namespace {

bool ParseNumber(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

StatusCode CodeOf(std::string_view name) {
  for (int code = 1; code <= static_cast<int>(StatusCode::kUnauthenticated); ++code) {
    if (CodeName(static_cast<StatusCode>(code)) == name) return static_cast<StatusCode>(code);
  }
  return StatusCode::kOk;
}

}  // namespace

const std::vector<std::string_view>& FaultPoints::Names() {
  static const auto* const kNames = new std::vector<std::string_view>{
      "run_graph", "run_graph_answer", "recv_tensor", "recv_tensor_answer", "accept", "cancel"};
  return *kNames;
}

StatusOr<FaultPoints::Entry> FaultPoints::ParseEntry(std::string_view text) {
  const auto wrong = [text] {
    return InvalidArgument("fault point '{}' is not of the form POINT[@N]=delay:MS|fail:CODE|kill",
                           text);
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return wrong();
  std::string_view point = text.substr(0, equals);
  const std::string_view action = text.substr(equals + 1);
  Entry entry;
  if (const size_t at = point.find('@'); at != std::string_view::npos) {
    if (!ParseNumber(point.substr(at + 1), entry.only_time)) return wrong();
    point = point.substr(0, at);
  }
  if (std::ranges::find(Names(), point) == Names().end()) {
    return InvalidArgument("there is no fault point '{}'", point);
  }
  entry.point = point;
  int delay_ms = 0;
  if (action == "kill") {
    entry.kills = true;
  } else if (action.starts_with("delay:") && ParseNumber(action.substr(6), delay_ms)) {
    entry.delay = std::chrono::milliseconds(delay_ms);
  } else if (action.starts_with("fail:") && CodeOf(action.substr(5)) != StatusCode::kOk) {
    entry.error = Status(CodeOf(action.substr(5)), "made to fail at " + entry.point);
  } else {
    return wrong();
  }
  return entry;
}

StatusOr<std::unique_ptr<FaultPoints>> FaultPoints::Parse(std::string_view spec) {
  auto points = std::unique_ptr<FaultPoints>(new FaultPoints());
  while (!spec.empty()) {
    const size_t comma = std::min(spec.find(','), spec.size());
    RHEO_ASSIGN_OR_RETURN(Entry entry, ParseEntry(spec.substr(0, comma)));
    {
      MutexLock lock(points->mutex_);
      points->entries_.push_back(std::move(entry));
    }
    spec.remove_prefix(std::min(comma + 1, spec.size()));
  }
  return points;
}

void FaultPoints::Reach(std::string_view point, absl::AnyInvocable<void(Status)> go_on) {
  std::chrono::milliseconds delay{0};
  Status error;
  {
    MutexLock lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.point != point) continue;
      ++entry.times_reached;
      if (entry.only_time != 0 && entry.only_time != entry.times_reached) continue;
      if (entry.kills) raise(SIGKILL);
      delay += entry.delay;
      if (error.ok()) error = entry.error;
    }
  }
  if (delay.count() == 0) return go_on(std::move(error));
  timers_.Add(
      std::chrono::steady_clock::now() + delay,
      [go_on = std::move(go_on), error = std::move(error)]() mutable { go_on(std::move(error)); });
}

}  // namespace rheo
