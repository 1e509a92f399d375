// Very many calls: at once, cancelled or not, and one after the other.
#include <atomic>
#include <random>

#include "case_test.h"
#include "queue.h"
#include "raw_client.h"
#include "rheo/base/mutex.h"
#include "rheo/graph/import.h"
#include "status_page.h"

namespace rheo::cluster_test {
namespace {

// Steps of one session, all under way at once. Half of them are cancelled; of those some are quick
// and may end before that, the others wait for an empty queue.
class Storm {
 public:
  Storm(service::MasterService& master, const SessionHandle& session, size_t num_calls,
        std::mt19937& random)
      : calls_(num_calls) {
    for (size_t i = 0; i < num_calls; ++i) {
      Call& call = calls_[i];
      call.is_cancelled = i % 2 == 0;
      call.is_blocked = call.is_cancelled && random() % 2 == 0;
      call.request = {.session = session,
                      .targets = {call.is_blocked ? "queue_dequeue" : "quick"},
                      .request_id = NewRequestId()};
      call.call.stop = call.stop.get_token();
      master.RunStep(call.request, &call.response, call.call,
                     [this, &call](Status status) { End(call, std::move(status)); });
      if (random() % 2 == 0) CancelOneOfTheFirst(i + 1, random);
    }
    for (Call& call : calls_) {
      if (call.is_cancelled) call.stop.request_stop();
    }
  }

  // Waits until each call has ended, and checks how.
  void Check() {
    {
      MutexLock lock(mutex_);
      ASSERT_TRUE(all_ended_.WaitUntil(
          mutex_, std::chrono::steady_clock::now() + seconds(60),
          [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS { return num_ended_ >= calls_.size(); }));
    }
    for (const Call& call : calls_) {
      ASSERT_EQ(call.num_ends, 1);
      if (call.status.ok() && !call.is_blocked) continue;
      ASSERT_TRUE(call.is_cancelled) << call.status;
      ASSERT_THAT(call.status, HasCode(StatusCode::kCancelled));
    }
  }

 private:
  struct Call {
    bool is_cancelled = false;
    bool is_blocked = false;
    service::RunStepRequest request;
    service::RunStepResponse response;
    StopSource stop;
    service::Call call;
    std::atomic<int> num_ends{0};
    Status status;
  };

  void CancelOneOfTheFirst(size_t count, std::mt19937& random) {
    Call& call = calls_[random() % count];
    if (call.is_cancelled) call.stop.request_stop();
  }

  void End(Call& call, Status status) {
    call.status = std::move(status);
    ++call.num_ends;
    MutexLock lock(mutex_);
    if (++num_ended_ >= calls_.size()) all_ended_.NotifyAll();
  }

  std::vector<Call> calls_;
  Mutex mutex_;
  CondVar all_ended_;
  size_t num_ended_ RHEO_GUARDED_BY(mutex_) = 0;
};

constexpr seconds kFullLimit(1200);

class Storms : public CaseTest {
 protected:
  Storms() : CaseTest(RunsInFull() ? kFullLimit : seconds(120)) {}

