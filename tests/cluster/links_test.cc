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
  DeadLink() {
    const std::string real = cluster_.Address("ps");
    const std::string relayed = FreeAddress();
    cluster_.Start("ps");
    cluster_.SetAddress("ps", 0, relayed);
    forwarder_.emplace(relayed, real);
    cluster_.Start("worker");
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

}  // namespace
}  // namespace rheo::cluster_test
