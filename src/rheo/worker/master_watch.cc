#include "rheo/worker/master_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

namespace rheo::worker {
namespace {

constexpr std::chrono::seconds kAnswerWithin(5);
// A master that was seen is not asked more often.
constexpr std::chrono::milliseconds kAskEvery(30'000);

bool IsNoAnswer(const Status& status) {
  return status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kDeadlineExceeded;
}

}  // namespace

// Owned by the call and by the watch.
struct MasterWatch::Question {
  service::GetStatusRequest request;
  service::GetStatusResponse response;
  service::Call call;
  Status status;
  std::atomic<bool> is_answered{false};  // set last: what is above is complete then
};

MasterWatch::MasterWatch(FindTask find, std::chrono::milliseconds patience)
    : find_(std::move(find)), patience_(patience) {}

std::vector<LostMaster> MasterWatch::Look(Time now, const std::vector<KnownMaster>& masters) {
  std::map<Key, Master> before = std::exchange(masters_, {});
  std::vector<LostMaster> lost;
  for (const KnownMaster& known : masters) {
    const Key key(known.task, known.incarnation);
    const auto it = before.find(key);
    Master master =
        it == before.end() ? Master{.last_sign = now, .uses = known.uses} : std::move(it->second);
    if (std::exchange(master.uses, known.uses) != known.uses) master.last_sign = now;
    bool is_another = false;
    if (master.question != nullptr && master.question->is_answered.load()) {
      TakeAnswer(key, master, now, is_another);
    }
    if (is_another) {
      lost.push_back({known.task, known.incarnation, "its task was restarted"});
      continue;
    }
    if (master.was_seen && !master.error.empty() && now - master.last_sign >= patience_) {
      lost.push_back(
          {known.task, known.incarnation, fmt::format("it does not answer: {}", master.error)});
      continue;
    }
    Ask(known, master, now);
    masters_.emplace(key, std::move(master));
  }
  return lost;
}

void MasterWatch::TakeAnswer(const Key& key, Master& master, Time now, bool& is_another) {
  const std::shared_ptr<Question> question = std::exchange(master.question, nullptr);
  master.error.clear();
  if (IsNoAnswer(question->status)) {
    master.error = Message(question->status);
    return;
  }
  if (!question->status.ok()) {  // somebody is there
    master.last_sign = now;
    return;
  }
  const bool is_it =
      std::ranges::any_of(question->response.devices, [&](const device::DeviceInfo& device) {
        return std::bit_cast<int64_t>(device.incarnation.value) == key.second;
      });
  is_another = !is_it && master.was_seen;
  if (!is_it) return;
  master.was_seen = true;
  master.last_sign = now;
}

void MasterWatch::Ask(const KnownMaster& known, Master& master, Time now) {
  if (master.question != nullptr) return;
  const auto pause = std::min<std::chrono::milliseconds>(patience_ / 4, kAskEvery);
  if (master.was_seen && now - master.last_asked < pause) return;
  const std::shared_ptr<service::WorkerService> task = find_(known.cluster.get(), known.task);
  if (task == nullptr) return;
  master.last_asked = now;
  auto question = std::make_shared<Question>();
  master.question = question;
  question->call.deadline = std::chrono::steady_clock::now() + kAnswerWithin;
  // The task's stub lives until the answer has come.
  task->GetStatus(question->request, &question->response, question->call,
                  [question, task](Status status) {
                    question->status = std::move(status);
                    question->is_answered.store(true);
                  });
}

}  // namespace rheo::worker
