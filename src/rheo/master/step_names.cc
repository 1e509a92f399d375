#include "rheo/master/step_names.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"

namespace rheo::master {
namespace {

const std::string& NameOf(const std::string& name) { return name; }
const std::string& NameOf(const service::NamedTensor& tensor) { return tensor.name; }

std::string Canonical(std::string_view name) { return graph::ParseTensorName(name).ToString(); }

std::vector<std::string> SortedCanonical(const std::vector<std::string>& names) {
  std::vector<std::string> sorted;
  sorted.reserve(names.size());
  for (const std::string& name : names) sorted.push_back(Canonical(name));
  std::ranges::sort(sorted);
  return sorted;
}

void RemoveRepeats(std::vector<std::string>& sorted) {
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
}

template <typename List>
size_t HashList(size_t hash, const List& list) {
  for (const auto& item : list) hash = absl::HashOf(hash, NameOf(item));
  return absl::HashOf(hash, list.size());
}

template <typename Feeds>
size_t HashStep(const Feeds& feeds, const std::vector<std::string>& fetches,
                const std::vector<std::string>& targets) {
  return HashList(HashList(HashList(0, feeds), fetches), targets);
}

}  // namespace

StepNames NamesOf(const service::RunStepRequest& request) {
  StepNames names{.fetches = request.fetches, .targets = request.targets};
  for (const service::NamedTensor& feed : request.feeds) names.feeds.push_back(feed.name);
  return names;
}

StepSignature SignatureOf(const StepNames& names) {
  StepSignature signature;
  signature.names.feeds = SortedCanonical(names.feeds);
  signature.names.fetches = SortedCanonical(names.fetches);
  RemoveRepeats(signature.names.fetches);
  for (const std::string& target : names.targets) {
    const bool is_output = target.ends_with(":0");
    signature.names.targets.push_back(is_output ? target.substr(0, target.size() - 2) : target);
  }
  std::ranges::sort(signature.names.targets);
  RemoveRepeats(signature.names.targets);
  return signature;
}

int SlotOf(std::string_view name, const std::vector<std::string>& canonical) {
  const std::string wanted = Canonical(name);
  const auto it = std::ranges::lower_bound(canonical, wanted);
  if (it == canonical.end() || *it != wanted) return -1;
  return static_cast<int>(it - canonical.begin());
}

size_t StepNamesHash::operator()(const StepNames& names) const {
  return HashStep(names.feeds, names.fetches, names.targets);
}

size_t StepNamesHash::operator()(const service::RunStepRequest& request) const {
  return HashStep(request.feeds, request.fetches, request.targets);
}

bool StepNamesEqual::operator()(const StepNames& names,
                                const service::RunStepRequest& request) const {
  return names.fetches == request.fetches && names.targets == request.targets &&
         std::ranges::equal(names.feeds, request.feeds, {}, {}, &service::NamedTensor::name);
}

}  // namespace rheo::master
