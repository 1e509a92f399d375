// A client that adds fed values to a variable from four threads, for a while.
//
//   cluster_feeder TARGET SECONDS VALUES
//
// With 0 seconds it initializes the variable, which it does not do otherwise.
// Ends with code 0 when no step failed; prints the number of steps and the longest time that a
// thread went without one, in milliseconds.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "rheo/client.h"

namespace rheo {
namespace {

using Clock = std::chrono::steady_clock;

struct Progress {
  int steps = 0;
  int64_t longest_ms = 0;
  Status status;
};

Progress Feed(const Session& session, const RunArgs& args, Clock::time_point end) {
  Progress progress;
  Clock::time_point last = Clock::now();
  while (last < end && progress.status.ok()) {
    progress.status = session.Run(args).status();
    const Clock::time_point now = Clock::now();
    const auto gap = std::chrono::duration_cast<std::chrono::milliseconds>(now - last).count();
    progress.longest_ms = std::max<int64_t>(progress.longest_ms, gap);
    ++progress.steps;
    last = now;
  }
  return progress;
}

int Run(const char* target, int seconds, int64_t num_values) {
  Scope g = Scope::NewRoot();
  const Tensor value =
      Tensor::Vector<float>(std::vector<float>(static_cast<size_t>(num_values), 1.0f));
  const Variable sum(g.WithName("sum"), ops::Zeros(g, {num_values}, DType::kFloat));
  const Output fed = ops::Placeholder(g.WithName("fed"), DType::kFloat, {.shape = {num_values}});
  const Operation add = sum.AssignAdd(g, fed);
  const Operation init = InitializeVariables(g);
  const StatusOr<Session> session = Session::Create(g, {.target = target});
  Status status = session.status();
  if (status.ok() && seconds == 0) status = session->Run({.targets = {init}}).status();
  std::vector<Progress> all(4);
  if (status.ok()) {
    const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
    std::vector<std::thread> threads;
    for (Progress& progress : all) {
      threads.emplace_back([&] {
        progress = Feed(*session, {.feeds = {{fed, value}}, .targets = {add}}, end);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  int steps = 0;
  int64_t longest_ms = 0;
  for (const Progress& progress : all) {
    steps += progress.steps;
    longest_ms = std::max(longest_ms, progress.longest_ms);
    if (status.ok()) status = progress.status;
  }
  std::printf("steps %d longest_ms %lld\n", steps, static_cast<long long>(longest_ms));
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace rheo

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return rheo::Run(argv[1], std::atoi(argv[2]), std::atoll(argv[3]));
}
