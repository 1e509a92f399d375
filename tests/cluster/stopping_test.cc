// Stopping servers: on a signal, when nobody needs them, over and over in one process.
#include <signal.h>

#include <future>

#include "case_test.h"
#include "queue.h"
#include "rheo/rpc/watch_call_for_test.h"
#include "rheo/server.h"
#include "status_page.h"
#include "wire_call.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::AnyOf;

class Stopping : public CaseTest {
 protected:
  StatusOr<Session> Open(const Cluster& cluster) {
    return Session::Create(g_, {.target = cluster.Target()});
  }
  // As case 7 wants it: exit code 0 in time, and the port can be had again.
  static void ExpectExit(Cluster& cluster, seconds limit) {
    EXPECT_EQ(cluster.Get("ps").WaitExit(limit), 0) << cluster.Get("ps").Log();
    cluster.Start("ps");
  }

  Scope g_ = Scope::NewRoot();
};

TEST_F(Stopping, Server07_SigtermWhenIdle) {
  Cluster& cluster = Make({.ps = 1});
  const Output on_ps = ops::Identity(g_.WithDevice(Device("ps")), 1.0f);
  StatusOr<Session> session = Open(cluster);
  ASSERT_TRUE(session.ok() && session->Run({.fetches = {on_ps}}).ok());
  cluster.Get("ps").Signal(SIGTERM);
  ExpectExit(cluster, seconds(2));
}

TEST_F(Stopping, Server07_SigtermUnderABlockedDequeue) {
  Cluster& cluster = Make({.ps = 1});
  const Queue queue(g_);
  StatusOr<Session> session = Open(cluster);
  ASSERT_TRUE(session.ok()) << session.status();
  auto blocked = std::async(std::launch::async,
                            [&] { return session->Run({.fetches = {queue.dequeued}}).status(); });
  ASSERT_TRUE(Eventually(seconds(10),
                         [&] { return !ReadStatusPage(cluster.Address("ps")).blocked.empty(); }));
  const Stopwatch watch;
  cluster.Get("ps").Signal(SIGTERM);
  const Status status = blocked.get();
  EXPECT_TRUE(watch.IsBelow(1)) << watch.Seconds();
  EXPECT_THAT(status,
              AllOf(AnyOf(HasCode(StatusCode::kCancelled), HasCode(StatusCode::kUnavailable)),
                    TextHas(TaskName("ps")), TextHas("stopping")));
  ExpectExit(cluster, seconds(2));
}

// 1 SERVING, 2 NOT_SERVING, -1 no answer.
int AskHealth(rpc::RpcClient& client, const std::string& address) {
  const auto answer = CallPath(client, address, std::string(rpc::kHealthCheckPath));
  return answer.ok() && answer->size() == 2 ? answer->at(1) : -1;
}

// Whoever started the server does not read its stderr any more, or never did.
TEST_F(Stopping, NobodyWhoReadsStderrHoldsUpAServer) {
  const std::string full = "mkfifo $F; exec 3<>$F; head -c 65536 /dev/zero >&3; exec \"$@\" 2>&3";
  const std::string closed = "exec 2> >(true); sleep 0.3; exec \"$@\"";
  const std::string none = "exec \"$@\" 2>&- >&- <&-";
  for (const std::string& script : {full, closed, none}) {
    SCOPED_TRACE(script);
    const std::string fifo = testing::TempDir() + "stderr";
    unlink(fifo.c_str());
    const std::string address = FreeAddress();
    const std::unique_ptr<Process> server =
        Process::Start({"/bin/bash", "-c", script, "bash", BuiltProgram("rheo"), "serve",
                        "--cluster_spec", "ps|" + address, "--job_name", "ps", "--cpu", "500"},
                       {{"F", fifo}});
    ASSERT_TRUE(Eventually(seconds(20), [&] { return ReadStatusPage(address).sessions == 0; }));
    // Each session's warnings and placements are logged.
    for (int i = 0; i < 3; ++i) {
      SessionOptions options{.target = "grpc://" + address};
      options.config.log_device_placement = true;
      StatusOr<Session> session = Session::Create(g_, options);
      ASSERT_TRUE(session.ok()) << session.status();
      EXPECT_TRUE(session->Run({.fetches = {ops::Identity(g_, 1.0f)}}).ok());
    }
    server->Signal(SIGTERM);
    EXPECT_EQ(server->WaitExit(seconds(15)), 0);
  }
}

// A step of some seconds: multiplications one after the other.
Output LongStep(const Scope& g) {
  const Scope ps = g.WithDevice(Device("ps"));
  Output product = ops::Fill(ps, {1000, 1000}, 1e-3f);
  // Fed, so that nobody computes it beforehand.
  const Output factor = ops::Placeholder(Scope(g.WithName("factor")), DType::kFloat);
  for (int i = 0; i < 60; ++i) product = ops::MatMul(ps, product, factor);
  return ops::Sum(ps, product, {0, 1});
}

