#include "rheo/rendezvous/local_rendezvous.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace rheo::rendezvous {
namespace {

RendezvousKey Key(const std::string& edge, int64_t iteration = 0) {
  return RendezvousKey(Channel{.src_device = "/job:a/replica:0/task:0/device:CPU:0",
                               .src_incarnation = Incarnation(7),
                               .dst_device = "/job:a/replica:0/task:0/device:CPU:0",
                               .edge = edge},
                       0, iteration);
}

Item Value(float v) { return Item{.tensor = Tensor::Scalar(v)}; }

struct Answer {
  int calls = 0;
  Status status;
  Item item;
  RecvCallback Callback() {
    return [this](StatusOr<Item> result) {
      ++calls;
      status = result.status();
      if (result.ok()) item = *std::move(result);
    };
  }
};

TEST(LocalRendezvousTest, ValueSentFirstIsReceived) {
  LocalRendezvous r;
  ASSERT_TRUE(r.Send(Key("e"), Value(1)).ok());
  Answer a;
  r.Recv(Key("e"), {}, a.Callback());
  EXPECT_EQ(a.calls, 1);
  EXPECT_EQ(a.item.tensor.scalar<float>(), 1);
}

TEST(LocalRendezvousTest, WaiterIsAnsweredBySend) {
  LocalRendezvous r;
  Answer a;
  r.Recv(Key("e"), {}, a.Callback());
  EXPECT_EQ(a.calls, 0);
  EXPECT_EQ(r.Waiting().size(), 1u);
  ASSERT_TRUE(r.Send(Key("e"), Value(2)).ok());
  EXPECT_EQ(a.item.tensor.scalar<float>(), 2);
  EXPECT_TRUE(r.Waiting().empty());
}

TEST(LocalRendezvousTest, OneKeyIsAFifoOfValuesAndOfWaiters) {
  LocalRendezvous r;
  ASSERT_TRUE(r.Send(Key("e"), Value(1)).ok());
  ASSERT_TRUE(r.Send(Key("e"), Value(2)).ok());
  Answer a, b, c, d;
  r.Recv(Key("e"), {}, a.Callback());
  r.Recv(Key("e"), {}, b.Callback());
  r.Recv(Key("e"), {}, c.Callback());
  r.Recv(Key("e"), {}, d.Callback());
  ASSERT_TRUE(r.Send(Key("e"), Value(3)).ok());
  EXPECT_EQ(a.item.tensor.scalar<float>(), 1);
  EXPECT_EQ(b.item.tensor.scalar<float>(), 2);
  EXPECT_EQ(c.item.tensor.scalar<float>(), 3);
  EXPECT_EQ(d.calls, 0);
  r.Abort(Internal("end"));
}

TEST(LocalRendezvousTest, KeysOfManyIterationsStayApart) {
  LocalRendezvous r;
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(r.Send(Key("e").At(5, i), Value(static_cast<float>(i))).ok());
  for (int i = 99; i >= 0; --i) {
    Answer a;
    r.Recv(Key("e").At(5, i), {}, a.Callback());
    EXPECT_EQ(a.item.tensor.scalar<float>(), static_cast<float>(i));
  }
}

TEST(LocalRendezvousTest, AbortAnswersPresentAndFutureCalls) {
  LocalRendezvous r;
  Answer before, after;
  r.Recv(Key("e"), {}, before.Callback());
  r.Abort(Aborted("gone"));
  r.Recv(Key("f"), {}, after.Callback());
  EXPECT_EQ(before.status.code(), StatusCode::kAborted);
  EXPECT_TRUE(IsDerived(before.status));
  EXPECT_EQ(after.status.code(), StatusCode::kAborted);
  EXPECT_EQ(r.Send(Key("e"), Value(1)).code(), StatusCode::kAborted);
  r.Abort(Internal("second"));
  EXPECT_EQ(r.Send(Key("e"), Value(1)).code(), StatusCode::kAborted);
}

TEST(LocalRendezvousTest, StopAnswersTheWaiterAndLosesNoValue) {
  LocalRendezvous r;
  StopSource source;
  Answer a, b;
  r.Recv(Key("e"), source.get_token(), a.Callback());
  source.request_stop();
  EXPECT_EQ(a.status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(a.status));
  ASSERT_TRUE(r.Send(Key("e"), Value(4)).ok());
  r.Recv(Key("e"), {}, b.Callback());
  EXPECT_EQ(b.item.tensor.scalar<float>(), 4);
  EXPECT_EQ(a.calls, 1);
}

TEST(LocalRendezvousTest, StopThatCameBeforeAnswersAtOnce) {
  LocalRendezvous r;
  StopSource source;
  source.request_stop();
  Answer a;
  r.Recv(Key("e"), source.get_token(), a.Callback());
  EXPECT_EQ(a.calls, 1);
  EXPECT_EQ(a.status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(r.Waiting().empty());
}

TEST(LocalRendezvousTest, EndAnswersWaiters) {
  Answer a;
  {
    LocalRendezvous r;
    r.Recv(Key("e"), {}, a.Callback());
  }
  EXPECT_EQ(a.calls, 1);
  EXPECT_EQ(a.status.code(), StatusCode::kCancelled);
}

TEST(LocalRendezvousTest, RacingSendStopAndAbortAnswerExactlyOnce) {
  for (int round = 0; round < 500; ++round) {
    LocalRendezvous r;
    StopSource source;
    std::atomic<int> calls{0};
    std::thread receiver(
        [&] { r.Recv(Key("e"), source.get_token(), [&](StatusOr<Item>) { ++calls; }); });
    std::thread stopper([&] { source.request_stop(); });
    // Either order is right; an abort may come first.
    (void)r.Send(Key("e"), Value(1));
    receiver.join();
    stopper.join();
    r.Abort(Internal("end"));
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace rheo::rendezvous
