#include "rheo/service/step_sequences.h"

#include <utility>

namespace rheo::service {
namespace {

StepId After(StepId step) {
  return StepId(static_cast<int64_t>(static_cast<uint64_t>(step.value) + 1));
}

}  // namespace

Status StepSequences::MakeRoom(ByUse& by_use, int64_t graph_key, Clock::time_point now) {
  if (by_use.size() < kMaxSequences) return OkStatus();
  for (const auto& [number, old_key] : by_use) {
    const auto old = sequences_.find(old_key);
    if (now - old->second.last_used < kYoung) break;
    if (!old->second.running.empty()) continue;
    sequences_.erase(old);
    by_use.erase(number);
    return OkStatus();
  }
  return ResourceExhausted(
      "graph key {} is not known, and the ids of steps of {} others are counted, all of which were "
      "used in the last {} minutes or run",
      graph_key, by_use.size(), kYoung.count());
}

StatusOr<StepSequences::Sequence*> StepSequences::Use(int64_t graph_key, bool runs_here) {
  const Clock::time_point now = now_();
  auto it = sequences_.find(graph_key);
  const bool is_known = it != sequences_.end();
  runs_here = runs_here || (is_known && it->second.runs_here);
  ByUse& by_use = runs_here ? run_here_ : asked_for_;
  if (!is_known || it->second.runs_here != runs_here) {
    RHEO_RETURN_IF_ERROR(MakeRoom(by_use, graph_key, now));
  }
  if (!is_known) {
    it = sequences_.try_emplace(graph_key).first;
    it->second.next = NewStepId();
  }
  NoteUse(graph_key, it->second, runs_here, now);
  return &it->second;
}

void StepSequences::NoteUse(int64_t graph_key, Sequence& sequence, bool runs_here,
                            Clock::time_point now) {
  (sequence.runs_here ? run_here_ : asked_for_).erase(sequence.number);
  sequence.runs_here = runs_here;
  sequence.last_used = now;
  sequence.number = ++last_number_;
  (runs_here ? run_here_ : asked_for_).emplace(last_number_, graph_key);
}

StatusOr<StepId> StepSequences::Take(int64_t graph_key) {
  MutexLock lock(mutex_);
  RHEO_ASSIGN_OR_RETURN(Sequence* const sequence, Use(graph_key, true));
  const StepId step = std::exchange(sequence->next, After(sequence->next));
  sequence->running.insert(step.value);
  return step;
}

void StepSequences::Return(int64_t graph_key, StepId step, bool ok) {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  if (it == sequences_.end()) return;
  it->second.running.erase(step.value);
  NoteUse(graph_key, it->second, true, now_());
  if (ok) return;
  it->second.is_certain = false;
  it->second.last_failed = step;
}

void StepSequences::GiveUp(int64_t graph_key, StepId step) {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  if (it == sequences_.end()) return;
  Sequence& sequence = it->second;
  sequence.running.erase(step.value);
  if (sequence.next == step) sequence.next = After(step);
  sequence.is_certain = false;
}

StatusOr<StepId> StepSequences::Next(int64_t graph_key) {
  MutexLock lock(mutex_);
  RHEO_ASSIGN_OR_RETURN(const Sequence* const sequence, Use(graph_key, false));
  return sequence->running.empty() ? sequence->next : StepId(*sequence->running.begin());
}

bool StepSequences::NeedsLeader(int64_t graph_key) const {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  return it == sequences_.end() || !it->second.is_certain;
}

Status StepSequences::SetNext(int64_t graph_key, StepId next) {
  MutexLock lock(mutex_);
  RHEO_ASSIGN_OR_RETURN(Sequence* const sequence, Use(graph_key, true));
  sequence->is_certain = true;
  if (sequence->running.empty()) sequence->next = next;
  return OkStatus();
}

bool StepSequences::HasFailed(int64_t graph_key, StepId next) const {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  return it != sequences_.end() && it->second.last_failed == next;
}

}  // namespace rheo::service
