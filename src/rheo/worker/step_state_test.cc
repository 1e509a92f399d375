#include "rheo/worker/step_state.h"

#include <gtest/gtest.h>

#include "rheo/worker/step_table.h"

namespace rheo::worker {
namespace {

using rendezvous::Item;
using rendezvous::PushedTensor;
using rendezvous::RendezvousKey;

constexpr char kOwn[] = "/job:ps/replica:0/task:0";

RendezvousKey KeyTo(const std::string& task, const std::string& edge) {
  return RendezvousKey({.src_device = std::string(kOwn) + "/device:CPU:0",
                        .src_incarnation = Incarnation(1),
                        .dst_device = task + "/device:CPU:0",
                        .edge = edge});
}

// Keeps what is pushed; the test answers.
class FakeTransport final : public rendezvous::TensorTransport {
 public:
  struct Message {
    std::string task;
    std::vector<PushedTensor> tensors;
    DoneCallback done;
  };
  void Pull(StepId, const RendezvousKey&, StopToken, rendezvous::RecvCallback) override {}
  bool CanPush(std::string_view) const override { return true; }
  void Push(std::string_view task, std::vector<PushedTensor> tensors, DoneCallback done) override {
    messages.push_back({std::string(task), std::move(tensors), std::move(done)});
  }
  std::vector<Message> messages;
};

class StepRendezvousTest : public ::testing::Test {
 protected:
  StepRendezvousTest() {
    auto routes = std::make_shared<GraphRoutes>();
    routes->task = kOwn;
    routes->transport = transport_;
    routes->pushed_edges = {"a", "b", "c"};
    routes->pushes = true;
    step_->SetRoutes(std::move(routes));
  }
  // Callbacks that were not called keep the step, which keeps the transport.
  ~StepRendezvousTest() override { transport_->messages.clear(); }
  void Send(int worker, const std::string& edge) {
    const std::string task = "/job:worker/replica:0/task:" + std::to_string(worker);
    ASSERT_TRUE(step_->Send(KeyTo(task, edge), Item{.tensor = Tensor::Scalar(1.0f)}).ok());
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  std::shared_ptr<StepRendezvous> step_ = std::make_shared<StepRendezvous>(StepId(7), StopSource());
};

TEST_F(StepRendezvousTest, ValuesForATaskLeaveTogetherWhenTheyAreFlushed) {
  Send(0, "a");
  Send(1, "b");
  Send(0, "c");
  EXPECT_TRUE(transport_->messages.empty());
  step_->FlushPushes();
  ASSERT_EQ(transport_->messages.size(), 2u);
  EXPECT_EQ(transport_->messages[0].task, "/job:worker/replica:0/task:0");
  ASSERT_EQ(transport_->messages[0].tensors.size(), 2u);
  EXPECT_EQ(transport_->messages[0].tensors[1].key.channel().edge, "c");
  EXPECT_EQ(transport_->messages[1].tensors.size(), 1u);
  step_->FlushPushes();
  EXPECT_EQ(transport_->messages.size(), 2u);
}

TEST_F(StepRendezvousTest, ValuesThatTheAnswerCarriesAreNotPushed) {
  Send(0, "a");
  Send(1, "b");
  const std::vector<PushedTensor> taken = step_->TakePushes("/job:worker/replica:0/task:0");
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].key.channel().edge, "a");
  EXPECT_EQ(taken[0].step, StepId(7));
  bool ended = false;
  step_->WhenPushed([&](const Status& status) { ended = status.ok(); });
  ASSERT_EQ(transport_->messages.size(), 1u);
  EXPECT_FALSE(ended);
  std::move(transport_->messages[0].done)(OkStatus());
  EXPECT_TRUE(ended);
}

TEST_F(StepRendezvousTest, AFailedPushFailsTheStep) {
  Send(0, "a");
  Status end;
  step_->WhenPushed([&](Status status) { end = std::move(status); });
  std::move(transport_->messages[0].done)(Unavailable("worker 0 is gone"));
  EXPECT_EQ(end, Unavailable("worker 0 is gone"));
}

TEST(StepTableTest, AValueThatComesAfterTheEndOfItsStepGoesNowhere) {
  StepTable table;
  const std::shared_ptr<StepState> state = table.FindOrCreate(StepId(7)).state();
  EXPECT_EQ(table.FindOrCreate(StepId(7)).state(), state);
  table.Remove(StepId(7));
  const std::shared_ptr<StepState> late = table.FindOrCreate(StepId(7)).state();
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->rendezvous->local().Send(KeyTo(kOwn, "a"), Item{}).code(), StatusCode::kAborted);
  EXPECT_TRUE(table.All().empty());
}

}  // namespace
}  // namespace rheo::worker
