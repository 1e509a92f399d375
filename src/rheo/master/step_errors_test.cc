#include "rheo/master/step_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rheo::master {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(AggregateErrorsTest, NoErrorIsOk) {
  EXPECT_TRUE(AggregateErrors({{"a", OkStatus()}, {"b", OkStatus()}}).ok());
  EXPECT_TRUE(AggregateErrors({}).ok());
}

TEST(AggregateErrorsTest, OneRootErrorIsTheErrorOfItsTask) {
  const Status status = AggregateErrors(
      {{"a", AsDerived(Aborted("stopped"))}, {"b", InvalidArgument("bad")}, {"c", OkStatus()}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "From b:\nbad");
}

TEST(AggregateErrorsTest, DerivedErrorsAloneStayDerived) {
  const Status status =
      AggregateErrors({{"a", AsDerived(Aborted("first"))}, {"b", AsDerived(Aborted("second"))}});
  EXPECT_EQ(Message(status), "From a:\nfirst");
  EXPECT_TRUE(IsDerived(status));
}

TEST(AggregateErrorsTest, PassedOnErrorGivesWayToItsOrigin) {
  const Status status =
      AggregateErrors({{"a", InvalidArgument("bad shapes\nAdditional information from b")},
                       {"b", InvalidArgument("bad shapes")}});
  EXPECT_EQ(Message(status), "From b:\nbad shapes");
}

TEST(AggregateErrorsTest, WhatIsWrongComesBeforeLostConnectionsAndStops) {
  const Status status = AggregateErrors({{"a", Cancelled("gone")},
                                         {"b", Unavailable("socket closed")},
                                         {"c", WithPayload(InvalidArgument("bad"), "key")},
                                         {"d", Aborted("restarted")}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status),
              AllOf(StartsWith("From c:\nbad"), HasSubstr("UNAVAILABLE: From b:\nsocket closed"),
                    HasSubstr("ABORTED: From d:"), HasSubstr("CANCELLED: From a:")));
  EXPECT_TRUE(status.GetPayload("key").has_value());
}

TEST(AggregateErrorsTest, LongTextsAreCut) {
  const Status status = AggregateErrors({{"a", Internal("{}", std::string(10'000, 'x'))}});
  EXPECT_EQ(Message(status).size(), 8192u);
}

}  // namespace
}  // namespace rheo::master
