#include "rheo/async/fault_points.h"

#include <gmock/gmock.h>

#include "rheo/async/notification.h"

namespace rheo {
namespace {

using testing::HasSubstr;

Status Reached(FaultPoints& points, std::string_view point) {
  Notification done;
  Status result;
  points.Reach(point, [&](Status status) {
    result = std::move(status);
    done.Notify();
  });
  done.Wait();
  return result;
}

TEST(FaultPointsTest, OnlyWhatIsListedFails) {
  const auto points = FaultPoints::Parse("run_graph=fail:UNAVAILABLE,recv_tensor=delay:1");
  ASSERT_TRUE(points.ok()) << points.status();
  EXPECT_EQ(Reached(**points, "run_graph").code(), StatusCode::kUnavailable);
  EXPECT_TRUE(Reached(**points, "recv_tensor").ok());
  EXPECT_TRUE(Reached(**points, "accept").ok());
}

TEST(FaultPointsTest, ATimeOfItsOwn) {
  const auto points = FaultPoints::Parse("cancel@2=fail:INTERNAL");
  ASSERT_TRUE(points.ok()) << points.status();
  EXPECT_TRUE(Reached(**points, "cancel").ok());
  EXPECT_EQ(Reached(**points, "cancel").code(), StatusCode::kInternal);
  EXPECT_TRUE(Reached(**points, "cancel").ok());
}

TEST(FaultPointsTest, MistakesAreNamed) {
  const auto error = [](std::string_view spec) {
    return std::string(Message(FaultPoints::Parse(spec).status()));
  };
  EXPECT_THAT(error("nowhere=kill"), HasSubstr("nowhere"));
  EXPECT_THAT(error("accept=explode"), HasSubstr("accept=explode"));
  EXPECT_THAT(error("accept"), HasSubstr("accept"));
  EXPECT_THAT(error("accept=fail:OOPS"), HasSubstr("accept=fail:OOPS"));
  EXPECT_EQ(error(""), "");
}

}  // namespace
}  // namespace rheo
