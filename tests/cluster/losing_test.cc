// Losing tasks: those that restart, and those that are gone when a session closes.
#include "case_test.h"
#include "raw_client.h"
#include "status_page.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::Not;

class Losing : public CaseTest {
 protected:
  static StatusOr<Session> Open(const Scope& g, const Cluster& cluster) {
    return Session::Create(g, {.target = cluster.Target()});
  }

  void RestartedTask(VariableKind kind) {
    Cluster& cluster = Make({.ps = 1});
    Scope g = Scope::NewRoot();
    const Variable v(g.WithName("v").WithDevice(Device("ps")), 5.0f, {.kind = kind});
    const Operation init = InitializeVariables(g);
    const Output read = v.Read(g.WithName("read"));
    StatusOr<Session> session = Open(g, cluster);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE(session->Run({.targets = {init}}).ok());
    ASSERT_TRUE(session->Run({.fetches = {read}}).ok());

    cluster.Kill("ps");
    cluster.Start("ps");
    std::this_thread::sleep_for(seconds(2));  // as the case has it
    const auto restarted =
        AllOf(HasCode(StatusCode::kAborted), TextHas(TaskName("ps")), TextHas("restarted"));
    EXPECT_THAT(session->Run({.fetches = {read}}).status(), restarted);
    EXPECT_THAT(session->Run({.targets = {init}}).status(), restarted);

    StatusOr<Session> next = Open(g, cluster);
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_THAT(next->Run({.fetches = {read}}).status(),
                AllOf(HasCode(StatusCode::kFailedPrecondition), TextHas("uninitialized")));
    ASSERT_TRUE(next->Run({.targets = {init}}).ok());
    EXPECT_TRUE(next->Run({.fetches = {read}}).ok());
  }
};

// Nobody can tell a frozen task anything; when it goes on, it has all that it had.
TEST_F(Losing, ATaskThatThawsLearnsThatASessionWasClosed) {
  Cluster& cluster = Make({.ps = 1, .flags = {"--ping_interval_ms", "300"}});
  Scope g = Scope::NewRoot();
  const Output on_ps = ops::Identity(g.WithDevice(Device("ps")), 1.0f);
  {
    StatusOr<Session> session = Open(g, cluster);
    ASSERT_TRUE(session.ok()) << session.status();
    ASSERT_TRUE(session->Run({.fetches = {on_ps}}).ok());
    cluster.Freeze("ps");
    EXPECT_THAT(session->Run({.fetches = {on_ps}}).status(),
                AllOf(HasCode(StatusCode::kUnavailable), TextHas(TaskName("ps"))));
    EXPECT_EQ(session->Close(), OkStatus());
  }
  cluster.Thaw("ps");
  EXPECT_TRUE(Eventually(seconds(30), [&] {
    return ReadStatusPage(cluster.Address("ps")).IsClean();
  })) << ReadStatusPage(cluster.Address("ps")).text;
}

TEST_F(Losing, Server03_RestartedTaskReferenceVariable) { RestartedTask(VariableKind::kReference); }
TEST_F(Losing, Server03_RestartedTaskResourceVariable) { RestartedTask(VariableKind::kResource); }

bool SaysRestarted(const Status& status) {
  return status.GetPayload(std::string(kWorkerRestartedPayload)).has_value();
}

TEST_F(Losing, Server03_UnknownHandlesOverTheWire) {
  Cluster& cluster = Make({});
  RawClient client(TaskName("worker"), cluster.Address("worker"));
  const auto restarted =
      AllOf(HasCode(StatusCode::kAborted), TextHas(TaskName("worker")), TextHas("restarted"));
  using service::WorkerService;

  service::RunGraphResponse ran;
  Status status = client.Call(&WorkerService::RunGraph,
                              {.session = SessionHandle("0123"), .graph = GraphHandle("1")}, &ran);
  EXPECT_THAT(status, restarted);
  EXPECT_TRUE(SaysRestarted(status));
  // The legacy session always exists; its graphs do not.
  status = client.Call(&WorkerService::RunGraph,
                       {.create_worker_session_called = false, .graph = GraphHandle("77")}, &ran);
  EXPECT_THAT(status, restarted);

  service::DeregisterGraphResponse gone;
  status = client.Call(&WorkerService::DeregisterGraph,
                       {.session = SessionHandle("0123"), .graph = GraphHandle("1")}, &gone);
  EXPECT_THAT(status, restarted);
  EXPECT_TRUE(SaysRestarted(status));
  status = client.Call(&WorkerService::DeregisterGraph,
                       {.create_worker_session_called = false, .graph = GraphHandle("77")}, &gone);
  EXPECT_THAT(status, restarted);

  const std::string device = TaskName("worker") + "/device:CPU:0";
  service::RecvTensorResponse received;
  status = client.Call(&WorkerService::RecvTensor,
                       {.step = StepId(7),
                        .key = rendezvous::RendezvousKey({.src_device = device,
                                                          .src_incarnation = Incarnation(1),
                                                          .dst_device = device,
                                                          .edge = "edge_1_x"})},
                       &received);
  EXPECT_THAT(status, restarted);
  EXPECT_TRUE(SaysRestarted(status));
}

