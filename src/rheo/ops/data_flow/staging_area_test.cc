#include "rheo/ops/data_flow/staging_area.h"

#include <gtest/gtest.h>

namespace rheo::ops {
namespace {

struct Call {
  StopSource stop;
  bool is_done = false;
  Status status;
  int32_t value = 0;

  kernel::OpCall op() { return {.step = StepId(1), .node = "n", .stop = stop.get_token()}; }
  DoneCallback done() {
    return [this](Status s) {
      is_done = true;
      status = std::move(s);
    };
  }
  StagingArea::TupleCallback got() {
    return [this](StatusOr<Tuple> tuple) {
      is_done = true;
      status = tuple.status();
      if (tuple.ok()) value = (*tuple)[0].scalar<int32_t>();
    };
  }
};

Tuple Of(int32_t value) { return {Tensor::Scalar(value)}; }

TEST(StagingAreaTest, ATakeWaitsForAPut) {
  const auto area = std::make_shared<StagingArea>("a", StagingSpec{});
  Call take;
  Call put;
  area->Take(take.op(), take.got());
  EXPECT_EQ(area->Blocked()[0].waits_for, "a tuple of staging area 'a'");
  area->Put(put.op(), Of(3), put.done());
  EXPECT_EQ(take.value, 3);
}

TEST(StagingAreaTest, AStoppedTakeLeavesTheNextTuple) {
  const auto area = std::make_shared<StagingArea>("a", StagingSpec{});
  Call take;
  Call put;
  area->Take(take.op(), take.got());
  take.stop.request_stop();
  EXPECT_EQ(take.status.code(), StatusCode::kCancelled);
  area->Put(put.op(), Of(3), put.done());
  EXPECT_EQ(area->size(), 1);
}

TEST(StagingAreaTest, APeekWaitsForItsIndexAndHoldsUpNobody) {
  const auto area = std::make_shared<StagingArea>("a", StagingSpec{});
  Call far;
  Call near;
  area->Peek(far.op(), 1, far.got());
  area->Peek(near.op(), 0, near.got());
  Call put;
  area->Put(put.op(), Of(3), put.done());
  EXPECT_FALSE(far.is_done);
  EXPECT_EQ(near.value, 3);
  area->Put(put.op(), Of(4), put.done());
  EXPECT_EQ(far.value, 4);
}

TEST(StagingAreaTest, AFullAreaHoldsUpPuts) {
  const auto area = std::make_shared<StagingArea>("a", StagingSpec{.memory_limit = 6});
  Call first;
  Call second;
  area->Put(first.op(), Of(1), first.done());
  area->Put(second.op(), Of(2), second.done());
  EXPECT_FALSE(second.is_done);
  area->Clear();
  EXPECT_TRUE(second.status.ok());
  EXPECT_EQ(area->size(), 1);
}

}  // namespace
}  // namespace rheo::ops
