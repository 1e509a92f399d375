#include "rheo/master/partial_run.h"

#include <algorithm>
#include <utility>

namespace rheo::master {

StatusOr<PartialRun::Stage> PartialRun::SlotsOf(const service::RunStepRequest& request) const {
  const StepNames& names = step_->signature.names;
  Stage stage;
  for (const service::NamedTensor& feed : request.feeds) {
    const int slot = SlotOf(feed.name, names.feeds);
    if (slot < 0) {
      return InvalidArgument("The feed {} was not specified in partial_run_setup.", feed.name);
    }
    if (is_fed_[static_cast<size_t>(slot)] ||
        std::ranges::find(stage.feed_slots, slot) != stage.feed_slots.end()) {
      return InvalidArgument("The feed {} has already been fed.", feed.name);
    }
    stage.feed_slots.push_back(slot);
  }
  for (const std::string& fetch : request.fetches) {
    const int slot = SlotOf(fetch, names.fetches);
    if (slot < 0) {
      return InvalidArgument("The fetch {} was not specified in partial_run_setup.", fetch);
    }
    if (is_fetched_[static_cast<size_t>(slot)]) {
      return InvalidArgument("The fetch {} has already been fetched.", fetch);
    }
    stage.fetch_slots.push_back(slot);
  }
  return stage;
}

Status PartialRun::CheckComputable(const Stage& stage) const {
  for (int fetch : stage.fetch_slots) {
    for (int feed : step_->feeds_of_fetch[static_cast<size_t>(fetch)]) {
      if (is_fed_[static_cast<size_t>(feed)] ||
          std::ranges::find(stage.feed_slots, feed) != stage.feed_slots.end()) {
        continue;
      }
      return InvalidArgument("Fetch {} can't be computed from the feeds that have been fed so far.",
                             step_->signature.names.feeds[static_cast<size_t>(feed)]);
    }
  }
  return OkStatus();
}

StatusOr<PartialRun::Stage> PartialRun::Admit(const service::RunStepRequest& request) {
  MutexLock lock(mutex_);
  RHEO_ASSIGN_OR_RETURN(Stage stage, SlotsOf(request));
  RHEO_RETURN_IF_ERROR(CheckComputable(stage));
  for (int slot : stage.feed_slots) is_fed_[static_cast<size_t>(slot)] = true;
  for (int slot : stage.fetch_slots) is_fetched_[static_cast<size_t>(slot)] = true;
  stage.is_last = std::ranges::find(is_fed_, false) == is_fed_.end() &&
                  std::ranges::find(is_fetched_, false) == is_fetched_.end();
  if (!scope_) {
    std::vector<std::shared_ptr<service::WorkerService>> workers;
    for (const StepPart& part : step_->parts) workers.push_back(part.worker);
    scope_.emplace(id_, std::move(workers), step_->cleanups);
  }
  return stage;
}

std::string PartialRunTable::Add(std::shared_ptr<PartialRun> run) {
  MutexLock lock(mutex_);
  std::string handle = std::to_string(next_++);
  runs_.emplace(handle, std::move(run));
  return handle;
}

StatusOr<std::shared_ptr<PartialRun>> PartialRunTable::Find(const std::string& handle) const {
  MutexLock lock(mutex_);
  const auto it = runs_.find(handle);
  if (it == runs_.end()) {
    return InvalidArgument("Must run PartialRunSetup before performing partial runs");
  }
  return it->second;
}

void PartialRunTable::Remove(const std::string& handle) {
  std::shared_ptr<PartialRun> removed;  // its scope calls workers: not under the lock
  MutexLock lock(mutex_);
  const auto it = runs_.find(handle);
  if (it == runs_.end()) return;
  removed = std::move(it->second);
  runs_.erase(it);
}

void PartialRunTable::Clear() {
  StringMap<std::shared_ptr<PartialRun>> removed;
  MutexLock lock(mutex_);
  removed.swap(runs_);
}

}  // namespace rheo::master
