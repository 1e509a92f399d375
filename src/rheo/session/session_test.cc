#include "rheo/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "rheo/session/fake_master.h"

namespace rheo::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  Session Make(SessionOptions options = {}) {
    StatusOr<Session> session = Session::Create(master_, {}, std::move(options));
    EXPECT_TRUE(session.ok());
    return *std::move(session);
  }

  std::shared_ptr<FakeMaster> master_ = std::make_shared<FakeMaster>();
};

TEST_F(SessionTest, CreateHandsOverGraphAndConfigAndWaitsForTheMaster) {
  graph::GraphDef graph;
  graph.nodes.push_back({.name = "n", .op = "NoOp"});
  SessionOptions options{.target = "grpc://h:1"};
  options.config.allow_soft_placement = true;
  ASSERT_TRUE(Session::Create(master_, graph, options).ok());
  EXPECT_EQ(master_->created.graph.nodes[0].name, "n");
  EXPECT_EQ(master_->created.target, "grpc://h:1");
  EXPECT_TRUE(master_->created.config.allow_soft_placement);
  EXPECT_TRUE(master_->last_call->wait_for_ready);
  EXPECT_TRUE(master_->last_call->deadline.has_value());
}

TEST_F(SessionTest, CreateReturnsTheMastersError) {
  master_->next_error = NotFound("no such op");
  EXPECT_EQ(Session::Create(master_, {}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(master_->closed, 0);
}

TEST_F(SessionTest, RunReturnsFetchesInOrderAndRepeatsThem) {
  const Session session = Make();
  const auto out =
      session.Run({.feeds = {{"x", Tensor::Scalar(1.0f)}}, .fetches = {"x", "y", "x"}});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 3u);
  EXPECT_EQ((*out)[0].scalar<float>(), 1);
  EXPECT_EQ((*out)[1].scalar<float>(), 7);
  EXPECT_EQ((*out)[2].scalar<float>(), 1);
  EXPECT_THAT(master_->step.fetches, ElementsAre("x", "y"));
}

TEST_F(SessionTest, RunNamesAFetchThatTheAnswerLacks) {
  const Session session = Make();
  const Status status = session.Run({.fetches = {"lost"}}).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("'lost'"));
}

TEST_F(SessionTest, RunPassesOptionsAndReturnsMetadata) {
  const Session session = Make();
  service::RunMetadata metadata;
  ASSERT_TRUE(session
                  .Run({.targets = {"t"},
                        .options = {.timeout = std::chrono::milliseconds(1500),
                                    .trace = service::TraceLevel::kFull},
                        .metadata = &metadata})
                  .ok());
  EXPECT_EQ(master_->step.options.timeout_ms, 1500);
  EXPECT_EQ(master_->step.options.trace, service::TraceLevel::kFull);
  EXPECT_TRUE(master_->last_call->deadline.has_value());
  EXPECT_EQ(metadata.cost_graph, "costs");
}

TEST_F(SessionTest, OperationTimeoutIsTheDefaultOfSteps) {
  SessionOptions options;
  options.config.operation_timeout_ms = 900;
  const Session session = Make(options);
  ASSERT_TRUE(session.Run({.targets = {"t"}}).ok());
  EXPECT_EQ(master_->step.options.timeout_ms, 900);
}

TEST_F(SessionTest, WithoutATimeoutAStepHasNoDeadline) {
  const Session session = Make();
  ASSERT_TRUE(session.Run({.targets = {"t"}}).ok());
  EXPECT_FALSE(master_->last_call->deadline.has_value());
}

TEST_F(SessionTest, ATimeoutBeyondAllMeasureIsNoDeadline) {
  const Session session = Make();
  ASSERT_TRUE(
      session.Run({.targets = {"t"}, .options = {.timeout = std::chrono::milliseconds::max()}})
          .ok());
  EXPECT_FALSE(master_->last_call->deadline.has_value());
}

TEST_F(SessionTest, ExtendCountsVersionsAndKeepsThemAfterAnError) {
  const Session session = Make();
  EXPECT_TRUE(session.Extend({}).ok());
  master_->next_error = InvalidArgument("bad node");
  EXPECT_FALSE(session.Extend({}).ok());
  EXPECT_TRUE(session.Extend({}).ok());
  EXPECT_THAT(master_->extended, ElementsAre(3, 4, 4));
}

