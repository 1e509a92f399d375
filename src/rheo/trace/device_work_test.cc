#include "rheo/trace/device_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace rheo::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kGpu = "/job:worker/replica:0/task:0/device:GPU:0";

class Records : public StepObserver {
 public:
  void OnNode(std::string_view device, NodeStats stats) override {
    all.emplace_back(device, stats.node_name);
    last = std::move(stats);
  }
  std::vector<std::pair<std::string, std::string>> all;
  NodeStats last;
};

TEST(DeviceWorkTest, KernelsAreOnTheirStreamAndOnAllOfThem) {
  Records records;
  const DeviceWork work(records, kGpu, "m", "m = MatMul(a, b)");
  work.Ran({.stream = 2, .enqueued_nanos = 5, .start_nanos = 7, .end_nanos = 10});
  EXPECT_THAT(records.all, ElementsAre(Pair(std::string(kGpu) + "/stream:all", "m:MatMul"),
                                       Pair(std::string(kGpu) + "/stream:2", "m:MatMul")));
  EXPECT_EQ(records.last.scheduled_nanos, 5);
  EXPECT_EQ(records.last.start_nanos, 7);
  EXPECT_EQ(records.last.end_rel_nanos, 3);
}

TEST(DeviceWorkTest, CopiesTellTheirBytesAndDirection) {
  Records records;
  const DeviceWork work(records, kGpu, "x", "x = _Recv()");
  work.Ran({.kind = WorkKind::kHostToDevice, .stream = 1, .num_bytes = 12});
  work.Ran({.kind = WorkKind::kDeviceToHost, .stream = 2, .num_bytes = 34});
  EXPECT_THAT(records.all, ElementsAre(Pair(std::string(kGpu) + "/memcpy", "x:MEMCPYHtoD"),
                                       Pair(std::string(kGpu) + "/stream:1", "x:MEMCPYHtoD"),
                                       Pair(std::string(kGpu) + "/memcpy", "x:MEMCPYDtoH"),
                                       Pair(std::string(kGpu) + "/stream:2", "x:MEMCPYDtoH")));
  ASSERT_EQ(records.last.outputs.size(), 1U);
  EXPECT_EQ(records.last.outputs[0].num_bytes, 34);
}

TEST(DeviceWorkTest, ScopesNestAndAreOfTheirThread) {
  Records records;
  const auto outer = std::make_shared<const DeviceWork>(records, kGpu, "a", "a = A()");
  EXPECT_EQ(CurrentDeviceWork(), nullptr);
  {
    const DeviceWorkScope scope(outer);
    EXPECT_EQ(CurrentDeviceWork(), outer);
    {
      const DeviceWorkScope hidden(nullptr);
      EXPECT_EQ(CurrentDeviceWork(), nullptr);
    }
    EXPECT_EQ(CurrentDeviceWork(), outer);
    std::thread([] { EXPECT_EQ(CurrentDeviceWork(), nullptr); }).join();
  }
  EXPECT_EQ(CurrentDeviceWork(), nullptr);
}

}  // namespace
}  // namespace rheo::trace
