#include "rheo/collective/instance_table.h"

namespace rheo::collective {

using service::CompleteInstanceRequest;

namespace {

Status SecondSource(int32_t instance, int source, int claimant) {
  return Internal("Instance {} already has source {}, received second claim from {}", instance,
                  source, claimant);
}

}  // namespace

void InstanceTable::Declare(const Group& group, const CompleteInstanceRequest& request,
                            StopToken stop, Callback done) {
  const int rank = group.RankOf(request.device);
  if (rank < 0) {
    return done(InvalidArgument("Device {} is not in the group of instance {} (group_key={})",
                                request.device, request.instance_key, request.group_key));
  }
  std::shared_ptr<Outcome<int>> wait;
  std::shared_ptr<Outcome<int>> to_tell;
  StatusOr<int> answer = -1;
  {
    MutexLock lock(mutex_);
    answer = Admit(group, rank, request, wait, to_tell);
  }
  if (to_tell != nullptr) to_tell->Set(answer);
  if (wait == nullptr) return done(std::move(answer));
  const Key key(request.group_key, request.instance_key);
  wait->Wait(std::move(stop), [self = shared_from_this(), key, rank, outcome = wait.get(),
                               done = std::move(done)](StatusOr<int> source) mutable {
    if (!source.ok()) self->Leave(key, rank, outcome);
    done(std::move(source));
  });
}

StatusOr<int> InstanceTable::Admit(const Group& group, int rank,
                                   const CompleteInstanceRequest& request,
                                   std::shared_ptr<Outcome<int>>& wait,
                                   std::shared_ptr<Outcome<int>>& to_tell) {
  RHEO_RETURN_IF_ERROR(stopped_);
  Status status = declarations_.Add(group.size(), rank, request);
  const Key key(request.group_key, request.instance_key);
  if (request.type != kBroadcast) {
    if (status.ok()) return -1;
    if (const auto it = forming_.find(key); it != forming_.end()) {
      to_tell = it->second.outcome;
      forming_.erase(it);
    }
    return status;
  }
  if (const auto it = complete_.find(key); it != complete_.end()) {
    const int source = it->second.source;
    if (status.ok() && request.is_source == (rank == source)) return source;
    by_age_.erase(it->second.number);
    complete_.erase(it);
    RHEO_RETURN_IF_ERROR(status);
    if (request.is_source) return SecondSource(request.instance_key, source, rank);
  }
  const auto it = forming_.try_emplace(key).first;
  Forming& forming = it->second;
  if (status.ok() && request.is_source && forming.source >= 0 && forming.source != rank) {
    status = SecondSource(request.instance_key, forming.source, rank);
  }
  if (request.is_source) forming.source = rank;
  ++forming.num_waiting[rank];
  const bool is_full = static_cast<int>(forming.num_waiting.size()) == group.size();
  if (status.ok() && is_full && forming.source < 0) {
    status = Internal(
        "Instance {} found no source for broadcast. All {} members of group {} "
        "receive",
        request.instance_key, group.size(), request.group_key);
  }
  if (status.ok() && !is_full) {
    wait = forming.outcome;
    return -1;
  }
  to_tell = forming.outcome;
  const int source = forming.source;
  forming_.erase(it);
  RHEO_RETURN_IF_ERROR(status);
  complete_[key] = {source, ++last_number_};
  by_age_.emplace(last_number_, key);
  if (complete_.size() > kMaxComplete) {
    complete_.erase(by_age_.begin()->second);
    by_age_.erase(by_age_.begin());
  }
  return source;
}

void InstanceTable::Leave(const Key& key, int rank, const Outcome<int>* outcome) {
  std::shared_ptr<Outcome<int>> gone;  // goes without the lock
  MutexLock lock(mutex_);
  const auto it = forming_.find(key);
  if (it == forming_.end() || it->second.outcome.get() != outcome) return;
  const auto member = it->second.num_waiting.find(rank);
  if (member != it->second.num_waiting.end() && --member->second == 0) {
    it->second.num_waiting.erase(member);
    if (it->second.source == rank) it->second.source = -1;
  }
  if (it->second.num_waiting.empty()) {
    gone = it->second.outcome;
    forming_.erase(it);
  }
}

void InstanceTable::Forget(int32_t group_key) {
  MutexLock lock(mutex_);
  declarations_.Forget(group_key);
}

void InstanceTable::Stop(const Status& reason) {
  std::map<Key, Forming> forming;
  {
    MutexLock lock(mutex_);
    if (stopped_.ok()) stopped_ = reason;
    forming.swap(forming_);
  }
  for (auto& [key, instance] : forming) instance.outcome->Set(reason);
}

}  // namespace rheo::collective
