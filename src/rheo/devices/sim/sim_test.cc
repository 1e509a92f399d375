#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/devices/sim/device.h"
#include "rheo/devices/sim/factory.h"
#include "rheo/trace/device_work.h"

namespace rheo::devices::sim {
namespace {

constexpr std::string_view kTask = "/job:worker/replica:0/task:0";
constexpr size_t kMegabyte = size_t{1} << 20;

std::unique_ptr<SimDevice> MakeDevice(size_t num_bytes = kMegabyte) {
  return SimDevice::Create(std::string(kTask) + "/device:GPU:0", num_bytes).value();
}

// A kernel that runs until the gate opens.
void EnqueueBlocked(SimDevice& device, Notification& gate) {
  device.stream()->Enqueue([&gate] { gate.Wait(); });
}

StatusOr<Tensor> ToDevice(SimDevice& device, const Tensor& tensor) {
  StatusOr<Tensor> result = Internal("not called");
  Notification copied;
  device.CopyFromHost(tensor, [&](StatusOr<Tensor> copy) {
    result = std::move(copy);
    copied.Notify();
  });
  copied.Wait();
  return result;
}

StatusOr<Tensor> ToHost(SimDevice& device, const Tensor& tensor) {
  StatusOr<Tensor> result = Internal("not called");
  Notification copied;
  device.CopyToHost(tensor, [&](StatusOr<Tensor> copy) {
    result = std::move(copy);
    copied.Notify();
  });
  copied.Wait();
  return result;
}

TEST(SimFactoryTest, MakesGpusOnlyWhenAsked) {
  const auto factory = MakeFactory({.bytes_per_device = kMegabyte});
  EXPECT_EQ(factory->type(), "GPU");
  EXPECT_EQ(factory->DefaultCount(), 0);
  const auto devices = factory->Make(std::string(kTask), 2);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ((*devices)[1]->info().name, std::string(kTask) + "/device:GPU:1");
  EXPECT_EQ((*devices)[1]->info().memory_limit, static_cast<int64_t>(kMegabyte));
  EXPECT_NE((*devices)[0]->info().incarnation, (*devices)[1]->info().incarnation);
}

TEST(SimDeviceTest, TensorsSurviveTheWayThereAndBack) {
  const auto device = MakeDevice();
  const Tensor there = Tensor::Of<float>(Shape({2, 2}), {1, 2, 3, 4});
  const auto on_device = ToDevice(*device, there);
  ASSERT_TRUE(on_device.ok()) << on_device.status();
  EXPECT_TRUE(device->memory().Contains(on_device->data()));
  const auto back = ToHost(*device, *on_device);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, there);
  EXPECT_FALSE(device->memory().Contains(back->data()));
}

TEST(SimFactoryTest, GivesTheTasksShareOfTheMemory) {
  const auto limit = [](double fraction) -> StatusOr<int64_t> {
    const auto factory = MakeFactory({.bytes_per_device = kMegabyte, .memory_fraction = fraction});
    RHEO_ASSIGN_OR_RETURN(const auto devices, factory->Make(std::string(kTask), 1));
    return devices[0]->info().memory_limit;
  };
  EXPECT_EQ(limit(0.25).value(), static_cast<int64_t>(kMegabyte / 4));
  EXPECT_EQ(limit(1).value(), static_cast<int64_t>(kMegabyte));
  for (const double wrong : {-0.5, 1.5, std::nan("")}) {
    EXPECT_EQ(limit(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(SimDeviceTest, CopiesRunBesideKernels) {
  const auto device = MakeDevice();
  const auto there = ToDevice(*device, Tensor::Scalar<float>(2));
  ASSERT_TRUE(there.ok());
  // To the host: after the kernels before it, beside those after it.
  Notification first;
  Notification second;
  Notification copied;
  EnqueueBlocked(*device, first);
  device->CopyToHost(*there, [&](StatusOr<Tensor> copy) {
    EXPECT_EQ(copy.value(), Tensor::Scalar<float>(2));
    copied.Notify();
  });
  EnqueueBlocked(*device, second);
  // From the host: beside all.
  EXPECT_TRUE(ToDevice(*device, Tensor::Scalar<float>(3)).ok());
  EXPECT_FALSE(copied.HasBeenNotified());
  first.Notify();
  copied.Wait();
  second.Notify();
}

class Records final : public trace::StepObserver {
 public:
  void OnNode(std::string_view device, trace::NodeStats stats) override {
    MutexLock lock(mutex_);
    names_.push_back(fmt::format("{} {}", device, stats.node_name));
  }
  std::vector<std::string> names() {
    MutexLock lock(mutex_);
    return names_;
  }

 private:
  Mutex mutex_;
  std::vector<std::string> names_ RHEO_GUARDED_BY(mutex_);
};

TEST(SimDeviceTest, TellsTracedStepsWhatRan) {
  const auto device = MakeDevice();
  Records records;
  Notification idle;
  {
    const trace::DeviceWorkScope scope(
        std::make_shared<const trace::DeviceWork>(records, "gpu", "n", "n = Op()"));
    const auto there = ToDevice(*device, Tensor::Scalar<float>(2));
    ASSERT_TRUE(there.ok());
    ASSERT_TRUE(ToHost(*device, *there).ok());
    device->stream()->Enqueue([] {});
  }
  device->stream()->Enqueue([] {});  // of no traced step
  device->stream()->WhenDone([&](const Status&) { idle.Notify(); });
  idle.Wait();
  EXPECT_THAT(records.names(),
              ::testing::ElementsAre("gpu/memcpy n:MEMCPYHtoD", "gpu/stream:1 n:MEMCPYHtoD",
                                     "gpu/memcpy n:MEMCPYDtoH", "gpu/stream:2 n:MEMCPYDtoH",
                                     "gpu/stream:all n:Op", "gpu/stream:0 n:Op"));
}

TEST(SimDeviceTest, EmptyTensorsTravelToo) {
  const auto device = MakeDevice();
  const auto on_device = ToDevice(*device, Tensor(DType::kFloat, Shape({0, 3})));
  ASSERT_TRUE(on_device.ok()) << on_device.status();
  EXPECT_EQ(ToHost(*device, *on_device)->shape(), Shape({0, 3}));
}

TEST(SimDeviceTest, StringsStayInHostMemory) {
  const auto device = MakeDevice();
  EXPECT_EQ(ToDevice(*device, Tensor::Scalar("text")).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(SimDeviceDeathTest, HostCodeCannotTouchDeviceMemory) {
  const auto device = MakeDevice();
  const auto on_device = ToDevice(*device, Tensor::Scalar<float>(1));
  ASSERT_TRUE(on_device.ok());
  EXPECT_DEATH({ [[maybe_unused]] volatile float x = on_device->scalar<float>(); }, "");
}

TEST(SimDeviceTest, FullMemoryIsResourceExhausted) {
  const auto device = MakeDevice();
  const Tensor half(DType::kUint8, Shape({static_cast<int64_t>(kMegabyte / 2)}));
  auto first = ToDevice(*device, half);
  const auto second = ToDevice(*device, half);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(ToDevice(*device, Tensor::Scalar<float>(1)).status().code(),
            StatusCode::kResourceExhausted);
  *first = Tensor();
  EXPECT_TRUE(ToDevice(*device, Tensor::Scalar<float>(1)).ok());
}

TEST(SimAllocatorTest, FreedNeighboursGrowTogether) {
  const auto memory = SimMemory::Create(4 * kTensorAlignment).value();
  SimAllocator allocator("test", *memory);
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(allocator.Allocate(kTensorAlignment));
  EXPECT_EQ(allocator.Allocate(1), nullptr);
  for (const size_t i : {0U, 2U, 1U, 3U}) allocator.Deallocate(blocks[i], kTensorAlignment);
  void* const all = allocator.Allocate(4 * kTensorAlignment);
  EXPECT_EQ(all, blocks[0]);
  allocator.Deallocate(all, 4 * kTensorAlignment);
  EXPECT_EQ(allocator.stats().bytes_in_use, 0);
  EXPECT_EQ(allocator.stats().peak_bytes_in_use, static_cast<int64_t>(4 * kTensorAlignment));
}

TEST(SimStreamTest, WorkRunsInOrderAndLater) {
  SimStream stream("test", 0);
  Notification gate;
  Notification done;
  std::vector<int> order;  // touched by the stream's thread alone until `done`
  stream.Enqueue([&] { gate.Wait(); });
  for (int i = 0; i < 100; ++i) stream.Enqueue([&order, i] { order.push_back(i); });
  stream.WhenDone([&](Status status) {
    EXPECT_TRUE(status.ok());
    done.Notify();
  });
  EXPECT_FALSE(done.HasBeenNotified());
  gate.Notify();
  done.Wait();
  ASSERT_EQ(order.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(SimStreamTest, DestructorFinishesTheWork) {
  int runs = 0;
  {
    SimStream stream("test", 0);
    for (int i = 0; i < 10; ++i) stream.Enqueue([&runs] { ++runs; });
  }
  EXPECT_EQ(runs, 10);
}

}  // namespace
}  // namespace rheo::devices::sim
