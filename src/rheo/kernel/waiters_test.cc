#include "rheo/kernel/waiters.h"

#include <gtest/gtest.h>

namespace rheo::kernel {
namespace {

// A number that ops take from; two lines, one served in order and one as can be.
class Store final : public Resource, public std::enable_shared_from_this<Store> {
 public:
  [[maybe_unused]] static constexpr std::string_view kTypeName = "Store";
  std::string Describe() const override { return "store"; }
  std::vector<BlockedOp> Blocked() const override { return waiters_.List(); }

  void Add(int n) {
    waiters_.Change([this, n] { there_ += n; });
  }
  int there() const {
    MutexLock lock(mutex_);
    return there_;
  }
  void EndTakers(const Status& status) {
    waiters_.Change([&] { waiters_.EndAll(0, status); });
  }
  // Takes n, bit by bit in line 0, all at once in line 1.
  void Take(size_t line, OpCall call, int n, DoneCallback done) {
    auto taken = std::make_shared<int>(0);
    waiters_.Start(line, {.owner = shared_from_this(),
                          .call = std::move(call),
                          .waits_for = fmt::format("{} things", n),
                          .run =
                              [this, n, line, taken](Status&) {
                                if (line == 1 && there_ < n) return Waiters::Progress::kNone;
                                const int now = std::min(there_, n - *taken);
                                there_ -= now;
                                *taken += now;
                                if (*taken == n) return Waiters::Progress::kDone;
                                return now > 0 ? Waiters::Progress::kSome
                                               : Waiters::Progress::kNone;
                              },
                          .give_back = [this, taken] { there_ += *taken; },
                          .stopped = "stopped while taking",
                          .done = std::move(done)});
  }

 private:
  mutable Mutex mutex_;
  int there_ = 0;
  Waiters waiters_{mutex_, {Waiters::Order::kFirst, Waiters::Order::kAny}};
};

struct Call {
  StopSource stop;
  bool is_done = false;
  Status status;

  OpCall op() { return {.step = StepId(7), .node = "take", .stop = stop.get_token()}; }
  DoneCallback callback() {
    return [this](Status s) {
      EXPECT_FALSE(is_done);
      is_done = true;
      status = std::move(s);
    };
  }
};

TEST(WaitersTest, AnAttemptThatNeedNotWaitEndsInTheCall) {
  const auto store = std::make_shared<Store>();
  store->Add(2);
  Call call;
  store->Take(0, call.op(), 2, call.callback());
  EXPECT_TRUE(call.is_done);
  EXPECT_TRUE(call.status.ok());
}

TEST(WaitersTest, TheFirstOfAnOrderedLineHoldsUpTheOthers) {
  const auto store = std::make_shared<Store>();
  Call large;
  Call small;
  store->Take(0, large.op(), 3, large.callback());
  store->Take(0, small.op(), 1, small.callback());
  store->Add(2);
  EXPECT_FALSE(large.is_done);
  EXPECT_FALSE(small.is_done);
  store->Add(2);
  EXPECT_TRUE(large.is_done);
  EXPECT_TRUE(small.is_done);
}

TEST(WaitersTest, WhoeverCanBeServedLeavesAnUnorderedLine) {
  const auto store = std::make_shared<Store>();
  Call large;
  Call small;
  store->Take(1, large.op(), 3, large.callback());
  store->Take(1, small.op(), 1, small.callback());
  store->Add(1);
  EXPECT_FALSE(large.is_done);
  EXPECT_TRUE(small.is_done);
  large.stop.request_stop();  // who waits keeps the store
}

TEST(WaitersTest, AStoppedOpGivesBackWhatItHadToTheNext) {
  const auto store = std::make_shared<Store>();
  Call large;
  Call small;
  store->Take(0, large.op(), 3, large.callback());
  store->Take(0, small.op(), 1, small.callback());
  store->Add(2);
  large.stop.request_stop();
  EXPECT_EQ(large.status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(large.status));
  EXPECT_EQ(Message(large.status), "stopped while taking");
  EXPECT_TRUE(small.is_done);
  EXPECT_EQ(store->there(), 1);
}

TEST(WaitersTest, AnOpThatIsStoppedBeforeItWaitsEndsAtOnce) {
  const auto store = std::make_shared<Store>();
  Call call;
  call.stop.request_stop();
  store->Take(0, call.op(), 3, call.callback());
  EXPECT_EQ(call.status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(store->Blocked().empty());
}

TEST(WaitersTest, ALineMayBeEnded) {
  const auto store = std::make_shared<Store>();
  Call call;
  store->Take(0, call.op(), 3, call.callback());
  store->EndTakers(OutOfRange("no more"));
  EXPECT_EQ(call.status.code(), StatusCode::kOutOfRange);
}

TEST(WaitersTest, TheResourceLivesAsLongAsAnOpWaits) {
  auto store = std::make_shared<Store>();
  const std::weak_ptr<Store> weak = store;
  Call call;
  store->Take(0, call.op(), 3, call.callback());
  store.reset();
  EXPECT_FALSE(weak.expired());
  call.stop.request_stop();
  EXPECT_TRUE(call.is_done);
  EXPECT_TRUE(weak.expired());
}

TEST(WaitersTest, TheManagerListsWhoWaits) {
  ResourceManager manager("ps");
  const auto store = std::make_shared<Store>();
  ASSERT_TRUE(manager.Create<Store>("", "s", store).ok());
  Call call;
  const auto before = std::chrono::steady_clock::now();
  store->Take(0, call.op(), 3, call.callback());
  const std::vector<BlockedOp> blocked = manager.Blocked();
  ASSERT_EQ(blocked.size(), 1u);
  EXPECT_EQ(blocked[0].step, StepId(7));
  EXPECT_EQ(blocked[0].node, "take");
  EXPECT_EQ(blocked[0].waits_for, "3 things");
  EXPECT_GE(blocked[0].since, before);
  call.stop.request_stop();
  EXPECT_TRUE(manager.Blocked().empty());
}

}  // namespace
}  // namespace rheo::kernel