TEST_F(SessionTest, RunAfterCloseReturnsFailedPrecondition) {
  const Session session = Make();
  EXPECT_TRUE(session.Close().ok());
  EXPECT_EQ(session.Run({.targets = {"t"}}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(session.Extend({}).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(session.Prepare({}, {}).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(SessionTest, ClosesOnceWhetherByCloseOrByDestruction) {
  {
    const Session session = Make();
    EXPECT_TRUE(session.Close().ok());
    EXPECT_TRUE(session.Close().ok());
  }
  EXPECT_EQ(master_->closed, 1);
  { const Session session = Make(); }
  EXPECT_EQ(master_->closed, 2);
}

TEST_F(SessionTest, MovingASessionClosesOnlyWhatIsReplaced) {
  Session a = Make();
  Session b = Make();
  a = std::move(b);
  EXPECT_EQ(master_->closed, 1);
  EXPECT_TRUE(a.Run({.targets = {"t"}}).ok());
}

TEST_F(SessionTest, ListsLocalDevicesFirst) {
  const Session session = Make();
  const auto devices = session.ListDevices();
  ASSERT_TRUE(devices.ok());
  EXPECT_EQ((*devices)[0].name, "local");
  EXPECT_EQ((*devices)[1].name, "remote");
}

TEST_F(SessionTest, ResetNamesTheContainers) {
  EXPECT_TRUE(Session::Reset(*master_, {"c"}).ok());
  EXPECT_THAT(master_->reset, ElementsAre("c"));
}

TEST_F(SessionTest, CallableRunsAgainAndAgain) {
  const Session session = Make();
  const StatusOr<Callable> callable = session.Prepare({"a", "b"}, {"c", "d"}, {"t"});
  ASSERT_TRUE(callable.ok());
  EXPECT_THAT(master_->callable.feeds, ElementsAre("a", "b"));
  EXPECT_THAT(master_->callable.targets, ElementsAre("t"));
  for (int i = 0; i < 3; ++i) {
    const auto out = callable->Run({Tensor::Scalar(static_cast<float>(i)), Tensor::Scalar(10.0f)});
    ASSERT_TRUE(out.ok());
    EXPECT_EQ((*out)[0].scalar<float>(), 2.0f * static_cast<float>(i));
    EXPECT_EQ((*out)[1].scalar<float>(), 20);
  }
}

TEST_F(SessionTest, CallableLetsGoOfItsFeeds) {
  const Session session = Make();
  const StatusOr<Callable> callable = session.Prepare({"a"}, {"b"});
  const Tensor feed = Tensor::Scalar(1.0f);
  ASSERT_TRUE(callable->Run(std::span(&feed, 1)).ok());
  EXPECT_TRUE(feed.is_unique());
}

TEST_F(SessionTest, CallableChecksTheNumberOfFeeds) {
  const Session session = Make();
  const StatusOr<Callable> callable = session.Prepare({"a"}, {"b"});
  EXPECT_EQ(callable->Run().status().code(), StatusCode::kInvalidArgument);
}

TEST_F(SessionTest, CallableReturnsTheStepsErrorAndRunsOn) {
  const Session session = Make();
  const StatusOr<Callable> callable = session.Prepare({"a"}, {"b"});
  master_->next_error = OutOfRange("end of data");
  EXPECT_EQ(callable->Run({Tensor::Scalar(1.0f)}).status().code(), StatusCode::kOutOfRange);
  EXPECT_TRUE(callable->Run({Tensor::Scalar(1.0f)}).ok());
}

TEST_F(SessionTest, CallableIsReleasedOnceAndFailsAfterTheSession) {
  std::optional<Session> session = Make();
  { const StatusOr<Callable> callable = session->Prepare({}, {}); }
  EXPECT_EQ(master_->released, 1);
  StatusOr<Callable> late = session->Prepare({}, {});
  session.reset();
  EXPECT_EQ(late->Run().status().code(), StatusCode::kFailedPrecondition);
  late = Cancelled("");
  EXPECT_EQ(master_->released, 1);
}

TEST_F(SessionTest, CallableMayBeRunFromSeveralThreads) {
  const Session session = Make();
  const StatusOr<Callable> callable = session.Prepare({"a"}, {"b"});
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<Tensor> fetches;
      for (int i = 0; i < 1000; ++i) {
        const Tensor feed = Tensor::Scalar(static_cast<float>(t * 1000 + i));
        const Status status = callable->RunInto(std::span(&feed, 1), fetches);
        if (!status.ok() || fetches[0].scalar<float>() != 2 * feed.scalar<float>()) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SessionTest, PartialRunCarriesItsHandle) {
  const Session session = Make();
  const StatusOr<PartialRun> run = session.SetupPartialRun({"x"}, {"y"});
  ASSERT_TRUE(run.ok());
  EXPECT_TRUE(run->Run({{"x", Tensor::Scalar(1.0f)}}, {"y"}).ok());
  EXPECT_EQ(master_->step.partial_run_handle, "partial");
}

}  // namespace
}  // namespace rheo::session
