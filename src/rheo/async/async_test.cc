#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <string>
#include <system_error>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/async/thread_pool.h"

namespace rheo {
namespace {

TEST(ThreadPoolTest, RunsEveryScheduledTaskBeforeItIsDestroyed) {
  std::atomic<int> count{0};
  {
    ThreadPool pool({.name = "test", .num_threads = 3});
    for (int i = 0; i < 1000; ++i) pool.Schedule([&] { ++count; });
  }
  EXPECT_EQ(count, 1000);
}

TEST(ThreadPoolTest, SaysWhenTheSystemHasNoMoreThreads) {
  pthread_attr_t usual;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_t huge;
  pthread_attr_init(&huge);
  pthread_attr_setstacksize(&huge, size_t{1} << 60);  // no stack of that size is to be had
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::string text;
  try {
    const ThreadPool pool({.name = "test", .num_threads = 3});
  } catch (const std::system_error& e) {
    text = e.what();
  }
  pthread_setattr_default_np(&usual);
  EXPECT_TRUE(text.starts_with("cannot start thread 1 of 3 of 'test'")) << text;
}

TEST(ThreadPoolTest, ParallelForCoversEachIndexOnce) {
  ThreadPool pool({.name = "test", .num_threads = 3});
  std::vector<std::atomic<int>> hits(10'007);
  pool.ParallelFor(static_cast<int64_t>(hits.size()), 1000, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++hits[i];
  });
  for (const auto& hit : hits) EXPECT_EQ(hit, 1);
}

TEST(ThreadPoolTest, ParallelForInsideAPoolThreadFinishes) {
  ThreadPool pool({.name = "test", .num_threads = 1});
  Notification done;
  std::atomic<int64_t> sum{0};
  pool.Schedule([&] {
    pool.ParallelFor(1000, 1000, [&](int64_t begin, int64_t end) { sum += end - begin; });
    done.Notify();
  });
  done.Wait();
  EXPECT_EQ(sum, 1000);
}

TEST(NotificationTest, WaitUntilReturnsFalseAfterTheDeadline) {
  Notification event;
  EXPECT_FALSE(event.WaitUntil(std::chrono::steady_clock::now() + std::chrono::milliseconds(1)));
  event.Notify();
  EXPECT_TRUE(event.WaitUntil(std::chrono::steady_clock::now()));
}

}  // namespace
}  // namespace rheo