TEST_F(Stopping, Server07_SigtermDuringALongStep) {
  Cluster& cluster = Make({.ps = 1, .flags = {"--grace", "60"}});
  const Output result = LongStep(g_);
  Tensor factor(DType::kFloat, {1000, 1000});
  for (float& x : factor.mutable_flat<float>()) x = 1e-3f;
  const Output quick = ops::Identity(g_.WithName("quick").WithDevice(Device("ps")), 1.0f);
  StatusOr<Session> session = Open(cluster);
  ASSERT_TRUE(session.ok()) << session.status();
  const Output fed = Output(Operation(g_.graph().FindNode("factor"), g_.state()), 0);
  auto step = std::async(std::launch::async, [&] {
    return session->Run({.feeds = {{fed, factor}}, .fetches = {result}}).status();
  });
  rpc::RpcClient client;
  EXPECT_EQ(AskHealth(client, cluster.Address("ps")), 1);
  rpc::WatchCall health(cluster.Address("ps"));
  EXPECT_EQ(health.Next(), 1);
  ASSERT_TRUE(
      Eventually(seconds(10), [&] { return ReadStatusPage(cluster.Address("ps")).steps > 0; }));
  cluster.Get("ps").Signal(SIGTERM);
  const Stopwatch watch;
  EXPECT_EQ(health.Next(), 2);
  EXPECT_TRUE(watch.IsBelow(0.5));
  EXPECT_EQ(AskHealth(client, cluster.Address("ps")), 2);
  EXPECT_THAT(session->Run({.fetches = {quick}}).status(),
              AllOf(HasCode(StatusCode::kUnavailable), TextHas(TaskName("ps"))));
  EXPECT_TRUE(step.get().ok());
  EXPECT_EQ(health.Next(), std::nullopt);
  ExpectExit(cluster, seconds(5));
}

TEST_F(Stopping, Server07_ExitWhenDone) {
  Cluster& cluster = Make({.ps = 1, .start = false});
  cluster.Start("ps", 0, {"--exit-when-done"});
  cluster.Start("worker");
  const Output on_ps = ops::Identity(g_.WithDevice(Device("ps")), 1.0f);
  StatusOr<Session> first = Open(cluster);
  StatusOr<Session> second = Open(cluster);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->Run({.fetches = {on_ps}}).ok());
  ASSERT_TRUE(first->Close().ok());
  EXPECT_EQ(cluster.Get("ps").WaitExit(seconds(3)), std::nullopt);
  ASSERT_TRUE(second->Run({.fetches = {on_ps}}).ok());
  ASSERT_TRUE(second->Close().ok());
  EXPECT_EQ(cluster.Get("ps").WaitExit(seconds(5)), 0);
}

// Threads and descriptors of this process.
Usage OwnUsage() { return UsageOf(getpid()); }

TEST_F(Stopping, Server12_StartStopStart) {
  const ClusterSpec spec{{"worker", {FreeAddress()}}};
  const Output one = ops::Identity(g_, ops::Placeholder(g_.WithName("x"), DType::kFloat));
  const Output x = Output(Operation(g_.graph().FindNode("x"), g_.state()), 0);
  Usage fifth;
  const Stopwatch watch;
  for (int round = 1; round <= 100; ++round) {
    StatusOr<std::unique_ptr<Server>> server = Server::Start({.cluster = spec, .job = "worker"});
    ASSERT_TRUE(server.ok()) << "round " << round << ": " << server.status();
    {
      StatusOr<Session> session = Session::Create(g_, {.target = (*server)->target()});
      ASSERT_TRUE(session.ok()) << session.status();
      const auto out = session->Run({.feeds = {{x, 2.0f}}, .fetches = {one}});
      ASSERT_TRUE(out.ok()) << out.status();
    }
    if (round == 50) {
      EXPECT_THAT(Server::Start({.cluster = spec, .job = "worker"}).status(),
                  TextHas(spec.Address("worker", 0).value()));
    }
    (*server)->Stop();
    server->reset();
    if (round == 5) fifth = OwnUsage();
  }
  EXPECT_TRUE(watch.IsBelow(60)) << watch.Seconds();
  EXPECT_TRUE(Eventually(seconds(5), [&] { return OwnUsage().threads <= fifth.threads; }))
      << OwnUsage().threads << " threads, after five rounds " << fifth.threads;
  EXPECT_LE(OwnUsage().descriptors, fifth.descriptors);
}

}  // namespace
}  // namespace rheo::cluster_test
