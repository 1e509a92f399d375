#include "rheo/master/step_cache.h"

#include <utility>

namespace rheo::master {
namespace {

// Many orders of the same names are rare; a caller that makes a new one each time must not fill the
// memory.
constexpr size_t kMaxRoutes = 10'000;

}  // namespace

std::shared_ptr<const StepRoute> MakeRoute(const StepNames& names,
                                           std::shared_ptr<const CompiledStep> step) {
  auto route = std::make_shared<StepRoute>();
  const StepNames& slots = step->signature.names;
  for (const std::string& feed : names.feeds) {
    route->feed_slots.push_back(SlotOf(feed, slots.feeds));
  }
  StringSet seen;
  for (const std::string& fetch : names.fetches) {
    if (seen.insert(fetch).second) {
      route->fetches.push_back({.name = fetch, .slot = SlotOf(fetch, slots.fetches)});
    }
  }
  route->step = std::move(step);
  return route;
}

std::shared_ptr<const StepRoute> StepCache::FindRoute(
    const service::RunStepRequest& request) const {
  MutexLock lock(mutex_);
  const auto it = routes_.find(request);
  return it == routes_.end() ? nullptr : it->second;
}

std::shared_ptr<const StepRoute> StepCache::AddRoute(const StepNames& names,
                                                     std::shared_ptr<const CompiledStep> step) {
  std::shared_ptr<const StepRoute> route = MakeRoute(names, std::move(step));
  MutexLock lock(mutex_);
  if (routes_.size() < kMaxRoutes) routes_.try_emplace(names, route);
  return route;
}

void StepCache::Get(const StepSignature& signature, absl::AnyInvocable<void(Ready)> build,
                    Ready ready) {
  std::shared_ptr<const CompiledStep> step;
  {
    MutexLock lock(mutex_);
    const auto [it, is_new] = entries_.try_emplace(signature);
    step = it->second.step;
    if (step == nullptr) it->second.waiters.push_back(std::move(ready));
    if (step == nullptr && !is_new) return;
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): it moved only if there is no step.
  if (step != nullptr) return ready(std::move(step));
  build([this, signature](const CompiledResult& result) { OnBuilt(signature, result); });
}

void StepCache::OnBuilt(const StepSignature& signature, const CompiledResult& result) {
  std::vector<Ready> waiters;
  {
    MutexLock lock(mutex_);
    const auto it = entries_.find(signature);
    if (it == entries_.end()) return;
    waiters.swap(it->second.waiters);
    if (result.ok()) {
      it->second.step = *result;
    } else {
      entries_.erase(it);
    }
  }
  for (Ready& waiter : waiters) waiter(result);
}

void StepCache::Clear() {
  absl::flat_hash_map<StepSignature, Entry> entries;
  MutexLock lock(mutex_);
  entries.swap(entries_);
  routes_.clear();
}

}  // namespace rheo::master
