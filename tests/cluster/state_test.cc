// State: what jobs leave behind, and clusters that come with the session.
#include <algorithm>

#include "case_test.h"
#include "rheo/server.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A job that has a variable `a` of some length on the ps.
struct Job {
  Job(int64_t length, VariableKind kind)
      : a(g.WithName("a").WithDevice(Device("ps")), ops::Fill(g, {length}, 1.0f * length),
          {.kind = kind}),
        init(InitializeVariables(g)),
        read(a.Read(g.WithName("read"))) {}
  Scope g = Scope::NewRoot();
  Variable a;
  Operation init;
  Output read;
};

class State : public CaseTest {};

TEST_F(State, Server09_StateOfAnEarlierJob) {
  Cluster& cluster = Make({.ps = 1});
  const SessionOptions options{.target = cluster.Target()};
  const Job first(100, VariableKind::kReference);
  {
    StatusOr<Session> session = Session::Create(first.g, options);
    ASSERT_TRUE(session.ok() && session->Run({.targets = {first.init}}).ok());
  }
  StatusOr<Session> bystander = Session::Create(first.g, options);
  ASSERT_TRUE(bystander.ok() && bystander->Run({.fetches = {first.read}}).ok());

  const Job second(200, VariableKind::kReference);
  {
    StatusOr<Session> session = Session::Create(second.g, options);
    ASSERT_TRUE(session.ok());
    EXPECT_THAT(session->Run({.targets = {second.init}}).status(),
                AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("[100]"), TextHas("[200]"),
                      TextHas("Session.reset")));
  }
  const auto master = runtime::Connect(cluster.Target());
  ASSERT_TRUE(master.ok());
  ASSERT_TRUE(Session::Reset(**master, {}).ok());

  StatusOr<Session> session = Session::Create(second.g, options);
  ASSERT_TRUE(session.ok() && session->Run({.targets = {second.init}}).ok());
  EXPECT_THAT(bystander->Run({.fetches = {first.read}}).status(), HasCode(StatusCode::kAborted));

  const Job third(300, VariableKind::kReference);
  SessionOptions isolated = options;
  isolated.config.isolate_session_state = true;
  StatusOr<Session> alone = Session::Create(third.g, isolated);
  ASSERT_TRUE(alone.ok() && alone->Run({.targets = {third.init}}).ok());
  const auto own = alone->Run({.fetches = {third.read}});
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->at(0).num_elements(), 300);
  const auto kept = session->Run({.fetches = {second.read}});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->at(0).num_elements(), 200);
}

TEST_F(State, Server09_InitialiserOfAResourceVariableReplacesIt) {
  Cluster& cluster = Make({.ps = 1});
  const SessionOptions options{.target = cluster.Target()};
  for (const int64_t length : {100, 200}) {
    const Job job(length, VariableKind::kResource);
    StatusOr<Session> session = Session::Create(job.g, options);
    ASSERT_TRUE(session.ok());
    const auto ran = session->Run({.targets = {job.init}});
    ASSERT_TRUE(ran.ok()) << ran.status();
    const auto out = session->Run({.fetches = {job.read}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0).num_elements(), length);
  }
}

// A reset of one container leaves the others.
TEST_F(State, Server09_ResetClearsOnlyWhatItNames) {
  Cluster& cluster = Make({.ps = 1});
  Scope g = Scope::NewRoot();
  const Scope ps = g.WithDevice(Device("ps"));
  const Variable kept(ps.WithName("kept"), 1.0f);
  const Variable cleared(ps.WithName("cleared"), 2.0f, {.container = "other"});
  const Operation init = InitializeVariables(g);
  const Output read_kept = kept.Read(g);
  const Output read_cleared = cleared.Read(g);
  const SessionOptions options{.target = cluster.Target()};
  StatusOr<Session> session = Session::Create(g, options);
  ASSERT_TRUE(session.ok() && session->Run({.targets = {init}}).ok());
  const auto master = runtime::Connect(cluster.Target());
  ASSERT_TRUE(master.ok() && Session::Reset(**master, {"other"}).ok());
  StatusOr<Session> next = Session::Create(g, options);
  ASSERT_TRUE(next.ok());
  EXPECT_TRUE(next->Run({.fetches = {read_kept}}).ok());
  EXPECT_THAT(next->Run({.fetches = {read_cleared}}).status(),
              HasCode(StatusCode::kFailedPrecondition));
}

