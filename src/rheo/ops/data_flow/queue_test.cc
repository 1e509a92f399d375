#include "rheo/ops/data_flow/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "rheo/async/notification.h"

namespace rheo::ops {
namespace {

using kernel::OpCall;

struct Call {
  StopSource stop;
  bool is_done = false;
  Status status;
  std::vector<int32_t> values;

  OpCall op() { return {.step = StepId(1), .node = "n", .stop = stop.get_token()}; }
  DoneCallback done() {
    return [this](Status s) {
      EXPECT_FALSE(is_done);
      is_done = true;
      status = std::move(s);
    };
  }
  Queue::TuplesCallback got() {
    return [this](StatusOr<std::vector<Tuple>> tuples) {
      EXPECT_FALSE(is_done);
      is_done = true;
      status = tuples.status();
      if (!tuples.ok()) return;
      for (const Tuple& tuple : *tuples) values.push_back(tuple.back().scalar<int32_t>());
    };
  }
};

std::shared_ptr<Queue> MakeQueue(QueueSpec spec = {}) {
  if (spec.dtypes.empty()) spec.dtypes = {DType::kInt32};
  return std::make_shared<Queue>("q", std::move(spec));
}

Status Put(Queue& queue, const std::vector<int32_t>& values) {
  std::vector<Tuple> tuples;
  for (const int32_t v : values) tuples.push_back({Tensor::Scalar<int32_t>(v)});
  Call call;
  queue.Enqueue(call.op(), std::move(tuples), call.done());
  EXPECT_TRUE(call.is_done);
  return call.status;
}

std::vector<int32_t> Take(Queue& queue, int64_t n) {
  Call call;
  queue.Dequeue(call.op(), n, Queue::Count::kExactly, call.got());
  EXPECT_TRUE(call.is_done);
  return call.values;
}

Status Close(Queue& queue, Queue::Pending pending = Queue::Pending::kAwait) {
  Call call;
  queue.Close(call.op(), pending, call.done());
  EXPECT_TRUE(call.is_done);
  return call.status;
}

using Values = std::vector<int32_t>;

TEST(QueueTest, GivesInOrderOfArrival) {
  const auto queue = MakeQueue();
  ASSERT_TRUE(Put(*queue, {1, 2, 3}).ok());
  EXPECT_EQ(queue->size(), 3);
  EXPECT_EQ(Take(*queue, 2), (Values{1, 2}));
  EXPECT_EQ(Take(*queue, 0), Values{});
  EXPECT_EQ(Take(*queue, 1), Values{3});
}

TEST(QueueTest, AFullQueueTakesTheRestAsRoomComes) {
  const auto queue = MakeQueue({.capacity = 2});
  Call put;
  std::vector<Tuple> tuples;
  for (const int32_t v : {1, 2, 3, 4}) tuples.push_back({Tensor::Scalar<int32_t>(v)});
  queue->Enqueue(put.op(), std::move(tuples), put.done());
  EXPECT_FALSE(put.is_done);
  EXPECT_EQ(queue->size(), 2);
  EXPECT_EQ(Take(*queue, 1), Values{1});
  EXPECT_FALSE(put.is_done);
  EXPECT_EQ(Take(*queue, 3), (Values{2, 3, 4}));
  EXPECT_TRUE(put.is_done);
}

TEST(QueueTest, AStoppedDequeueGivesBackItsElementsInOrder) {
  const auto queue = MakeQueue();
  Call take;
  queue->Dequeue(take.op(), 3, Queue::Count::kExactly, take.got());
  ASSERT_TRUE(Put(*queue, {1, 2}).ok());
  EXPECT_EQ(queue->size(), 0);
  take.stop.request_stop();
  EXPECT_EQ(take.status.code(), StatusCode::kCancelled);
  EXPECT_EQ(Message(take.status), "Dequeue operation was cancelled");
  EXPECT_EQ(Take(*queue, 2), (Values{1, 2}));
}

TEST(QueueTest, ALargeDequeueHoldsUpLaterOnes) {
  const auto queue = MakeQueue();
  Call large;
  Call small;
  queue->Dequeue(large.op(), 2, Queue::Count::kExactly, large.got());
  queue->Dequeue(small.op(), 1, Queue::Count::kExactly, small.got());
  ASSERT_TRUE(Put(*queue, {1}).ok());
  EXPECT_FALSE(small.is_done);
  ASSERT_TRUE(Put(*queue, {2, 3}).ok());
  EXPECT_EQ(large.values, (Values{1, 2}));
  EXPECT_EQ(small.values, Values{3});
}

TEST(QueueTest, ClosingFailsWhoCannotBeServedAndKeepsWhatIsThere) {
  const auto queue = MakeQueue();
  Call take;
  queue->Dequeue(take.op(), 3, Queue::Count::kExactly, take.got());
  ASSERT_TRUE(Put(*queue, {1, 2}).ok());
  ASSERT_TRUE(Close(*queue).ok());
  EXPECT_EQ(take.status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Message(take.status),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 3, current size 2)");
  EXPECT_EQ(Message(Put(*queue, {3})), "FIFOQueue 'q' is closed.");
  EXPECT_EQ(Take(*queue, 2), (Values{1, 2}));
  Call more;
  queue->Dequeue(more.op(), 1, Queue::Count::kExactly, more.got());
  EXPECT_EQ(Message(more.status),
            "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
}

TEST(QueueTest, DequeueUpToTakesWhatIsLeft) {
  const auto queue = MakeQueue();
  Call take;
  queue->Dequeue(take.op(), 3, Queue::Count::kUpTo, take.got());
  ASSERT_TRUE(Put(*queue, {1, 2}).ok());
  EXPECT_FALSE(take.is_done);
  ASSERT_TRUE(Close(*queue).ok());
  EXPECT_EQ(take.values, (Values{1, 2}));
  Call more;
  queue->Dequeue(more.op(), 3, Queue::Count::kUpTo, more.got());
  EXPECT_EQ(more.status.code(), StatusCode::kOutOfRange);
}

TEST(QueueTest, CloseWaitsForPendingEnqueues) {
  const auto queue = MakeQueue({.capacity = 1});
  ASSERT_TRUE(Put(*queue, {1}).ok());
  Call put;
  Call close;
  Call late;
  queue->Enqueue(put.op(), {{Tensor::Scalar<int32_t>(2)}}, put.done());
  queue->Close(close.op(), Queue::Pending::kAwait, close.done());
  queue->Enqueue(late.op(), {{Tensor::Scalar<int32_t>(3)}}, late.done());
  EXPECT_FALSE(close.is_done);
  EXPECT_FALSE(queue->is_closed());
  EXPECT_EQ(Take(*queue, 1), Values{1});
  EXPECT_TRUE(put.status.ok());
  EXPECT_TRUE(close.is_done);
  EXPECT_EQ(Message(late.status), "FIFOQueue 'q' is closed.");
  EXPECT_TRUE(queue->is_closed());
  EXPECT_EQ(Message(Close(*queue)), "Queue 'q' is already closed.");
  EXPECT_TRUE(Close(*queue, Queue::Pending::kCancel).ok());
}

TEST(QueueTest, CloseMayCancelPendingEnqueues) {
  const auto queue = MakeQueue({.capacity = 1});
  ASSERT_TRUE(Put(*queue, {1}).ok());
  Call put;
  queue->Enqueue(put.op(), {{Tensor::Scalar<int32_t>(2)}}, put.done());
  ASSERT_TRUE(Close(*queue, Queue::Pending::kCancel).ok());
  EXPECT_EQ(put.status.code(), StatusCode::kCancelled);
  EXPECT_FALSE(IsDerived(put.status));
  EXPECT_EQ(Message(put.status), "Enqueue operation was cancelled");
  EXPECT_EQ(Take(*queue, 1), Values{1});
}

TEST(QueueTest, ShufflesAsTensorFlowWithTheSameSeeds) {
  const auto queue = MakeQueue({.kind = QueueKind::kRandomShuffle, .seed = 87654321, .seed2 = 7});
  ASSERT_TRUE(Put(*queue, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).ok());
  EXPECT_EQ(Take(*queue, 5), (Values{7, 1, 5, 6, 4}));
  EXPECT_EQ(Take(*queue, 3), (Values{3, 2, 0}));
}

TEST(QueueTest, AShuffledQueueKeepsItsMinimumUntilClosed) {
  const auto queue = MakeQueue({.kind = QueueKind::kRandomShuffle, .min_after_dequeue = 2});
  Call take;
  queue->Dequeue(take.op(), 1, Queue::Count::kExactly, take.got());
  ASSERT_TRUE(Put(*queue, {1, 2}).ok());
  EXPECT_FALSE(take.is_done);
  ASSERT_TRUE(Put(*queue, {3}).ok());
  EXPECT_TRUE(take.is_done);
  ASSERT_TRUE(Close(*queue).ok());
  EXPECT_EQ(Take(*queue, 2).size(), 2u);
}

TEST(QueueTest, PriorityComesFirstThenArrival) {
  const auto queue = MakeQueue({.kind = QueueKind::kPriority,
                                .dtypes = {DType::kInt64, DType::kInt32},
                                .shapes = {PartialShape::OfRank(0), PartialShape::OfRank(0)}});
  const auto put = [&](int64_t priority, int32_t value) {
    Call call;
    queue->Enqueue(call.op(), {{Tensor::Scalar(priority), Tensor::Scalar(value)}}, call.done());
    EXPECT_TRUE(call.is_done);
  };
  Call take;
  queue->Dequeue(take.op(), 2, Queue::Count::kExactly, take.got());
  put(3, 30);
  put(1, 10);
  EXPECT_EQ(take.values, (Values{10, 30}));
  put(2, 20);
  put(1, 11);
  put(1, 12);
  EXPECT_EQ(Take(*queue, 3), (Values{11, 12, 20}));
}

TEST(QueueTest, ChecksShapesAndOtherNodesAttrs) {
  const auto queue =
      MakeQueue({.dtypes = {DType::kInt32, DType::kInt32}, .shapes = {{2}, {2}}, .capacity = 5});
  const Tensor two = Tensor::Of<int32_t>({2}, {1, 2});
  const Tensor one = Tensor::Of<int32_t>({1}, {1});
  EXPECT_TRUE(queue->CheckTuple({two, two}).ok());
  EXPECT_EQ(Message(queue->CheckTuple({two, one})),
            "Shape mismatch in tuple component 1. Expected [2], got [1]");
  EXPECT_EQ(
      Message(queue->CheckBatch({Tensor(DType::kInt32, {2, 2}), Tensor(DType::kInt32, {3, 2})})),
      "Shape mismatch in tuple component 1. Expected [2,2], got [3,2]");
  QueueSpec other = queue->spec();
  EXPECT_TRUE(queue->CheckSame(other).ok());
  other.capacity = 6;
  EXPECT_EQ(Message(queue->CheckSame(other)),
            "Shared queue 'q' has capacity 5 but requested capacity was 6");
  other.kind = QueueKind::kRandomShuffle;
  other.op = "RandomShuffleQueueV2";
  EXPECT_EQ(Message(queue->CheckSame(other)), "Expected FIFOQueue, found RandomShuffleQueueV2");
}

// Elements come and go on several threads while takers are stopped at any moment: each element is
// taken exactly once.
TEST(QueueTest, NothingIsLostWhenTakersAreStopped) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 300;
  const auto queue = MakeQueue({.capacity = 4});
  std::atomic<int64_t> sum_put{0};
  std::atomic<int64_t> sum_taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const int32_t value = t * kRounds + i;
        Notification put;
        queue->Enqueue({}, {{Tensor::Scalar(value)}}, [&](const Status& s) {
          if (s.ok()) sum_put += value;
          put.Notify();
        });
        put.Wait();
      }
    });
    threads.emplace_back([&] {
      for (int left = kRounds; left > 0;) {
        StopSource stop;
        Notification over;
        int64_t taken = 0;
        int64_t count = 0;
        std::thread stopper([&stop] { stop.request_stop(); });
        queue->Dequeue({.step = StepId(1), .node = "take", .stop = stop.get_token()},
                       std::min(left, 2), Queue::Count::kExactly,
                       [&](StatusOr<std::vector<Tuple>> tuples) {
                         for (size_t k = 0; tuples.ok() && k < tuples->size(); ++k) {
                           taken += (*tuples)[k][0].scalar<int32_t>();
                           ++count;
                         }
                         over.Notify();
                       });
        over.Wait();
        stopper.join();
        sum_taken += taken;
        left -= static_cast<int>(count);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(queue->size(), 0);
  EXPECT_EQ(sum_taken.load(), sum_put.load());
  EXPECT_TRUE(queue->Blocked().empty());
}

TEST(QueueTest, ListsWhoWaits) {
  const auto queue = MakeQueue();
  Call take;
  queue->Dequeue(take.op(), 2, Queue::Count::kExactly, take.got());
  const std::vector<kernel::BlockedOp> blocked = queue->Blocked();
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(blocked[0].waits_for, "2 elements of FIFOQueue 'q'");
  take.stop.request_stop();
  EXPECT_TRUE(queue->Blocked().empty());
}

}  // namespace
}  // namespace rheo::ops
