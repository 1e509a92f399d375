#include "rheo/worker/step_table.h"

#include <utility>

namespace rheo::worker {
namespace {

// A master starts all parts of a step at once.
constexpr auto kStale = std::chrono::minutes(10);

}  // namespace

StepUse StepTable::FindOrCreate(StepId step) {
  {
    MutexLock lock(mutex_);
    if (!ended_.Contains(step)) return FindOrAdd(step);
  }
  return Ended(step);
}

StepUse StepTable::FindOrAdd(StepId step) {
  if (!early_.empty()) early_.erase(step);
  std::shared_ptr<StepState>& state = steps_[step];
  if (state == nullptr) state = std::make_shared<StepState>(step);
  return StepUse(state);
}

StepUse StepTable::Ended(StepId step) {
  auto ended = std::make_shared<StepState>(step);
  ended->Stop(Aborted("Step {} has ended", step.value));
  return StepUse(std::move(ended));
}

StepUse StepTable::FindForCollectives(StepId step) {
  MutexLock lock(mutex_);
  ended_.Erase(step);
  failed_.Erase(step);
  return FindOrAdd(step);
}

StepUse StepTable::FindForPiece(StepId step) {
  {
    MutexLock lock(mutex_);
    if (!failed_.Contains(step)) return FindOrAdd(step);
    // A step that has failed is kept until its clean-up, with the reason.
    if (const auto it = steps_.find(step); it != steps_.end()) return StepUse(it->second);
  }
  return Ended(step);
}

void StepTable::NoteEnded(StepId step, bool ok) {
  MutexLock lock(mutex_);
  (ok ? went_well_ : failed_).Insert(step);
  (ok ? failed_ : went_well_).Erase(step);
}

void StepTable::StopCollectives(StepId step, const Status& reason) {
  const std::shared_ptr<StepState> state = Find(step);
  if (state != nullptr) {
    state->buffers.Abort(reason);
  } else {
    NoteEnded(step, false);
  }
}

StatusOr<StepUse> StepTable::FindForPush(StepId step) {
  std::vector<std::shared_ptr<StepState>> stale;  // destroyed after the lock is released
  {
    MutexLock lock(mutex_);
    if (const auto it = steps_.find(step); it != steps_.end()) {
      return StepUse(it->second);
    }
    if (!ended_.Contains(step)) {
      if (early_.size() >= kMaxEarlySteps) stale = TakeOutStale();
      if (early_.size() >= kMaxEarlySteps) {
        return ResourceExhausted("values for {} steps are kept here that nobody runs",
                                 early_.size());
      }
      early_.emplace(step, std::chrono::steady_clock::now());
      return StepUse(steps_.emplace(step, std::make_shared<StepState>(step)).first->second);
    }
  }
  return FindOrCreate(step);
}

std::vector<std::shared_ptr<StepState>> StepTable::TakeOutStale() {
  const auto limit = std::chrono::steady_clock::now() - kStale;
  std::vector<StepId> stale;
  for (const auto& [step, since] : early_) {
    if (since < limit) stale.push_back(step);
  }
  std::vector<std::shared_ptr<StepState>> taken;
  taken.reserve(stale.size());
  for (const StepId step : stale) taken.push_back(TakeOut(step));
  return taken;
}

std::shared_ptr<StepState> StepTable::Find(StepId step) const {
  MutexLock lock(mutex_);
  const auto it = steps_.find(step);
  return it == steps_.end() ? nullptr : it->second;
}

std::shared_ptr<StepState> StepTable::Remove(StepId step, bool may_come_late) {
  MutexLock lock(mutex_);
  if (may_come_late && !went_well_.Contains(step)) ended_.Insert(step);
  return TakeOut(step);
}

std::shared_ptr<StepState> StepTable::TakeOut(StepId step) {
  early_.erase(step);
  const auto it = steps_.find(step);
  if (it == steps_.end()) return nullptr;
  std::shared_ptr<StepState> state = std::move(it->second);
  steps_.erase(it);
  return state;
}

void StepTable::RemoveIfIdle(StepUse use) {
  const std::shared_ptr<StepState> state = use.state();  // destroyed after the lock is released
  { const StepUse ended = std::move(use); }
  MutexLock lock(mutex_);
  const auto it = steps_.find(state->step);
  if (it == steps_.end() || it->second != state || state->uses != 0) return;
  {
    MutexLock step_lock(state->mutex);
    if (state->started) return;
  }
  early_.erase(state->step);
  steps_.erase(it);
}

void StepTable::RemoveEnded(const std::string& session) {
  std::vector<std::shared_ptr<StepState>> removed;  // destroyed after the lock is released
  {
    MutexLock lock(mutex_);
    for (auto it = steps_.begin(); it != steps_.end();) {
      bool ended = false;
      {
        MutexLock step_lock(it->second->mutex);
        ended = it->second->started && !it->second->running && it->second->session == session;
      }
      if (ended) {
        if (!went_well_.Contains(it->first)) ended_.Insert(it->first);
        removed.push_back(std::move(it->second));
        steps_.erase(it++);
      } else {
        ++it;
      }
    }
  }
}

std::vector<std::shared_ptr<StepState>> StepTable::All() const {
  std::vector<std::shared_ptr<StepState>> all;
  MutexLock lock(mutex_);
  for (const auto& [id, state] : steps_) all.push_back(state);
  return all;
}

}  // namespace rheo::worker