// Four servers, each a cluster of its own, that sessions make one cluster of.
class ClusterFromTheSession : public CaseTest {
 protected:
  ClusterFromTheSession() {
    for (int i = 0; i < 4; ++i) {
      servers_.push_back(Process::Start({BuiltProgram("rheo"), "serve", "--cluster_spec",
                                         "localhost|127.0.0.1:0", "--job_name", "localhost"}));
    }
    for (const auto& server : servers_) {
      EXPECT_TRUE(server->AwaitLog("ready after", seconds(20))) << server->Log();
      addresses_.push_back(AddressIn(server->Log()));
    }
  }
  // "… at grpc://127.0.0.1:4711 with …"
  static std::string AddressIn(const std::string& log) {
    const std::string mark = "grpc://";
    const size_t start = log.find(mark) + mark.size();
    return log.substr(start, log.find(' ', start) - start);
  }

  // ps 0 is server 0, worker i is server i + 1. A variable `shared` on the ps.
  StatusOr<Session> Open(int worker, int num_workers, bool share) {
    std::vector<std::string> workers(addresses_.begin() + 1, addresses_.begin() + 1 + num_workers);
    SessionOptions options{.target = "grpc://" + addresses_[static_cast<size_t>(worker) + 1]};
    options.config.cluster =
        std::make_shared<ClusterSpec>(ClusterSpec{{"ps", {addresses_[0]}}, {"worker", workers}});
    options.config.share_state_in_cluster_propagation = share;
    return Session::Create(g_, options);
  }

  std::vector<std::unique_ptr<Process>> servers_;
  std::vector<std::string> addresses_;
  Scope g_ = Scope::NewRoot();
  Variable shared_{g_.WithName("shared").WithDevice(Device("ps")), 4.0f};
  Operation init_ = InitializeVariables(g_);
  Output read_ = shared_.Read(g_.WithName("read").WithDevice(Device("worker", 1)));
};

TEST_F(ClusterFromTheSession, Server10_Shared) {
  EXPECT_EQ(std::count(addresses_.begin(), addresses_.end(), "127.0.0.1:0"), 0);
  StatusOr<Session> first = Open(0, 2, true);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto ran = first->Run({.targets = {init_}});
  ASSERT_TRUE(ran.ok()) << ran.status();
  StatusOr<Session> second = Open(1, 2, true);
  ASSERT_TRUE(second.ok()) << second.status();
  StatusOr<Session> third = Open(2, 3, true);
  ASSERT_TRUE(third.ok()) << third.status();
  for (const StatusOr<Session>* session : {&first, &second, &third}) {
    const auto out = (*session)->Run({.fetches = {read_}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0), Tensor::Scalar(4.0f));
  }
}

TEST_F(ClusterFromTheSession, Server10_NotShared) {
  StatusOr<Session> first = Open(0, 2, false);
  StatusOr<Session> second = Open(1, 2, false);
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  ASSERT_TRUE(first->Run({.targets = {init_}}).ok());
  EXPECT_TRUE(first->Run({.fetches = {read_}}).ok());
  EXPECT_THAT(second->Run({.fetches = {read_}}).status(),
              AllOf(HasCode(StatusCode::kFailedPrecondition), TextHas("uninitialized")));
}

TEST_F(ClusterFromTheSession, Server10_TargetIsMissing) {
  EXPECT_THAT(Open(2, 2, true).status(),
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas(addresses_[3])));
}

}  // namespace
}  // namespace rheo::cluster_test
