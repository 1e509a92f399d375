#include "rheo/master/step_scope.h"

#include <chrono>

#include "rheo/base/log.h"

namespace rheo::master {
namespace {

constexpr std::chrono::seconds kCleanupTimeout(10);

struct Cleanup {
  service::CleanupGraphRequest request;
  service::CleanupGraphResponse response;
  service::Call call;
};

}  // namespace

StepScope::~StepScope() {
  for (const auto& worker : workers_) {
    if (worker == nullptr) continue;
    auto cleanup = std::make_shared<Cleanup>();
    cleanup->request.step = step_;
    cleanup->call.deadline = std::chrono::steady_clock::now() + kCleanupTimeout;
    const Cleanup& c = *cleanup;
    worker->CleanupGraph(c.request, &cleanup->response, c.call, [cleanup](const Status& status) {
      if (status.ok()) return;
      RHEO_LOG(Debug, "cleanup of step {}: {}", cleanup->request.step.value, Message(status));
    });
  }
}

}  // namespace rheo::master
