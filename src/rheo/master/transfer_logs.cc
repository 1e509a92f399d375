#include "rheo/master/transfer_logs.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "rheo/base/log.h"
#include "rheo/master/when_all.h"

namespace rheo::master {
namespace {

constexpr std::chrono::seconds kTimeout(5);

struct LoggingCalls {
  service::LoggingRequest request;
  std::vector<service::LoggingResponse> responses;
  service::Call call;
};

using LoggingDone = absl::AnyInvocable<void(LoggingCalls&)>;

void CallAll(const Workers& workers, service::LoggingRequest request, LoggingDone done) {
  auto calls = std::make_shared<LoggingCalls>();
  calls->request = std::move(request);
  calls->responses.resize(workers.size());
  calls->call.deadline = std::chrono::steady_clock::now() + kTimeout;
  WhenAll(
      workers.size(),
      [&](size_t i, DoneCallback answered) {
        workers[i]->Logging(calls->request, &calls->responses[i], calls->call, std::move(answered));
      },
      [calls, done = std::move(done)](const std::vector<Status>& statuses) mutable {
        for (size_t i = 0; i < statuses.size(); ++i) {
          if (statuses[i].ok()) continue;
          RHEO_LOG(Debug, "no transfer log: {}", Message(statuses[i]));
          calls->responses[i] = {};
        }
        done(*calls);
      });
}

trace::StepStats Merge(std::vector<service::LoggingResponse> responses) {
  trace::StepStats all;
  for (service::LoggingResponse& response : responses) {
    for (auto& [step, stats] : response.steps) {
      std::ranges::move(stats.devices, std::back_inserter(all.devices));
    }
  }
  return all;
}

}  // namespace

void StartTransferLogs(const Workers& workers, absl::AnyInvocable<void()> done) {
  CallAll(workers, {.enable_rpc_logging = true},
          [done = std::move(done)](LoggingCalls&) mutable { done(); });
}

void CollectTransferLogs(const Workers& workers, StepId step,
                         absl::AnyInvocable<void(trace::StepStats)> done) {
  // In two calls, as TensorFlow's masters do.
  auto fetch = [workers, step, done = std::move(done)](LoggingCalls&) mutable {
    CallAll(workers, {.fetch_steps = {step}},
            [done = std::move(done)](LoggingCalls& calls) mutable {
              done(Merge(std::move(calls.responses)));
            });
  };
  CallAll(workers, {.disable_rpc_logging = true}, std::move(fetch));
}

}  // namespace rheo::master
