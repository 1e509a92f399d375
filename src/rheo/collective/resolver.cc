#include "rheo/collective/resolver.h"

#include <fmt/format.h>

#include <limits>
#include <tuple>
#include <vector>

namespace rheo::collective {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses

// One call to the leader; owned by its callback.
template <typename Request, typename Response>
struct LeaderCall {
  Request request;
  Response response;
  Call call;
};

StatusOr<GroupRef> GroupFrom(const CompleteGroupResponse& response, int32_t size) {
  auto group = std::make_shared<Group>();
  group->key = response.group_key;
  group->device_type = response.device_type;
  group->members = response.devices;
  group->communicator_key = response.communicator_key;
  group->all_are_rheo = response.all_are_rheo;
  if (group->size() == size) return GroupRef(group);
  return Internal("the leader told {} members of group {}, which has {}", group->size(),
                  response.group_key, size);
}

}  // namespace

Resolver::Resolver(const std::string& own_task, std::string leader, WorkerDirectory* workers)
    : leader_(leader == own_task ? "" : std::move(leader)), workers_(workers) {}

StatusOr<std::shared_ptr<WorkerService>> Resolver::Leader() const {
  std::shared_ptr<WorkerService> leader = workers_ == nullptr ? nullptr : workers_->Find(leader_);
  if (leader != nullptr) return leader;
  return InvalidArgument("the leader of collectives, {}, is not in the cluster", leader_);
}

template <typename Key, typename T>
std::pair<std::shared_ptr<Outcome<T>>, bool> Resolver::Entry(Answers<Key, T>& answers,
                                                             const Key& key) {
  if (answers.size() >= kMaxKept) {
    std::erase_if(answers, [](const auto& entry) { return entry.second->is_set(); });
  }
  auto& outcome = answers[key];
  if (outcome != nullptr) return {outcome, false};
  outcome = std::make_shared<Outcome<T>>();
  return {outcome, true};
}

// An error is told, but not kept.
template <typename Key, typename T>
void Resolver::Answer(Answers<Key, T> Resolver::*kept, const Key& key,
                      const std::shared_ptr<Outcome<T>>& outcome, const StatusOr<T>& answer) {
  if (!answer.ok()) {
    MutexLock lock(mutex_);
    Answers<Key, T>& answers = this->*kept;
    const auto it = answers.find(key);
    if (it != answers.end() && it->second == outcome) answers.erase(it);
  }
  outcome->Set(answer);
}

void Resolver::FindGroup(const CompleteGroupRequest& request, StopToken stop,
                         GroupTable::Callback done) {
  if (leader_.empty()) return groups_->Join(request, std::move(stop), std::move(done));
  std::pair<std::shared_ptr<Outcome<GroupRef>>, bool> entry;
  Status stopped;
  {
    MutexLock lock(mutex_);
    stopped = stopped_;
    if (stopped.ok()) {
      entry = Entry(group_answers_, GroupKey(request.group_key, request.device->name));
    }
  }
  if (!stopped.ok()) return done(std::move(stopped));
  if (entry.second) AskForGroup(request, entry.first);
  entry.first->Wait(std::move(stop), [size = request.group_size, device = request.device->name,
                                      done = std::move(done)](StatusOr<GroupRef> group) mutable {
    if (group.ok() && (*group)->size() != size) {
      group = Internal(
          "Device {} is joining a group with size{}, but that group has size {} "
          "(group_key={})",
          device, size, (*group)->size(), (*group)->key);
    }
    done(std::move(group));
  });
}

void Resolver::AskForGroup(const CompleteGroupRequest& request,
                           std::shared_ptr<Outcome<GroupRef>> outcome) {
  const GroupKey key(request.group_key, request.device->name);
  const auto leader = Leader();
  if (!leader.ok())
    return Answer<GroupKey, GroupRef>(&Resolver::group_answers_, key, outcome, leader.status());
  auto ask = std::make_shared<LeaderCall<CompleteGroupRequest, CompleteGroupResponse>>();
  ask->request = request;
  ask->call = {.stop = stop_.get_token(), .wait_for_ready = true};
  (*leader)->CompleteGroup(
      ask->request, &ask->response, ask->call,
      [self = shared_from_this(), key, outcome = std::move(outcome), ask](Status status) {
        StatusOr<GroupRef> group = GroupRef();
        if (status.ok()) {
          group = GroupFrom(ask->response, ask->request.group_size);
        } else {
          group = Prefix(status, fmt::format("joining group {} at {}: ", key.first, self->leader_));
        }
        self->Answer(&Resolver::group_answers_, key, outcome, group);
      });
}

