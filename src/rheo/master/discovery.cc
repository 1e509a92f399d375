#include "rheo/master/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "rheo/base/log.h"
#include "rheo/device/device_name.h"
#include "rheo/master/discovery_cause.h"

namespace rheo::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kFirstRetry(50);
constexpr milliseconds kLongestRetry(1000);
constexpr seconds kLogEvery(10);

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

// Gives devices the name of the task that was contacted, whatever the task calls itself.
std::vector<device::DeviceInfo> RenameTo(std::string_view task,
                                         std::vector<device::DeviceInfo> devices) {
  for (device::DeviceInfo& device : devices) {
    const std::string_view within = device::DeviceWithinTask(device.name);
    if (!within.empty()) device.name = std::string(task).append(within);
  }
  return devices;
}

// One run of discovery. Every call and timer in flight holds a reference; the first outcome wins
// and stops the rest.
class Discovery : public std::enable_shared_from_this<Discovery> {
 public:
  using Done = absl::AnyInvocable<void(StatusOr<std::vector<Task>>)>;

  Discovery(TimerQueue& timers, DiscoveryRequest request, Done done)
      : timers_(timers),
        request_(std::move(request)),
        start_(Clock::now()),
        done_(std::move(done)) {}

  void Start() {
    StatusOr<std::vector<device::DeviceName>> filters = ParseFilters(request_.device_filters);
    if (!filters.ok()) return Finish(filters.status());
    AddOwnTask();
    for (const std::string& name : request_.directory->TaskNames()) {
      if (name != request_.own_task && Admits(*filters, name)) {
        probes_.push_back(std::make_unique<Probe>(name, request_.directory->Find(name)));
      }
    }
    {
      MutexLock lock(mutex_);
      remaining_ = probes_.size();
    }
    if (probes_.empty()) return FinishWithTasks();
    Watch();
    for (size_t i = 0; i < probes_.size(); ++i) Ask(i);
  }

 private:
  // What is known of one task. While its call is in flight the response belongs to the callee.
  struct Probe {
    Probe(std::string name, std::shared_ptr<service::WorkerService> worker) {
      task.name = std::move(name);
      task.worker = std::move(worker);
    }
    Task task;
    service::GetStatusRequest request;
    service::GetStatusResponse response;
    service::Call call;
    milliseconds retry = kFirstRetry;
    // Of the following, guarded by mutex_:
    bool answered = false;
    std::string cause;  // of the latest failed try; empty while none failed
  };

  void AddOwnTask() {
    own_.name = request_.own_task;
    own_.worker = request_.directory->Find(request_.own_task);
    own_.devices = RenameTo(own_.name, request_.local_devices);
    own_.kernels = request_.local_kernels;
    own_.is_rheo = true;
  }

  // The deadline's timer holds the reference that keeps discovery alive between two tries.
  void Watch() {
    MutexLock lock(mutex_);
    deadline_timer_ = timers_.Add(request_.deadline, [self = shared_from_this()] {
      self->Finish(DeadlineExceeded("{}", self->DescribeMissing()));
    });
    lock.Unlock();
    if (request_.stop.stop_possible()) {
      stop_.emplace(request_.stop, [weak = weak_from_this()] {
        if (auto self = weak.lock()) {
          self->Finish(Cancelled("the caller gave up while waiting: {}", self->DescribeMissing()));
        }
      });
    }
    ScheduleLog();
  }

  void ScheduleLog() {
    timers_.Add(Clock::now() + kLogEvery, [weak = weak_from_this()] {
      auto self = weak.lock();
      if (self == nullptr || self->IsFinished()) return;
      RHEO_LOG(Warning, "{}. Waiting up to {:.0f} s in all", self->DescribeMissing(),
               Seconds(self->request_.deadline - self->start_));
      self->ScheduleLog();
    });
  }

  void Ask(size_t i) {
    Probe& probe = *probes_[i];
    if (probe.task.worker == nullptr) {
      return Finish(Internal("no connection can be made to {}", probe.task.name));
    }
    probe.call.stop = stop_calls_.get_token();
    probe.call.deadline = request_.deadline;
    probe.request.known_kernels = request_.local_kernels_fingerprint;
    probe.response = {};
    probe.task.worker->GetStatus(
        probe.request, &probe.response, probe.call,
        [self = shared_from_this(), i](const Status& status) { self->OnAnswer(i, status); });
  }

  void OnAnswer(size_t i, const Status& status) {
    Probe& probe = *probes_[i];
    std::string cause = status.ok() ? Mistake(probe) : CauseOf(status);
    if (cause.empty()) return OnStatus(probe);
    if (!status.ok() && !MayPass(status) && !IsFinished()) {
      return Finish(Prefix(status, fmt::format("asking {} for its devices: ", Where(probe))));
    }
    {
      MutexLock lock(mutex_);
      probe.cause = std::move(cause);
      if (done_ == nullptr) return;
    }
    timers_.Add(Clock::now() + probe.retry, [weak = weak_from_this(), i] {
      auto self = weak.lock();
      if (self != nullptr && !self->IsFinished()) self->Ask(i);
    });
    probe.retry = std::min(probe.retry * 2, kLongestRetry);
  }

