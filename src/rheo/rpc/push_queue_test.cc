#include "rheo/rpc/push_queue.h"

#include <gtest/gtest.h>

#include <vector>

#include "rheo/rpc/fake_services.h"

namespace rheo::rpc {
namespace {

using service::PushTensorsRequest;

rendezvous::PushedTensor Pushed(int step) {
  return {StepId(step),
          rendezvous::RendezvousKey({.src_device = "a", .dst_device = "b", .edge = "e"}),
          {.tensor = Tensor::Scalar(static_cast<float>(step))}};
}

// A worker whose answers the test gives.
class PushQueueTest : public ::testing::Test {
 protected:
  PushQueueTest() {
    worker_->push_tensors.Run([this](const PushTensorsRequest& request,
                                     service::PushTensorsResponse*, const service::Call&,
                                     DoneCallback done) {
      std::vector<int64_t> steps;
      for (const auto& entry : request.tensors) steps.push_back(entry.step.value);
      messages_.push_back(steps);
      held_.push_back(std::move(done));
    });
  }

  void Push(std::vector<int> steps) {
    std::vector<rendezvous::PushedTensor> tensors;
    for (int step : steps) tensors.push_back(Pushed(step));
    queue_->Push(std::move(tensors), [this](Status s) { answers_.push_back(s); });
  }
  // As many messages as may be in flight, each of step 0.
  void FillWindow() {
    for (int i = 0; i < PushQueue::kMaxInFlight; ++i) Push({0});
  }
  const std::vector<std::vector<int64_t>> kFullWindow =
      std::vector<std::vector<int64_t>>(PushQueue::kMaxInFlight, {0});

  void Answer(Status status) {
    DoneCallback done = std::move(held_.back());
    held_.pop_back();
    std::move(done)(status);
  }

  std::shared_ptr<FakeWorker> worker_ = std::make_shared<FakeWorker>();
  std::shared_ptr<PushQueue> queue_ = std::make_shared<PushQueue>(worker_);
  std::vector<std::vector<int64_t>> messages_;
  std::vector<DoneCallback> held_;
  std::vector<Status> answers_;
};

TEST_F(PushQueueTest, WhatWaitsForAMessageInFlightLeavesTogetherInOrder) {
  FillWindow();
  Push({2, 3});
  Push({4});
  EXPECT_EQ(messages_, kFullWindow);
  Answer(OkStatus());
  auto expected = kFullWindow;
  expected.push_back({2, 3, 4});
  EXPECT_EQ(messages_, expected);
  EXPECT_EQ(answers_.size(), 1u);
  while (!held_.empty()) Answer(OkStatus());
  EXPECT_EQ(answers_, std::vector<Status>(PushQueue::kMaxInFlight + 2, OkStatus()));
  EXPECT_EQ(messages_, expected);
}

TEST_F(PushQueueTest, AnErrorGoesToThoseInTheMessageAndNothingIsSentTwice) {
  Push({1});
  Push({2});
  Answer(Unavailable("down"));
  Answer(OkStatus());
  EXPECT_EQ(answers_, (std::vector<Status>{Unavailable("down"), OkStatus()}));
  EXPECT_EQ(messages_, (std::vector<std::vector<int64_t>>{{1}, {2}}));
}

TEST_F(PushQueueTest, AnswersInsideTheCallDoNotRecurse) {
  int sent = 0;
  worker_->push_tensors.Run([&](const PushTensorsRequest&, service::PushTensorsResponse*,
                                const service::Call&, DoneCallback done) {
    // Each message but the last brings the next one while it is in flight.
    if (++sent < 100'000) Push({sent});
    std::move(done)(OkStatus());
  });
  Push({0});
  EXPECT_EQ(sent, 100'000);
  EXPECT_EQ(answers_.size(), 100'000u);
}

TEST_F(PushQueueTest, AMessageIsClosedOnceItIsLarge) {
  FillWindow();
  for (int i = 1; i <= 3; ++i) {
    auto large = Pushed(i);
    large.item.tensor = Tensor(DType::kUint8, Shape{int64_t{16} << 20});
    std::vector<rendezvous::PushedTensor> tensors;
    tensors.push_back(std::move(large));
    queue_->Push(std::move(tensors), [](Status) {});
  }
  Answer(OkStatus());
  auto expected = kFullWindow;
  expected.push_back({1});
  EXPECT_EQ(messages_, expected);
  while (!held_.empty()) Answer(OkStatus());
  expected.push_back({2});
  expected.push_back({3});
  EXPECT_EQ(messages_, expected);
}

}  // namespace
}  // namespace rheo::rpc