void Resolver::FindSource(const GroupRef& group, const CompleteInstanceRequest& request,
                          StopToken stop, InstanceTable::Callback done) {
  if (leader_.empty())
    return instances_->Declare(*group, request, std::move(stop), std::move(done));
  std::pair<std::shared_ptr<Outcome<int>>, bool> entry;
  Status stopped;
  {
    MutexLock lock(mutex_);
    stopped = stopped_;
    if (stopped.ok()) {
      const InstanceKey key = InstanceKeyOf(request);
      ForgetOthers(key);
      entry = Entry(source_answers_, key);
    }
  }
  if (!stopped.ok()) return done(std::move(stopped));
  if (entry.second) AskForSource(request, entry.first);
  entry.first->Wait(std::move(stop), std::move(done));
}

void Resolver::AskForSource(const CompleteInstanceRequest& request,
                            std::shared_ptr<Outcome<int>> outcome) {
  const InstanceKey key = InstanceKeyOf(request);
  const auto leader = Leader();
  if (!leader.ok())
    return Answer<InstanceKey, int>(&Resolver::source_answers_, key, outcome, leader.status());
  auto ask = std::make_shared<LeaderCall<CompleteInstanceRequest, CompleteInstanceResponse>>();
  ask->request = request;
  ask->call = {.stop = stop_.get_token(), .wait_for_ready = true};
  (*leader)->CompleteInstance(
      ask->request, &ask->response, ask->call,
      [self = shared_from_this(), key, outcome = std::move(outcome), ask](Status status) {
        StatusOr<int> source = ask->response.source_rank;
        if (!status.ok()) {
          source =
              Prefix(status, fmt::format("declaring instance {} at {}: ", ask->request.instance_key,
                                         self->leader_));
        }
        self->Answer(&Resolver::source_answers_, key, outcome, source);
      });
}

Resolver::InstanceKey Resolver::InstanceKeyOf(const CompleteInstanceRequest& request) {
  return {.group = request.group_key,
          .instance = request.instance_key,
          .device = request.device,
          .type = request.type,
          .dtype = request.dtype};
}

// What the leader said of another kind or dtype is of no use to the other members either.
void Resolver::ForgetOthers(const InstanceKey& key) {
  const auto is_same_instance = [&key](const InstanceKey& other) {
    return std::tie(other.group, other.instance, other.device) ==
           std::tie(key.group, key.instance, key.device);
  };
  InstanceKey least = key;
  least.type = std::numeric_limits<int32_t>::min();
  for (auto it = source_answers_.lower_bound(least);
       it != source_answers_.end() && is_same_instance(it->first);) {
    const bool is_other = it->first != key && it->second->is_set();
    it = is_other ? source_answers_.erase(it) : std::next(it);
  }
}

void Resolver::Forget(int32_t group_key) {
  instances_->Forget(group_key);
  MutexLock lock(mutex_);
  std::erase_if(group_answers_, [group_key](const auto& entry) {
    return entry.first.first == group_key && entry.second->is_set();
  });
  std::erase_if(source_answers_, [group_key](const auto& entry) {
    return entry.first.group == group_key && entry.second->is_set();
  });
}

void Resolver::OnCompleteGroup(const CompleteGroupRequest& request, CompleteGroupResponse* response,
                               const Call& call, DoneCallback done) {
  groups_->Join(request, call.stop,
                [response, done = std::move(done)](StatusOr<GroupRef> group) mutable {
                  if (!group.ok()) return done(group.status());
                  response->group_key = (*group)->key;
                  response->group_size = (*group)->size();
                  response->device_type = (*group)->device_type;
                  response->num_tasks = static_cast<int>((*group)->MembersOfTasks().size());
                  response->communicator_key = (*group)->communicator_key;
                  response->devices = (*group)->members;
                  response->all_are_rheo = (*group)->all_are_rheo;
                  done(OkStatus());
                });
}

void Resolver::OnCompleteInstance(const CompleteInstanceRequest& request,
                                  CompleteInstanceResponse* response, const Call& call,
                                  DoneCallback done) {
  const GroupRef group = groups_->Find(request.group_key);
  if (group == nullptr) {
    return done(FailedPrecondition(
        "group {} not found. This normally means the server has restarted", request.group_key));
  }
  instances_->Declare(*group, request, call.stop,
                      [response, instance = request.instance_key,
                       done = std::move(done)](StatusOr<int> source) mutable {
                        if (!source.ok()) return done(source.status());
                        response->instance_key = instance;
                        response->source_rank = *source;
                        done(OkStatus());
                      });
}

void Resolver::Stop(const Status& reason) {
  Answers<GroupKey, GroupRef> groups;
  Answers<InstanceKey, int> sources;
  {
    MutexLock lock(mutex_);
    if (stopped_.ok()) stopped_ = reason;
    groups.swap(group_answers_);
    sources.swap(source_answers_);
  }
  stop_.request_stop();
  for (const auto& [key, outcome] : groups) outcome->Set(reason);
  for (const auto& [key, outcome] : sources) outcome->Set(reason);
  groups_->Stop(reason);
  instances_->Stop(reason);
}

}  // namespace rheo::collective
