#include "rheo/rpc/status_mapping.h"

#include <gtest/gtest.h>

#include <string>

namespace rheo::rpc {
namespace {

TEST(StatusMappingTest, KeepsCodeAndText) {
  const grpc::Status sent = ToGrpcStatus(InvalidArgument("bad {}", 7));
  EXPECT_EQ(sent.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(sent.error_message(), "bad 7");
  EXPECT_EQ(sent.error_details(), "");
  EXPECT_EQ(FromGrpcStatus(sent), InvalidArgument("bad 7"));
}

TEST(StatusMappingTest, LongTextsAreCutAt3072Bytes) {
  const std::string text(3073, 'x');
  const grpc::Status sent = ToGrpcStatus(Internal("{}", text));
  EXPECT_EQ(sent.error_message(), text.substr(0, 3072) + " ... [truncated]");
  const std::string fits(3072, 'x');
  EXPECT_EQ(ToGrpcStatus(Internal("{}", fits)).error_message(), fits);
}

TEST(StatusMappingTest, PayloadsTravelInTheDetails) {
  const Status status = AsDerived(Aborted("gone"));
  const Status back = FromGrpcStatus(ToGrpcStatus(status));
  EXPECT_TRUE(IsDerived(back));
  EXPECT_EQ(back, status);
}

TEST(StatusMappingTest, ForeignDetailsLeaveAMark) {
  const grpc::Status sent(grpc::StatusCode::ABORTED, "gone", "\xff\xff\xff");
  EXPECT_EQ(FromGrpcStatus(sent), WithPayload(Aborted("gone"), kPayloadsLostPayload));
}

TEST(StatusMappingTest, OkIsOk) {
  EXPECT_TRUE(ToGrpcStatus(OkStatus()).ok());
  EXPECT_TRUE(FromGrpcStatus(grpc::Status::OK).ok());
}

}  // namespace
}  // namespace rheo::rpc
