// The client of bench/soak: a subject (subject.h) that loads a cluster of 2 parameter servers and 2
// workers in the ways that wear servers out.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "raw_session.h"
#include "rheo/server.h"
#include "subject.h"

namespace rheo::bench {
namespace {

constexpr char kPs[] = "/job:ps/task:0";
constexpr auto kPatience = std::chrono::seconds(60);

std::string Device(const char* job, int64_t index) {
  return fmt::format("/job:{}/task:{}", job, index);
}

// x, negated once on each device and added up in the session's own task.
struct Sum {
  explicit Sum(const std::vector<std::string>& devices)
      : fed(ops::Placeholder(g, DType::kFloat, {.shape = {}})) {
    std::vector<Output> terms;
    for (const std::string& device : devices) {
      terms.push_back(ops::Neg(g.WithDevice(device), fed));
    }
    total = ops::AddN(g, terms);
    expected = -static_cast<float>(devices.size());
  }

  Status Check(const StatusOr<std::vector<Tensor>>& fetched) const {
    RHEO_RETURN_IF_ERROR(fetched.status());
    const float value = (*fetched)[0].scalar<float>();
    if (value == expected) return OkStatus();
    return Internal("a step gave {} and not {}", value, expected);
  }
  Status RunOnce(const Session& session) const {
    return Check(session.Run({.feeds = {{fed, 1.0f}}, .fetches = {total}}));
  }

  Scope g = Scope::NewRoot();
  Output fed;
  Output total;
  float expected = 0;
};

// A queue on the parameter server that nobody fills.
struct EmptyQueue {
  Scope g = Scope::NewRoot();
  Scope ps = g.WithDevice(kPs);
  Output queue = ops::FIFOQueueV2(ps, {DType::kFloat});
  Output dequeued = ops::QueueDequeueV2(ps, queue, {DType::kFloat})[0];
  Operation blocked = ops::Identity(g.WithDevice(Device("worker", 0)), dequeued).op();
  Operation put = ops::QueueEnqueueV2(ps, queue, {builder::ScalarConst(ps, 1.0f)});
  Output size = ops::QueueSizeV2(ps, queue);
  Operation get = ops::Identity(ps, dequeued).op();
  Operation quick = ops::NoOp(g.WithDevice(Device("worker", 0)));

  // A step that is gone but still waits would take the element.
  Status CheckKeepsAnElement(RawSession& session) const {
    RHEO_RETURN_IF_ERROR(session.Run(put).status());
    RHEO_ASSIGN_OR_RETURN(const Tensor left, session.Run({}, size));
    RHEO_RETURN_IF_ERROR(session.Run(get).status());
    if (left.scalar<int32_t>() == 1) return OkStatus();
    return Internal("the queue holds {} elements instead of one", left.scalar<int32_t>());
  }
};

// `steps TARGET COUNT` runs small steps over two tasks in one session.
StatusOr<double> Steps(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
  const Sum sum({Device("ps", 0), Device("worker", 0)});
  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(sum.g, {.target = target}));
  RHEO_ASSIGN_OR_RETURN(const Callable step, session.Prepare({sum.fed}, {sum.total}));
  const Tensor one = Tensor::Scalar(1.0f);
  return SecondsEach(count, [&] { return sum.Check(step.Run({one})); });
}

Status OpenRunClose(const std::string& target, const Sum& sum) {
  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(sum.g, {.target = target}));
  RHEO_RETURN_IF_ERROR(sum.RunOnce(session));
  return session.Close();
}

// `open TARGET COUNT`: sessions over all four tasks, one after the other.
StatusOr<double> Open(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
  const Sum sum({Device("ps", 0), Device("ps", 1), Device("worker", 0), Device("worker", 1)});
  return SecondsEach(count, [&] { return OpenRunClose(target, sum); });
}

// `workers TARGET COUNT`: a session over that many workers.
StatusOr<double> Workers(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
  std::vector<std::string> devices;
  for (int64_t i = 0; i < count; ++i) devices.push_back(Device("worker", i));
  const Sum sum(devices);
  return SecondsEach(1, [&] { return OpenRunClose(target, sum); });
}