  static bool AnswersAtOnce(RawClient& client) {
    const Stopwatch watch;
    service::GetStatusResponse status;
    EXPECT_TRUE(client.Call(&service::WorkerService::GetStatus, {}, &status).ok());
    return watch.IsBelow(0.1);
  }
  // The least that the server was seen with in some seconds of rest: memory that a burst has needed
  // is given back a little later.
  static Usage AtRest(const Process& server) {
    Usage least = server.usage();
    const Stopwatch watch;
    while (watch.Seconds() < 3) {
      least.resident_kib = std::min(least.resident_kib, server.usage().resident_kib);
      std::this_thread::sleep_for(milliseconds(50));
    }
    return least;
  }
  static bool IsWithin(const Usage& before, const Usage& now) {
    return static_cast<double>(now.resident_kib) <=
           kMemoryGrowth * static_cast<double>(before.resident_kib);
  }
  // Nothing is open, and memory, threads and descriptors are what they were.
  static void ExpectClean(const Cluster& cluster, const Process& server, const Usage& before) {
    EXPECT_TRUE(Eventually(seconds(10), [&] {
      return ReadStatusPage(cluster.Address("worker")).IsClean();
    })) << ReadStatusPage(cluster.Address("worker")).text;
    EXPECT_TRUE(Eventually(seconds(10),
                           [&] {
                             const Usage now = server.usage();
                             return now.own_threads <= before.own_threads &&
                                    now.descriptors <= before.descriptors;
                           }))
        << server.usage().own_threads << " threads, before " << before.own_threads << "; "
        << server.usage().descriptors << " descriptors, before " << before.descriptors;
    const Usage now = AtRest(server);
    EXPECT_TRUE(IsWithin(before, now))
        << now.resident_kib << " KiB resident, before " << before.resident_kib;
  }
};

// Ten minutes in full.
TEST_F(Storms, Server22_CallStorm) {
  constexpr size_t kCalls = 10'000;
  const seconds length = RunsInFull() ? seconds(600) : seconds(5);
  Cluster& cluster = Make({});
  const Process& server = cluster.Get("worker");
  Scope g = Scope::NewRoot();
  const Scope worker = g.WithDevice(Device("worker"));
  const Output queue = ops::FIFOQueueV2(worker.WithName("queue"), {DType::kFloat});
  ops::QueueDequeueV2(worker.WithName("queue_dequeue"), queue, {DType::kFloat});
  ops::NoOp(worker.WithName("quick"));
  const auto master = runtime::Connect(cluster.Target());
  ASSERT_TRUE(master.ok());
  RawClient client(TaskName("worker"), cluster.Address("worker"));
  std::mt19937 random(22);
  // A session of its own for each round, so that closing belongs to it.
  const auto round = [&] {
    service::CreateSessionResponse created;
    ASSERT_TRUE(client
                    .Call(&service::MasterService::CreateSession,
                          {.graph = graph::Export(g.graph(), {})}, &created)
                    .ok());
    Storm(**master, created.session, kCalls, random).Check();
    EXPECT_TRUE(Eventually(seconds(10), [&] { return AnswersAtOnce(client); }));
    service::CloseSessionResponse closed;
    EXPECT_TRUE(
        client.Call(&service::MasterService::CloseSession, {.session = created.session}, &closed)
            .ok());
  };
  // What a burst leaves of its memory, in pieces that cannot be given back, differs by a tenth from
  // one to the next; what grows is in the end after each burst beyond the most of several before.
  Usage warm;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) round();
    const int64_t most = warm.resident_kib;
    warm = AtRest(server);
    warm.resident_kib = std::max(warm.resident_kib, most);
  }
  const Stopwatch watch;
  while (watch.Seconds() < static_cast<double>(length.count()) && !HasFatalFailure()) round();
  for (int i = 0; i < 3 && !IsWithin(warm, AtRest(server)) && !HasFatalFailure(); ++i) round();
  ExpectClean(cluster, server, warm);
}

// 200,000 steps in full.
TEST_F(Storms, Server23_FetchLoop) {
  constexpr int kWarm = 10'000;
  const int steps = RunsInFull() ? 200'000 : 40'000;
  Cluster& cluster = Make({});
  const Process& server = cluster.Get("worker");
  Scope g = Scope::NewRoot();
  const Output constant = ops::Const(g, Tensor::Of<float>({2}, {1, 2}));
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  Usage warm;
  for (int i = 0; i < steps; ++i) {
    if (i == kWarm) warm = AtRest(server);
    const auto out = session->Run({.fetches = {constant}});
    ASSERT_TRUE(out.ok()) << out.status();
  }
  ASSERT_TRUE(session->Close().ok());
  ExpectClean(cluster, server, warm);
}

}  // namespace
}  // namespace rheo::cluster_test
