// Callable and PartialRun: steps of a session whose feeds and fetches were fixed beforehand.
#ifndef RHEO_SESSION_CALLABLE_H_
#define RHEO_SESSION_CALLABLE_H_

#include <chrono>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/service/master_service.h"
#include "rheo/session/run_options.h"
#include "rheo/tensor/tensor.h"

namespace rheo::session {

struct SessionCore;  // what the handles of one session share

// A prepared step, for hot loops: nothing is looked up by name, and nothing is allocated by the
// client in steady state. Thread-safe but for moving and destruction, which releases it at the
// master. May outlive its session, and then fails with FAILED_PRECONDITION.
class Callable {
 public:
  ~Callable();
  Callable(Callable&&) noexcept;
  Callable& operator=(Callable&&) noexcept;

  // Runs a step with `feeds` in the order of Prepare's. INVALID_ARGUMENT when their number differs.
  StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> feeds) const;
  StatusOr<std::vector<Tensor>> Run(std::initializer_list<Tensor> feeds = {}) const {
    return Run(std::span<const Tensor>(feeds.begin(), feeds.size()));
  }
  // As Run, into a vector whose memory is used again; it is unspecified after an error.
  Status RunInto(std::span<const Tensor> feeds, std::vector<Tensor>& fetches,
                 service::RunMetadata* metadata = nullptr) const;

 private:
  friend class Session;
  struct Slot;
  struct State;
  explicit Callable(std::unique_ptr<State> state);
  static Callable Make(std::shared_ptr<SessionCore> core, int64_t handle, size_t num_feeds,
                       size_t num_fetches, std::chrono::milliseconds timeout, StopToken stop);

  std::unique_ptr<State> state_;
};

// A step that goes on over several calls, each with some of the feeds and fetches it was set up
// with. It ends when all fetches were fetched and all targets ran, or by an error. One call at a
// time.
class PartialRun {
 public:
  StatusOr<std::vector<Tensor>> Run(std::vector<service::NamedTensor> feeds,
                                    const std::vector<std::string>& fetches) const;

 private:
  friend class Session;
  PartialRun(std::shared_ptr<SessionCore> core, std::string handle)
      : core_(std::move(core)), handle_(std::move(handle)) {}

  std::shared_ptr<SessionCore> core_;
  std::string handle_;
};

}  // namespace rheo::session

#endif  // RHEO_SESSION_CALLABLE_H_
