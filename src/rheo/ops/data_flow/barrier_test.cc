#include "rheo/ops/data_flow/barrier.h"

#include <gtest/gtest.h>

namespace rheo::ops {
namespace {

using Keys = std::vector<std::string>;

std::shared_ptr<Barrier> MakeBarrier() {
  return std::make_shared<Barrier>(
      "b", BarrierSpec{.dtypes = {DType::kInt32, DType::kInt32},
                       .shapes = {PartialShape::OfRank(0), PartialShape::OfRank(0)}});
}

Status Insert(Barrier& barrier, int component, const Keys& keys) {
  std::vector<Tensor> values(keys.size(), Tensor::Scalar<int32_t>(component));
  return barrier.Insert(component, keys, std::move(values));
}

struct Take {
  StopSource stop;
  bool is_done = false;
  Status status;
  Keys keys;
  std::vector<int64_t> indices;

  void Start(Barrier& barrier, Barrier::TakeOptions options) {
    barrier.Take({.step = StepId(1), .node = "take", .stop = stop.get_token()}, options,
                 [this](StatusOr<std::vector<Barrier::Element>> elements) {
                   is_done = true;
                   status = elements.status();
                   if (!elements.ok()) return;
                   for (const Barrier::Element& e : *elements) {
                     keys.push_back(e.key);
                     indices.push_back(e.index);
                   }
                 });
  }
};

TEST(BarrierTest, ElementsLeaveWhenCompleteInOrderOfTheirKeys) {
  const auto barrier = MakeBarrier();
  ASSERT_TRUE(Insert(*barrier, 0, {"k1", "k2"}).ok());
  EXPECT_EQ(barrier->incomplete_size(), 2);
  Take take;
  take.Start(*barrier, {.count = 2});
  ASSERT_TRUE(Insert(*barrier, 1, {"k3", "k2"}).ok());
  EXPECT_EQ(barrier->ready_size(), 1);
  EXPECT_FALSE(take.is_done);
  ASSERT_TRUE(Insert(*barrier, 0, {"k3"}).ok());
  EXPECT_EQ(take.keys, (Keys{"k2", "k3"}));
  EXPECT_EQ(take.indices, (std::vector<int64_t>{INT64_MIN, INT64_MIN + 1}));
}

TEST(BarrierTest, AComponentComesOnce) {
  const auto barrier = MakeBarrier();
  ASSERT_TRUE(Insert(*barrier, 0, {"k1"}).ok());
  EXPECT_EQ(Message(Insert(*barrier, 0, {"k2", "k1"})),
            "Key k1 already has a value for component 0 in barrier b");
  EXPECT_EQ(barrier->incomplete_size(), 1);
}

TEST(BarrierTest, AClosedBarrierTakesNoNewKeys) {
  const auto barrier = MakeBarrier();
  ASSERT_TRUE(Insert(*barrier, 0, {"k1"}).ok());
  ASSERT_TRUE(barrier->Close(false).ok());
  EXPECT_EQ(Message(barrier->Close(false)), "Barrier 'b' is already closed.");
  EXPECT_EQ(Insert(*barrier, 0, {"k2"}).code(), StatusCode::kCancelled);
  Take many;
  many.Start(*barrier, {.count = 3});
  EXPECT_EQ(Message(many.status),
            "Barrier 'b' is closed and has insufficient elements (requested 3, total size 1)");
  Take small;
  small.Start(*barrier, {.count = 3, .allow_small_batch = true, .wait_for_incomplete = true});
  EXPECT_FALSE(small.is_done);
  ASSERT_TRUE(Insert(*barrier, 1, {"k1"}).ok());
  EXPECT_EQ(small.keys, Keys{"k1"});
  ASSERT_TRUE(barrier->Close(true).ok());
}

TEST(BarrierTest, CancellingKeepsIncompleteElementsFromBeingCompleted) {
  const auto barrier = MakeBarrier();
  ASSERT_TRUE(Insert(*barrier, 0, {"k1"}).ok());
  Take take;
  take.Start(*barrier, {.count = 1});
  ASSERT_TRUE(barrier->Close(true).ok());
  EXPECT_EQ(take.status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(Insert(*barrier, 1, {"k1"}).code(), StatusCode::kCancelled);
}

TEST(BarrierTest, AStoppedTakeTakesNothing) {
  const auto barrier = MakeBarrier();
  Take take;
  take.Start(*barrier, {.count = 1});
  take.stop.request_stop();
  EXPECT_EQ(take.status.code(), StatusCode::kCancelled);
  ASSERT_TRUE(Insert(*barrier, 0, {"k1"}).ok());
  ASSERT_TRUE(Insert(*barrier, 1, {"k1"}).ok());
  EXPECT_EQ(barrier->ready_size(), 1);
}

}  // namespace
}  // namespace rheo::ops