  std::string Mistake(const Probe& probe) const {
    if (request_.tasks_have_other_names) return "";
    return MistakeOf(probe.response, probe.task.name, *request_.directory, request_.own_task);
  }

  void OnStatus(Probe& probe) {
    probe.task.devices = RenameTo(probe.task.name, std::move(probe.response.devices));
    probe.task.is_rheo = probe.response.is_rheo;
    // Most peers are of the same build: one catalog serves all tasks of all sessions.
    if (probe.response.kernels_are_known) {
      probe.task.kernels = request_.local_kernels;
    } else if (probe.response.kernels != nullptr) {
      probe.task.kernels = std::move(probe.response.kernels);
    } else {
      probe.task.kernels = request_.tensorflow_kernels;
    }
    bool is_last = false;
    {
      MutexLock lock(mutex_);
      probe.answered = true;
      is_last = --remaining_ == 0;
    }
    if (is_last) FinishWithTasks();
  }

  void FinishWithTasks() {
    Done done = TakeDone();
    if (done == nullptr) return;
    std::vector<Task> tasks;
    tasks.push_back(std::move(own_));
    for (const auto& probe : probes_) tasks.push_back(std::move(probe->task));
    done(std::move(tasks));
  }

  void Finish(Status status) {
    if (Done done = TakeDone()) done(std::move(status));
  }

  Done TakeDone() {
    Done done;
    std::optional<TimerQueue::Id> timer;
    {
      MutexLock lock(mutex_);
      done = std::exchange(done_, nullptr);
      timer = std::exchange(deadline_timer_, std::nullopt);
    }
    if (timer) timers_.Cancel(*timer);
    if (done != nullptr) stop_calls_.request_stop();
    return done;
  }

  bool IsFinished() const {
    MutexLock lock(mutex_);
    return done_ == nullptr;
  }

  // "task /job:ps/replica:0/task:0 at 10.0.0.5:7000"
  std::string Where(const Probe& probe) const {
    const std::string address = request_.directory->Address(probe.task.name);
    return address.empty() ? probe.task.name : fmt::format("{} at {}", probe.task.name, address);
  }

  std::string DescribeMissing() const {
    MutexLock lock(mutex_);
    std::string text;
    size_t ready = 1;
    for (const auto& probe : probes_) {
      if (probe->answered) {
        ++ready;
        continue;
      }
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", Where(*probe),
                          probe->cause.empty() ? "no answer so far" : probe->cause);
    }
    return fmt::format(
        "{} of {} tasks are ready after {:.1f} s; no answer from {}. Set device_filters to leave "
        "out tasks that this session does not need",
        ready, probes_.size() + 1, Seconds(Clock::now() - start_), text);
  }

  TimerQueue& timers_;
  const DiscoveryRequest request_;
  const Clock::time_point start_;
  StopSource stop_calls_;
  std::optional<StopCallback> stop_;            // set by Start() only
  std::vector<std::unique_ptr<Probe>> probes_;  // set by Start() only
  Task own_;
  mutable Mutex mutex_;
  std::optional<TimerQueue::Id> deadline_timer_ RHEO_GUARDED_BY(mutex_);
  size_t remaining_ RHEO_GUARDED_BY(mutex_) = 0;
  Done done_ RHEO_GUARDED_BY(mutex_);  // null once finished
};

}  // namespace

StatusOr<std::vector<device::DeviceName>> ParseFilters(const std::vector<std::string>& filters) {
  std::vector<device::DeviceName> parsed;
  for (const std::string& filter : filters) {
    StatusOr<device::DeviceName> name = device::DeviceName::Parse(filter);
    if (!name.ok()) return Prefix(name.status(), "device_filters: ");
    parsed.push_back(*std::move(name));
  }
  return parsed;
}

bool Admits(const std::vector<device::DeviceName>& filters, std::string_view task) {
  if (filters.empty()) return true;
  const StatusOr<device::DeviceName> name = device::DeviceName::Parse(task);
  return name.ok() && std::ranges::any_of(filters, [&](const device::DeviceName& filter) {
           return filter.IsCompatibleWith(*name);
         });
}

void DiscoverTasks(TimerQueue& timers, DiscoveryRequest request,
                   absl::AnyInvocable<void(StatusOr<std::vector<Task>>)> done) {
  std::make_shared<Discovery>(timers, std::move(request), std::move(done))->Start();
}

}  // namespace rheo::master
