// Time and cancel: whatever ends a step ends its blocked operations on every task.
#include <unistd.h>

#include <filesystem>
#include <future>

#include "case_test.h"
#include "queue.h"
#include "status_page.h"

namespace rheo::cluster_test {
namespace {

class Cancel : public CaseTest {
 protected:
  explicit Cancel(seconds limit = seconds(120)) : CaseTest(limit) {}
  bool BecomesBlocked(const Cluster& cluster, size_t count = 1) {
    return Eventually(
        seconds(10), [&] { return ReadStatusPage(cluster.Address("ps")).blocked.size() == count; });
  }
  bool BecomesFree(const Cluster& cluster, milliseconds patience) {
    return Eventually(patience, [&] {
      for (const char* job : {"ps", "worker"}) {
        const StatusPage page = ReadStatusPage(cluster.Address(job));
        if (!page.blocked.empty() || page.steps != 0) return false;
      }
      return true;
    });
  }
  static void PassesAnElement(const Session& session, const Queue& queue, float value) {
    ASSERT_TRUE(session.Run({.feeds = {{queue.value, value}}, .targets = {queue.enqueue}}).ok());
    const auto out =
        session.Run({.fetches = {queue.dequeued}, .options = {.timeout = seconds(10)}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0), Tensor::Scalar(value));
  }

  Scope g_ = Scope::NewRoot();
};

TEST_F(Cancel, Server05_BlockedStepDeadline) {
  Cluster& cluster = Make({.ps = 1});
  const Queue queue(g_);
  const Output unstaged = ops::Unstage(g_.WithName("unstage").WithDevice(Device("ps")),
                                       {DType::kFloat}, {.shared_name = "area"})[0];
  StatusOr<Session> session = Session::Create(g_, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  for (const Output& blocking : {queue.dequeued, unstaged}) {
    const Stopwatch watch;
    const Status status =
        session->Run({.fetches = {blocking}, .options = {.timeout = milliseconds(1000)}}).status();
    EXPECT_THAT(status, HasCode(StatusCode::kDeadlineExceeded));
    EXPECT_GT(watch.Seconds(), 0.9);
    EXPECT_TRUE(watch.IsBelow(2)) << watch.Seconds();
    EXPECT_TRUE(BecomesFree(cluster, milliseconds(1000)))
        << ReadStatusPage(cluster.Address("ps")).text;
  }
  PassesAnElement(*session, queue, 7.0f);
}

TEST_F(Cancel, Server06_CancelOneStep) {
  Cluster& cluster = Make({.ps = 1});
  const Queue queue(g_);
  StatusOr<Session> session = Session::Create(g_, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  StopSource stop;
  auto step = std::async(std::launch::async, [&] {
    return session->Run({.fetches = {queue.dequeued}, .options = {.stop = stop.get_token()}})
        .status();
  });
  ASSERT_TRUE(BecomesBlocked(cluster));
  const Stopwatch watch;
  stop.request_stop();
  EXPECT_THAT(step.get(), HasCode(StatusCode::kCancelled));
  EXPECT_TRUE(watch.IsBelow(1)) << watch.Seconds();
  EXPECT_TRUE(BecomesFree(cluster, seconds(2)));
  PassesAnElement(*session, queue, 8.0f);
}

class PilingUp : public Cancel {
 protected:
  PilingUp() : Cancel(RunsInFull() ? seconds(1200) : seconds(120)) {}
};

// In full: twenty rounds of clients that make all their steps, and not only some sixty each.
TEST_F(PilingUp, Server21_TimedOutSteps) {
  const int rounds = RunsInFull() ? 20 : 4;
  const seconds length = RunsInFull() ? seconds(26) : seconds(3);
  constexpr int kClients = 5;
  Cluster& cluster = Make({.ps = 1, .flags = {"--session_idle_limit", "2"}});
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::unique_ptr<Process>> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.push_back(
          Process::Start({BuiltProgram("cluster_victim"), cluster.Target(), "50", "500"}));
    }
    std::this_thread::sleep_for(length);
    for (const auto& client : clients) client->Kill();
  }
  EXPECT_TRUE(BecomesFree(cluster, seconds(10))) << ReadStatusPage(cluster.Address("ps")).text;
  const Queue queue(g_);
  const std::string saved =
      (std::filesystem::temp_directory_path() / ("rheo-saved-" + std::to_string(getpid())))
          .string();
  const Operation save = ops::WriteFile(g_.WithDevice(Device("ps")), saved, "all of it");
  const Stopwatch watch;
  StatusOr<Session> session = Session::Create(g_, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  PassesAnElement(*session, queue, 3.0f);
  EXPECT_TRUE(session->Run({.targets = {save}}).ok());
  EXPECT_TRUE(watch.IsBelow(5)) << watch.Seconds();
  EXPECT_EQ(std::filesystem::file_size(saved), 9U);
  std::filesystem::remove(saved);
  ASSERT_TRUE(session->Close().ok());
  for (const char* job : {"ps", "worker"}) {
    EXPECT_TRUE(Eventually(seconds(10), [&] {
      return ReadStatusPage(cluster.Address(job)).IsClean();
    })) << ReadStatusPage(cluster.Address(job)).text;
  }
}

// A client that is killed: see victim/main.cc.
TEST_F(Cancel, Server06_ClientKilled) {
  Cluster& cluster = Make({.ps = 1, .flags = {"--session_idle_limit", "5"}});
  const Queue queue(g_);
  const std::unique_ptr<Process> victim =
      Process::Start({BuiltProgram("cluster_victim"), cluster.Target()});
  ASSERT_TRUE(BecomesBlocked(cluster)) << victim->Log();
  StatusOr<Session> other = Session::Create(g_, {.target = cluster.Target()});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(ReadStatusPage(cluster.Address("worker")).sessions, 2);
  victim->Kill();
  EXPECT_TRUE(BecomesFree(cluster, seconds(10)));
  // Not taken by the dead client's dequeue; and this session lives on.
  PassesAnElement(*other, queue, 9.0f);
  EXPECT_TRUE(Eventually(seconds(15), [&] {
    (void)other->Run({.targets = {queue.handle.op()}});
    return ReadStatusPage(cluster.Address("worker")).sessions == 1;
  })) << ReadStatusPage(cluster.Address("worker")).text;
  PassesAnElement(*other, queue, 10.0f);
}

}  // namespace
}  // namespace rheo::cluster_test
