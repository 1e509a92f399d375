#include "rheo/service/recent_requests.h"

#include <gtest/gtest.h>

namespace rheo::service {
namespace {

TEST(RecentRequestsTest, ARepeatIsAborted) {
  RecentRequests requests;
  EXPECT_TRUE(requests.Check(RequestId(-5), "RunStep (Master)").ok());
  const Status again = requests.Check(RequestId(-5), "RunStep (Master)");
  EXPECT_EQ(again.code(), StatusCode::kAborted);
  EXPECT_EQ(Message(again).find("The same RunStep (Master) request was received twice."), 0u);
}

TEST(RecentRequestsTest, ZeroIsNeverChecked) {
  RecentRequests requests;
  EXPECT_TRUE(requests.Check(RequestId(0), "m").ok());
  EXPECT_TRUE(requests.Check(RequestId(0), "m").ok());
}

TEST(RecentRequestsTest, TheOldestIsForgottenFirst) {
  RecentRequests requests(2);
  for (int64_t id : {1, 2, 3}) EXPECT_TRUE(requests.Check(RequestId(id), "m").ok());
  EXPECT_FALSE(requests.Check(RequestId(2), "m").ok());
  EXPECT_FALSE(requests.Check(RequestId(3), "m").ok());
  EXPECT_TRUE(requests.Check(RequestId(1), "m").ok());
}

}  // namespace
}  // namespace rheo::service
