// Links that go dead without a word.
#include <future>

#include "case_test.h"
#include "forwarder.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;

// The worker reaches the ps through a forwarder.
class DeadLink : public CaseTest {
 protected:
  explicit DeadLink(const std::vector<std::string>& flags = {}, seconds limit = seconds(120))
      : CaseTest(limit) {
    const std::string real = cluster_.Address("ps");
    const std::string relayed = FreeAddress();
    cluster_.Start("ps", 0, flags);
    cluster_.SetAddress("ps", 0, relayed);
    forwarder_.emplace(relayed, real);
    cluster_.Start("worker", 0, flags);
    session_.emplace(Session::Create(g_, {.target = cluster_.Target()}));
    EXPECT_TRUE(session_->ok()) << session_->status();
  }
  StatusOr<std::vector<Tensor>> Step() {
    return (*session_)->Run({.feeds = {{x_, 2.0f}}, .fetches = {on_ps_}});
  }

  Cluster& cluster_ = Make({.ps = 1, .start = false});
  std::optional<Forwarder> forwarder_;
  Scope g_ = Scope::NewRoot();
  Output x_ = ops::Placeholder(g_.WithName("x"), DType::kFloat);
  Output on_ps_ = ops::Identity(g_.WithDevice(Device("ps")), x_);
  std::optional<StatusOr<Session>> session_;
};

TEST_F(DeadLink, Server08_WhileIdle) {
  ASSERT_TRUE(Step().ok());
  forwarder_->KillOpen();
  std::this_thread::sleep_for(seconds(30));  // as the case has it
  const Stopwatch watch;
  const auto out = Step();
  EXPECT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(watch.IsBelow(2)) << watch.Seconds();
}

TEST_F(DeadLink, Server08_InMidStep) {
  ASSERT_TRUE(Step().ok());
  forwarder_->DropEverything();
  const Stopwatch watch;
  const Status status = Step().status();
  EXPECT_TRUE(watch.IsBelow(35)) << watch.Seconds();
  EXPECT_THAT(status, AllOf(HasCode(StatusCode::kUnavailable), TextHas(TaskName("ps"))));
}

// Ten minutes in full; the short form pings fifty times as often. With a TensorFlow ps it is in
// tests/compat.
class IdleLink : public DeadLink {
 protected:
  IdleLink()
      : DeadLink(RunsInFull() ? std::vector<std::string>{}
                              : std::vector<std::string>{"--ping_interval_ms", "200"},
                 seconds(900)) {}
};

TEST_F(IdleLink, Server08_StaysAsItIs) {
  ASSERT_TRUE(Step().ok());
  const int num_connections = forwarder_->num_connections();
  std::this_thread::sleep_for(RunsInFull() ? seconds(600) : seconds(8));  // as the case has it
  const auto out = Step();
  EXPECT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(forwarder_->num_connections(), num_connections);
  EXPECT_EQ(cluster_.Logs().find("too_many_pings"), std::string::npos);
}

}  // namespace
}  // namespace rheo::cluster_test
