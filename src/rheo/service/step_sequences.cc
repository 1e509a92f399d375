#include "rheo/service/step_sequences.h"

#include <utility>

namespace rheo::service {
namespace {

StepId After(StepId step) {
  return StepId(static_cast<int64_t>(static_cast<uint64_t>(step.value) + 1));
}

}  // namespace

StepSequences::Sequence& StepSequences::Find(int64_t graph_key) {
  const auto [it, is_new] = sequences_.try_emplace(graph_key);
  if (!is_new) return it->second;
  it->second.next = NewStepId();
  it->second.number = ++last_number_;
  by_age_.emplace(last_number_, graph_key);
  for (auto old = by_age_.begin(); sequences_.size() > kMaxSequences && old->second != graph_key;) {
    const auto sequence = sequences_.find(old->second);
    if (!sequence->second.running.empty()) {
      ++old;
      continue;
    }
    sequences_.erase(sequence);
    old = by_age_.erase(old);
  }
  return it->second;
}

StepId StepSequences::Take(int64_t graph_key) {
  MutexLock lock(mutex_);
  Sequence& sequence = Find(graph_key);
  const StepId step = std::exchange(sequence.next, After(sequence.next));
  sequence.running.insert(step.value);
  return step;
}

void StepSequences::Return(int64_t graph_key, StepId step, bool ok) {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  if (it == sequences_.end()) return;
  it->second.running.erase(step.value);
  if (ok) return;
  it->second.is_certain = false;
  it->second.last_failed = step;
}

StepId StepSequences::Next(int64_t graph_key) {
  MutexLock lock(mutex_);
  const Sequence& sequence = Find(graph_key);
  return sequence.running.empty() ? sequence.next : StepId(*sequence.running.begin());
}

bool StepSequences::NeedsLeader(int64_t graph_key) const {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  return it == sequences_.end() || !it->second.is_certain;
}

void StepSequences::SetNext(int64_t graph_key, StepId next) {
  MutexLock lock(mutex_);
  Sequence& sequence = Find(graph_key);
  sequence.is_certain = true;
  if (sequence.running.empty()) sequence.next = next;
}

bool StepSequences::HasFailed(int64_t graph_key, StepId next) const {
  MutexLock lock(mutex_);
  const auto it = sequences_.find(graph_key);
  return it != sequences_.end() && it->second.last_failed == next;
}

}  // namespace rheo::service
