// MasterWatch: tells which masters are gone for good, so that a worker need not keep their
// sessions.
//
// A master that dies leaves sessions behind, with their graphs and, where they are isolated, their
// variables. Its next life drops them (wire.md 16), if there is one and it makes a session here.
// For the others the watch asks the masters' own tasks by GetStatus, which every task answers, and
// TensorFlow's too. A master is gone when
//
//   its task answers with other incarnations        it was restarted
//   its task has not answered for `patience`,       it is down, or cut off
//   and nobody used its sessions meanwhile
//
// but only if it was seen there before: under its name this task's cluster specification may have
// another process, or one that cannot be reached from here. So sessions of a master that lives are
// kept however long they are idle.
#ifndef RHEO_WORKER_MASTER_WATCH_H_
#define RHEO_WORKER_MASTER_WATCH_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/service/cluster_spec.h"
#include "rheo/service/worker_service.h"

namespace rheo::worker {

// A master some of whose sessions a worker keeps.
struct KnownMaster {
  std::string task;
  int64_t incarnation = 0;                              // of its client device
  std::shared_ptr<const service::ClusterSpec> cluster;  // that it is in; null: the worker's own
  uint64_t uses = 0;  // grows or shrinks when the sessions are used, made or closed
};

struct LostMaster {
  std::string task;
  int64_t incarnation = 0;
  std::string why;  // "its task was restarted"
};

// Not thread-safe; the answers to its questions may come at any time, also after its end.
class MasterWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // The task's worker service as seen from here; null: there is no such task.
  using FindTask = std::function<std::shared_ptr<service::WorkerService>(
      const service::ClusterSpec* cluster, const std::string& task)>;

  MasterWatch(FindTask find, std::chrono::milliseconds patience);

  // To be called every so often with the masters of the moment: takes the answers that have come,
  // asks those masters that are to be asked, and returns those that are gone.
  std::vector<LostMaster> Look(Time now, const std::vector<KnownMaster>& masters);

 private:
  struct Question;
  struct Master {
    Time last_sign;  // of life
    Time last_asked;
    uint64_t uses = 0;
    bool was_seen = false;
    std::shared_ptr<Question> question;  // null: none is open
    std::string error;                   // of the last question
  };
  using Key = std::pair<std::string, int64_t>;

  void TakeAnswer(const Key& key, Master& master, Time now, bool& is_another);
  void Ask(const KnownMaster& known, Master& master, Time now);

  const FindTask find_;
  const std::chrono::milliseconds patience_;
  std::map<Key, Master> masters_;
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_MASTER_WATCH_H_
