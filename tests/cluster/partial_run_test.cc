// Steps that are fed and fetched in several calls.
#include "case_test.h"
#include "queue.h"
#include "rheo/graph/import.h"
#include "rheo/session/session.h"
#include "status_page.h"

namespace rheo::cluster_test {
namespace {

using session::PartialRun;
using testing::AllOf;
using testing::ElementsAre;
using testing::IsEmpty;

Tensor Number(float value) { return Tensor::Scalar(value); }

// x = 2a on the ps, y = x + b on the worker.
class PartialRuns : public CaseTest {
 protected:
  PartialRuns() {
    const Output a = ops::Placeholder(g_.WithName("a"), DType::kFloat);
    const Output b = ops::Placeholder(g_.WithName("b"), DType::kFloat);
    const Output x = ops::Mul(g_.WithName("x").WithDevice(Device("ps")), a, 2.0f);
    ops::Add(g_.WithName("y").WithDevice(Device("worker")), x, b);
    const auto master = runtime::Connect(cluster_.Target());
    auto session = session::Session::Create(master.value(), graph::Export(g_.graph(), {}));
    session_.emplace(*std::move(session));
  }
  PartialRun SetUpBoth() {
    return session_->SetupPartialRun({"a:0", "b:0"}, {"x:0", "y:0"}).value();
  }
  // A plain step is not touched by what partial runs do.
  void ExpectPlainStep() {
    const auto out =
        session_->Run({.feeds = {{"a:0", Number(1)}, {"b:0", Number(1)}}, .fetches = {"y:0"}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT(*out, ElementsAre(Number(3)));
  }
  static void ExpectValues(const PartialRun& run, std::vector<service::NamedTensor> feeds,
                           const std::vector<std::string>& fetches,
                           const std::vector<Tensor>& values) {
    const auto out = run.Run(std::move(feeds), fetches);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(*out, values);
  }
  // Bounded, so that a step that hangs is seen here.
  void ExpectMisuse(const PartialRun& run, std::vector<service::NamedTensor> feeds,
                    const std::vector<std::string>& fetches, const std::string& text) {
    const Stopwatch watch;
    EXPECT_THAT(run.Run(std::move(feeds), fetches).status(),
                AllOf(HasCode(StatusCode::kInvalidArgument), TextHas(text)));
    EXPECT_TRUE(watch.IsBelow(10));
    ExpectPlainStep();
  }

  Scope g_ = Scope::NewRoot();
  Cluster& cluster_ = Make({.ps = 1});
  std::optional<session::Session> session_;
};

TEST_F(PartialRuns, Server20_TwoStages) {
  const PartialRun run = SetUpBoth();
  ExpectValues(run, {{"a:0", Number(3)}}, {"x:0"}, {Number(6)});
  ExpectValues(run, {{"b:0", Number(1)}}, {"y:0"}, {Number(7)});
}

// A part of the run waits on a task that freezes. When it thaws, it must not take what comes.
TEST_F(PartialRuns, ATaskThatThawsEndsRunsThatFailedMeanwhile) {
  Cluster& cluster = Make({.ps = 1, .flags = {"--ping_interval_ms", "300"}});
  Scope g = Scope::NewRoot();
  const Queue queue(g);
  const Output size = ops::QueueSizeV2(queue.ps, queue.handle);
  const Output a = ops::Placeholder(g.WithName("a"), DType::kFloat);
  const Output b = ops::Placeholder(g.WithName("b"), DType::kFloat);
  const Output x = ops::Mul(g.WithName("x").WithDevice(Device("ps")), a, 2.0f);
  ops::Add(g.WithName("y").WithDevice(Device("ps")), queue.dequeued, b);
  const auto master = runtime::Connect(cluster.Target());
  auto session = session::Session::Create(master.value(), graph::Export(g.graph(), {}));
  ASSERT_TRUE(session.ok()) << session.status();
  const PartialRun run = session->SetupPartialRun({"a:0", "b:0"}, {"x:0", "y:0"}).value();
  ExpectValues(run, {{"a:0", Number(3)}}, {"x:0"}, {Number(6)});
  cluster.Freeze("ps");
  EXPECT_THAT(run.Run({{"b:0", Number(1)}}, {"y:0"}).status(),
              AllOf(HasCode(StatusCode::kUnavailable), TextHas(TaskName("ps"))));
  cluster.Thaw("ps");
  EXPECT_TRUE(Eventually(seconds(30), [&] {
    return ReadStatusPage(cluster.Address("ps")).steps == 0;
  })) << ReadStatusPage(cluster.Address("ps")).text;
  StatusOr<Session> other = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(other.ok()) << other.status();
  ASSERT_TRUE(other->Run({.feeds = {{queue.value, Number(1)}}, .targets = {queue.enqueue}}).ok());
  const auto left = other->Run({.fetches = {size}});
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_THAT(*left, ElementsAre(Tensor::Scalar<int32_t>(1)));
}

TEST_F(PartialRuns, Server20_TwoHandlesInTurnAndAPlainStepBetween) {
  const PartialRun first = SetUpBoth();
  const PartialRun second = SetUpBoth();
  ExpectValues(first, {{"a:0", Number(3)}}, {"x:0"}, {Number(6)});
  ExpectValues(second, {{"a:0", Number(5)}}, {"x:0"}, {Number(10)});
  ExpectPlainStep();
  ExpectValues(second, {{"b:0", Number(1)}}, {"y:0"}, {Number(11)});
  ExpectValues(first, {{"b:0", Number(2)}}, {"y:0"}, {Number(8)});
}

TEST_F(PartialRuns, Server20_AStageWithoutFetches) {
  const PartialRun run = SetUpBoth();
  ExpectValues(run, {{"a:0", Number(3)}}, {}, {});
  ExpectValues(run, {{"b:0", Number(1)}}, {"y:0", "x:0"}, {Number(7), Number(6)});
}

TEST_F(PartialRuns, Server20_FeedingTwice) {
  const PartialRun run = SetUpBoth();
  ExpectValues(run, {{"a:0", Number(3)}}, {"x:0"}, {Number(6)});
  ExpectMisuse(run, {{"a:0", Number(3)}, {"b:0", Number(1)}}, {"y:0"}, "already been fed");
}

TEST_F(PartialRuns, Server20_FetchingWhatCannotBeThereYet) {
  ExpectMisuse(SetUpBoth(), {{"a:0", Number(3)}}, {"y:0"}, "can't be computed from the feeds");
}

TEST_F(PartialRuns, Server20_ASpentHandle) {
  const PartialRun run = SetUpBoth();
  ExpectValues(run, {{"a:0", Number(3)}, {"b:0", Number(1)}}, {"x:0", "y:0"},
               {Number(6), Number(7)});
  ExpectMisuse(run, {{"b:0", Number(1)}}, {"y:0"}, "PartialRunSetup");
}

}  // namespace
}  // namespace rheo::cluster_test