// `restarts PORT COUNT`: a server in this process that starts, serves a step and stops, again and
// again on one port.
StatusOr<double> Restarts(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string port, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
  const Sum sum({Device("worker", 0)});
  return SecondsEach(count, [&]() -> Status {
    const ServerOptions options{.cluster = {{"worker", {"127.0.0.1:" + port}}}, .job = "worker"};
    RHEO_ASSIGN_OR_RETURN(const std::unique_ptr<Server> server, Server::Start(options));
    RHEO_RETURN_IF_ERROR(OpenRunClose(server->target(), sum));
    server->Stop();
    return OkStatus();
  });
}

// Steps that wait for an empty queue, while others run in the same session.
class Blocked {
 public:
  // `block TARGET COUNT`: lets so many wait. Answers how many times as long a quick step takes
  // then as beside one that waits.
  StatusOr<double> Block(const Arguments& args) {
    RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
    RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
    RHEO_ASSIGN_OR_RETURN(session_, RawSession::Open(target, queue_.g));
    RHEO_RETURN_IF_ERROR(QuickStep().status());  // compiles it
    // A client with an open step has threads that wait for answers: beside one, not beside none.
    session_->Start(queue_.blocked);
    RHEO_ASSIGN_OR_RETURN(const double before, QuickStep());
    for (int64_t i = 1; i < count; ++i) session_->Start(queue_.blocked);
    RHEO_ASSIGN_OR_RETURN(const double after, QuickStep());
    return after / before;
  }
  // `unblock`: seconds from closing the session until all that waited were cancelled.
  StatusOr<double> Unblock(const Arguments&) {
    if (session_ == nullptr) return FailedPrecondition("nothing is blocked");
    return SecondsEach(1, [this]() -> Status {
      RHEO_RETURN_IF_ERROR(session_->Close());
      RHEO_ASSIGN_OR_RETURN(const Endings endings, session_->Await(kPatience));
      RHEO_RETURN_IF_ERROR(endings.other);
      if (endings.ok > 0) return Internal("{} steps found a value in an empty queue", endings.ok);
      return OkStatus();
    });
  }

 private:
  // The least of five medians of 500, in seconds: for a while a machine may have other things to
  // do.
  StatusOr<double> QuickStep() {
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 5; ++round) {
      std::vector<double> seconds(500);
      for (double& each : seconds) {
        RHEO_ASSIGN_OR_RETURN(
            each, SecondsEach(1, [this] { return session_->Run(queue_.quick).status(); }));
      }
      std::nth_element(seconds.begin(), seconds.begin() + 250, seconds.end());
      least = std::min(least, seconds[250]);
    }
    return least;
  }

  const EmptyQueue queue_;
  std::unique_ptr<RawSession> session_;
};

// `burst TARGET COUNT`: so many steps at once, half of which wait for an empty queue until they are
// cancelled. None may be lost, nor an element of the queue.
StatusOr<double> Burst(const Arguments& args) {
  RHEO_ASSIGN_OR_RETURN(const std::string target, TextAt(args, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t count, CountAt(args, 1));
  const EmptyQueue queue;
  RHEO_ASSIGN_OR_RETURN(const auto session, RawSession::Open(target, queue.g));
  return SecondsEach(1, [&]() -> Status {
    StopSource stop;
    for (int64_t i = 0; i < count / 2; ++i) {
      session->Start(queue.quick);
      session->Start(queue.blocked, stop.get_token());
    }
    stop.request_stop();
    RHEO_ASSIGN_OR_RETURN(const Endings endings, session->Await(kPatience));
    RHEO_RETURN_IF_ERROR(endings.other);
    if (endings.ok != count / 2 || endings.cancelled != count / 2) {
      return Internal("of {} steps {} ended well and {} cancelled", count, endings.ok,
                      endings.cancelled);
    }
    return queue.CheckKeepsAnElement(*session);
  });
}

}  // namespace
}  // namespace rheo::bench

int main() {
  using namespace rheo::bench;
  Blocked blocked;
  return Serve({{"steps", Steps},
                {"open", Open},
                {"workers", Workers},
                {"restarts", Restarts},
                {"burst", Burst},
                {"block", [&](const Arguments& args) { return blocked.Block(args); }},
                {"unblock", [&](const Arguments& args) { return blocked.Unblock(args); }}});
}
