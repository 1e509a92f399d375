// Queues and accumulators from C++.
#include <gtest/gtest.h>
#include <rheo/client.h>

#include <thread>

namespace rheo {
namespace {

const std::vector<DType> kOneFloat = {DType::kFloat};

class QueuesTest : public ::testing::Test {
 protected:
  Session Make() {
    StatusOr<Session> session = Session::Create(g_);
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  Scope g_ = Scope::NewRoot();
  Output queue_ = ops::FIFOQueueV2(g_, kOneFloat, {.shapes = {PartialShape{2}}});
  Output x_ = ops::Placeholder(g_, DType::kFloat, {.shape = {2}});
  Operation put_ = ops::QueueEnqueueV2(g_, queue_, {x_});
  Output take_ = ops::QueueDequeueV2(g_, queue_, kOneFloat)[0];
  Output take_two_ = ops::QueueDequeueManyV2(g_, queue_, 2, kOneFloat)[0];
  Operation close_ = ops::QueueCloseV2(g_, queue_);
  const Tensor row_ = Tensor::Of<float>({2}, {1, 2});
};

TEST_F(QueuesTest, ElementsPassFromStepToStep) {
  Session session = Make();
  ASSERT_TRUE(session.Run({.feeds = {{x_, row_}}, .targets = {put_}}).ok());
  const auto out = session.Run({.fetches = {take_}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0], row_);
}

TEST_F(QueuesTest, ABlockedStepGoesOnWhenElementsCome) {
  Session session = Make();
  StatusOr<std::vector<Tensor>> out = Internal("not run");
  std::thread taker([&] { out = session.Run({.fetches = {take_two_}}); });
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(session.Run({.feeds = {{x_, row_}}, .targets = {put_}}).ok());
  }
  taker.join();
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0], Tensor::Of<float>({2, 2}, {1, 2, 1, 2}));
}

TEST_F(QueuesTest, ATimedOutStepLosesNothing) {
  Session session = Make();
  ASSERT_TRUE(session.Run({.feeds = {{x_, row_}}, .targets = {put_}}).ok());
  RunOptions options;
  options.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(session.Run({.fetches = {take_two_}, .options = options}).status().code(),
            StatusCode::kDeadlineExceeded);
  const auto out = session.Run({.fetches = {take_}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0], row_);
}

TEST_F(QueuesTest, AClosedQueueIsOutOfRange) {
  Session session = Make();
  ASSERT_TRUE(session.Run({.targets = {close_}}).ok());
  EXPECT_EQ(session.Run({.fetches = {take_}}).status().code(), StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace rheo
