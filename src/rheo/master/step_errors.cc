#include "rheo/master/step_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rheo::master {
namespace {

constexpr size_t kMaxText = 8192;
constexpr std::string_view kLine = "\n=====================\n";

// Lower is closer to the root.
int RankOf(StatusCode code) {
  switch (code) {
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
      return 1;
    case StatusCode::kAborted:
      return 2;
    case StatusCode::kCancelled:
      return 3;
    default:
      return 0;
  }
}

Status Located(const PartStatus& part) {
  return Prefix(part.status, fmt::format("From {}:\n", part.task));
}

// The text without what its own worker put after it: logs of the process, which nobody passes on.
std::string_view Core(const Status& status) {
  const std::string_view text = Message(status);
  return text.substr(0, text.find("\nRecent warning and error logs:"));
}

bool IsPassedOn(const PartStatus& part, const PartStatus& origin) {
  return part.status.code() == origin.status.code() &&
         Message(part.status).size() > Message(origin.status).size() &&
         Message(part.status).find(Core(origin.status)) != std::string_view::npos;
}

Status CutText(const Status& status) {
  const std::string_view text = Message(status);
  if (text.size() <= kMaxText) return status;
  Status cut(status.code(), std::string(text.substr(0, kMaxText)));
  status.ForEachPayload([&cut](auto key, const auto& value) { cut.SetPayload(key, value); });
  return cut;
}

Status Join(const std::vector<const PartStatus*>& roots) {
  std::string others;
  for (size_t i = 1; i < roots.size(); ++i) {
    others += fmt::format("{}{}: {}", kLine, CodeName(roots[i]->status.code()),
                          Message(Located(*roots[i])));
  }
  return CutText(Append(Located(*roots.front()), others));
}

}  // namespace

Status AggregateErrors(const std::vector<PartStatus>& parts) {
  std::vector<const PartStatus*> roots;
  const PartStatus* first_derived = nullptr;
  for (const PartStatus& part : parts) {
    if (part.status.ok()) continue;
    if (!IsDerived(part.status)) {
      roots.push_back(&part);
    } else if (first_derived == nullptr) {
      first_derived = &part;
    }
  }
  if (roots.empty())
    return first_derived == nullptr ? OkStatus() : CutText(Located(*first_derived));

  std::vector<const PartStatus*> origins;
  for (const PartStatus* part : roots) {
    const bool is_passed_on = std::ranges::any_of(roots, [part](const PartStatus* other) {
      return other != part && IsPassedOn(*part, *other);
    });
    if (!is_passed_on) origins.push_back(part);
  }
  std::ranges::stable_sort(origins, {},
                           [](const PartStatus* part) { return RankOf(part->status.code()); });
  return Join(origins);
}

}  // namespace rheo::master