// A program that used all tasks of ps:1 worker:2, and what closing it leaves.
class ClosingBesideADeadPeer : public Losing {
 protected:
  void RunOnAll() {
    std::vector<Output> all;
    for (const auto& [job, index] : {std::pair("ps", 0), {"worker", 0}, {"worker", 1}}) {
      all.push_back(ops::Identity(g_.WithDevice(Device(job, index)), 1.0f));
    }
    session_.emplace(Open(g_, cluster_));
    ASSERT_TRUE(session_->ok()) << session_->status();
    ASSERT_TRUE((*session_)->Run({.fetches = all}).ok());
  }
  void CloseWithin(double limit) {
    const Stopwatch watch;
    EXPECT_TRUE((*session_)->Close().ok());
    EXPECT_TRUE(watch.IsBelow(limit)) << watch.Seconds();
    for (const char* job : {"ps", "worker"}) {
      EXPECT_TRUE(Eventually(seconds(5), [&] {
        return ReadStatusPage(cluster_.Address(job)).IsClean();
      })) << ReadStatusPage(cluster_.Address(job)).text;
    }
  }

  Cluster& cluster_ = Make({.ps = 1, .workers = 2});
  Scope g_ = Scope::NewRoot();
  std::optional<StatusOr<Session>> session_;
};

TEST_F(ClosingBesideADeadPeer, Server13_ThatExited) {
  RunOnAll();
  cluster_.Kill("worker", 1);
  CloseWithin(5);
}

TEST_F(ClosingBesideADeadPeer, Server13_ThatIsFrozen) {
  RunOnAll();
  cluster_.Freeze("worker", 1);
  CloseWithin(12);
}

// A session on worker `index`, with state on the ps that is its own.
StatusOr<Session> OpenIsolated(const Scope& g, const Cluster& cluster, int index) {
  SessionOptions options{.target = cluster.Target("worker", index)};
  options.config.isolate_session_state = true;
  options.config.device_filters = {Device("ps"), Device("worker", index)};
  return Session::Create(g, std::move(options));
}

TEST_F(Losing, WhatADeadMasterLeftIsDroppedAndOtherMastersKeepTheirs) {
  Cluster& cluster = Make({.ps = 1, .workers = 2, .flags = {"--lost_master_limit", "1"}});
  Scope g = Scope::NewRoot();
  const Variable v(g.WithName("v").WithDevice(Device("ps")), 5.0f);
  const Operation init = InitializeVariables(g);
  StatusOr<Session> lives = OpenIsolated(g, cluster, 0);
  StatusOr<Session> dies = OpenIsolated(g, cluster, 1);
  ASSERT_TRUE(lives.ok()) << lives.status();
  ASSERT_TRUE(dies.ok()) << dies.status();
  for (const Session* session : {&*lives, &*dies}) {
    const Status ran = session->Run({.targets = {init}}).status();
    ASSERT_TRUE(ran.ok()) << ran;
  }
  const auto ps = [&] { return ReadStatusPage(cluster.Address("ps")); };
  ASSERT_EQ(ps().worker_sessions, 2);
  std::this_thread::sleep_for(seconds(3));  // nobody uses them, longer than the limit
  EXPECT_EQ(ps().worker_sessions, 2);
  cluster.Kill("worker", 1);
  EXPECT_TRUE(Eventually(seconds(20), [&] { return ps().worker_sessions == 1; })) << ps().text;
  EXPECT_EQ(ps().graphs, 1);
  const auto value = lives->Run({.fetches = {v}});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->at(0), Tensor::Scalar(5.0f));
}

TEST_F(Losing, WhatAMasterLeftIsDroppedWhenItsTaskWasRestarted) {
  Cluster& cluster = Make({.ps = 1, .flags = {"--lost_master_limit", "8"}});
  Scope g = Scope::NewRoot();
  const Output x = ops::Identity(g.WithDevice(Device("ps")), 5.0f);
  StatusOr<Session> session = OpenIsolated(g, cluster, 0);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE(session->Run({.fetches = {x}}).ok());
  std::this_thread::sleep_for(seconds(3));  // so that the ps has seen the master
  cluster.Kill("worker");
  cluster.Start("worker");
  EXPECT_TRUE(cluster.Get("ps").AwaitLog("its task was restarted", seconds(30)));
  EXPECT_EQ(ReadStatusPage(cluster.Address("ps")).worker_sessions, 0);
}

}  // namespace
}  // namespace rheo::cluster_test
