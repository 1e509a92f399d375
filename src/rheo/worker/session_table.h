// SessionTable: the worker sessions of a task (wire.md 16), and the legacy session.
#ifndef RHEO_WORKER_SESSION_TABLE_H_
#define RHEO_WORKER_SESSION_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "rheo/base/mutex.h"
#include "rheo/base/string_map.h"
#include "rheo/service/worker_service.h"
#include "rheo/worker/master_watch.h"
#include "rheo/worker/worker_session.h"

namespace rheo::worker {

// Thread-safe.
class SessionTable {
 public:
  // `env` outlives the table.
  explicit SessionTable(const WorkerEnv& env);
  ~SessionTable();

  // Adds the session; an existing handle is kept as it is. Drops the sessions of an earlier life of
  // the same master and returns their handles.
  // RESOURCE_EXHAUSTED beyond the limit of sessions.
  StatusOr<std::vector<std::string>> Create(const service::CreateWorkerSessionRequest& request);
  // An unknown handle is fine.
  void Delete(const std::string& handle);
  // ABORTED with the restarted mark when the handle is unknown. `created` false: the legacy
  // session.
  StatusOr<std::shared_ptr<WorkerSession>> Find(const std::string& handle, bool created) const;
  // The error of Find for a session that is not there.
  Status NotFound(const std::string& handle) const;
  // All sessions, and all state of the devices.
  void DeleteAll();
  // Whose sessions there are, this task's own included.
  std::vector<KnownMaster> Masters() const;
  // Deletes the sessions of a life of a master and returns their handles.
  std::vector<std::string> DeleteOf(const std::string& master_task, int64_t incarnation);
  // Without the steps.
  WorkerCounts counts() const;

  // Of the whole task: of every device, the state that sessions share.
  void ClearContainers(const std::vector<std::string>& containers);

 private:
  using Sessions = std::vector<std::shared_ptr<WorkerSession>>;
  // Takes out the sessions of `master_task` that are, or with `others` are not, of `incarnation`.
  Sessions TakeOut(const std::string& master_task, int64_t incarnation, bool others)
      RHEO_REQUIRES(mutex_);
  Status Add(const std::string& handle, std::shared_ptr<WorkerSession> made) RHEO_REQUIRES(mutex_);
  StatusOr<std::shared_ptr<WorkerSession>> Make(const service::CreateWorkerSessionRequest& request);

  const WorkerEnv& env_;
  // One per device, in the order of the environment.
  std::vector<std::unique_ptr<kernel::ResourceManager>> resources_;
  std::shared_ptr<WorkerSession> legacy_;
  mutable Mutex mutex_;
  StringMap<std::shared_ptr<WorkerSession>> sessions_ RHEO_GUARDED_BY(mutex_);
  int num_created_ RHEO_GUARDED_BY(mutex_) = 0;
};

}  // namespace rheo::worker

#endif  // RHEO_WORKER_SESSION_TABLE_H_
