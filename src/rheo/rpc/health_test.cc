#include "rheo/rpc/health.h"

#include <gtest/gtest.h>

#include <vector>

#include "rheo/rpc/test_server.h"
#include "rheo/rpc/watch_call_for_test.h"

namespace rheo::rpc {
namespace {

constexpr int kServing = 1;
constexpr int kNotServing = 2;
constexpr int kServiceUnknown = 3;

TEST(HealthTest, WatchersAreToldAtOnceAndOfTheEnd) {
  TestServer s;
  WatchCall all(s.address());
  WatchCall one(s.address(), "tensorflow.WorkerService");
  WatchCall other(s.address(), "baker");
  EXPECT_EQ(all.Next(), kServing);
  EXPECT_EQ(one.Next(), kServing);
  EXPECT_EQ(other.Next(), kServiceUnknown);
  s.server->Drain(Unavailable("enough"));
  EXPECT_EQ(all.Next(), kNotServing);
  EXPECT_EQ(one.Next(), kNotServing);
  EXPECT_EQ(other.Next(), kServiceUnknown);
  WatchCall late(s.address());
  EXPECT_EQ(late.Next(), kNotServing);
  // They keep nobody from stopping.
  EXPECT_EQ(s.server->num_open_calls(), 0);
  s.server->Shutdown(std::chrono::hours(1));
  EXPECT_EQ(all.Next(), std::nullopt);
  EXPECT_EQ(all.End().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(HealthTest, WatchersMayGo) {
  TestServer s;
  for (int i = 0; i < 20; ++i) {
    WatchCall watch(s.address());
    EXPECT_EQ(watch.Next(), kServing);
    watch.Cancel();
    EXPECT_EQ(watch.Next(), std::nullopt);
    EXPECT_EQ(watch.End().error_code(), grpc::StatusCode::CANCELLED);
  }
  s.server->Shutdown(std::chrono::hours(1));  // waits for every call
}

TEST(HealthTest, GarbageEndsAWatch) {
  TestServer s;
  EXPECT_EQ(s.RawCall(std::string(kHealthWatchPath), "\x0a\x7f").error_code(),
            grpc::StatusCode::INTERNAL);
}

}  // namespace
}  // namespace rheo::rpc
