// What every WorkerService must do for collectives, on the object of a task and on the stub over
// gRPC: codes and texts of wire.md 7.10, 7.11 and 21.
#include <gmock/gmock.h>

#include <thread>

#include "rheo/service/worker_service.h"
#include "task_world.h"

namespace rheo {
namespace {

using namespace service;  // its requests and responses
using ::testing::HasSubstr;

class WorkerCollectivesTest : public ::testing::TestWithParam<Reach> {
 protected:
  template <typename Request, typename Response>
  Status Do(void (WorkerService::*method)(const Request&, Response*, const Call&, DoneCallback),
            const std::type_identity_t<Request>& request, Response* response, Call call = {}) {
    return Invoke(world_.worker(), method, request, response, std::move(call));
  }
  device::DeviceInfo cpu() { return world_.task().devices().at(0); }
  StatusOr<CompleteGroupResponse> Join(const CompleteGroupRequest& request, Call call = {}) {
    CompleteGroupResponse response;
    RHEO_RETURN_IF_ERROR(Do(&WorkerService::CompleteGroup, request, &response, std::move(call)));
    return response;
  }
  StatusOr<CompleteInstanceResponse> Declare(const CompleteInstanceRequest& request) {
    CompleteInstanceResponse response;
    RHEO_RETURN_IF_ERROR(Do(&WorkerService::CompleteInstance, request, &response));
    return response;
  }
  Status RecvBuf(const RecvBufRequest& request, Call call = {}) {
    RecvBufResponse response;
    return Do(&WorkerService::RecvBuf, request, &response, std::move(call));
  }
  CompleteGroupRequest GroupOf(int32_t size) {
    return {.group_key = 5, .group_size = size, .device_type = "CPU", .device = cpu()};
  }
  TaskWorld world_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, WorkerCollectivesTest,
                         ::testing::Values(Reach::kDirect, Reach::kGrpc), ReachName);

TEST_P(WorkerCollectivesTest, AGroupIsToldWithItsMembers) {
  const auto group = Join(GroupOf(1));
  ASSERT_TRUE(group.ok()) << group.status();
  EXPECT_EQ(group->group_key, 5);
  EXPECT_EQ(group->group_size, 1);
  EXPECT_EQ(group->num_tasks, 1);
  EXPECT_EQ(group->device_type, "CPU");
  EXPECT_EQ(group->communicator_key, "");
  ASSERT_EQ(group->devices.size(), 1);
  EXPECT_EQ(group->devices[0].name, kCpu);
  EXPECT_EQ(group->devices[0].incarnation, cpu().incarnation);
}

TEST_P(WorkerCollectivesTest, AGroupNeedsADevice) {
  const Status status = Join({.group_key = 5, .group_size = 1}).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("CompleteGroupRequest device_attributes is not set."));
}

TEST_P(WorkerCollectivesTest, AGroupThatLacksMembersIsAwaitedUntilTheCallEnds) {
  StopSource stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the call should wait by now
    stop.request_stop();
  });
  EXPECT_EQ(Join(GroupOf(2), {.stop = stop.get_token()}).status().code(), StatusCode::kCancelled);
  stopper.join();
  // Nobody is left of it.
  EXPECT_TRUE(Join(GroupOf(1)).ok());
}

TEST_P(WorkerCollectivesTest, AnInstanceNeedsItsGroup) {
  const CompleteInstanceRequest request{
      .group_key = 5, .group_size = 1, .instance_key = 9, .device = kCpu};
  const Status status = Declare(request).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(),
              HasSubstr("group 5 not found. This normally means the server has restarted"));
  ASSERT_TRUE(Join(GroupOf(1)).ok());
  const auto declared = Declare(request);
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_EQ(declared->instance_key, 9);
  EXPECT_EQ(declared->source_rank, -1);
}

TEST_P(WorkerCollectivesTest, ABroadcastHasOneSource) {
  ASSERT_TRUE(Join(GroupOf(1)).ok());
  CompleteInstanceRequest request{.type = 1,
                                  .dtype = DType::kFloat,
                                  .shape = {3},
                                  .group_key = 5,
                                  .group_size = 1,
                                  .instance_key = 9,
                                  .device = kCpu};
  const Status status = Declare(request).status();
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("Instance 9 found no source for broadcast."));
  request.is_source = true;
  const auto declared = Declare(request);
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_EQ(declared->source_rank, 0);
}

TEST_P(WorkerCollectivesTest, ADeviceOutsideTheGroupIsRefused) {
  ASSERT_TRUE(Join(GroupOf(1)).ok());
  const Status status =
      Declare({.group_key = 5, .device = "/job:x/replica:0/task:0/device:CPU:0"}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST_P(WorkerCollectivesTest, AskingForStepIdsDoesNotAdvanceThem) {
  GetStepSequenceResponse first;
  GetStepSequenceResponse second;
  ASSERT_TRUE(Do(&WorkerService::GetStepSequence, {.graph_keys = {6, -7}}, &first).ok());
  ASSERT_TRUE(Do(&WorkerService::GetStepSequence, {.graph_keys = {6, -7}}, &second).ok());
  ASSERT_EQ(first.sequences.size(), 2);
  ASSERT_EQ(second.sequences.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.sequences[i].next, second.sequences[i].next);
    EXPECT_GE(first.sequences[i].next.value, 0);
    EXPECT_LT(first.sequences[i].next.value, int64_t{1} << 57);
  }
  EXPECT_EQ(first.sequences[1].graph_key, -7);
  EXPECT_NE(first.sequences[0].next, first.sequences[1].next);
}

TEST_P(WorkerCollectivesTest, AStepThatFailedElsewhereIsNeitherNamedNorAwaitedAnyMore) {
  GetStepSequenceResponse before;
  ASSERT_TRUE(Do(&WorkerService::GetStepSequence, {.graph_keys = {6}}, &before).ok());
  const StepId step = before.sequences.at(0).next;
  Status waited;
  std::thread member([&] {
    waited = RecvBuf({.step = step,
                      .key = "5:9:0:0:0:0:0",
                      .src_device = kCpu,
                      .src_incarnation = cpu().incarnation});
  });
  while (world_.task().worker().counts().steps == 0) std::this_thread::yield();
  GetStepSequenceResponse after;
  const GetStepSequenceRequest request{.graph_keys = {6},
                                       .failed = {{6, step, "/job:x: it broke"}}};
  EXPECT_TRUE(Do(&WorkerService::GetStepSequence, request, &after).ok());
  member.join();
  EXPECT_EQ(waited.code(), StatusCode::kAborted);
  EXPECT_THAT(waited.message(), HasSubstr("has failed on /job:x: it broke"));
  ASSERT_EQ(after.sequences.size(), 1);
  EXPECT_EQ(after.sequences[0].next.value, step.value + 1);
}

TEST_P(WorkerCollectivesTest, APieceIsAskedOfADeviceInItsPresentLife) {
  RecvBufRequest request{
      .step = NewStepId(), .key = "5:9:0:0:0:0:0", .src_device = "/job:x/device:CPU:0"};
  Status status = RecvBuf(request);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("/job:x/device:CPU:0 unknown device."));
  request.src_device = kCpu;
  status = RecvBuf(request);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("RecvBuf expects a different device incarnation: 0 vs."));
}

TEST_P(WorkerCollectivesTest, WhatAMemberSaysThatItDoesIsShort) {
  const Status status = RecvBuf({.step = NewStepId(),
                                 .key = "5:9:0:0:0:0:0",
                                 .src_device = kCpu,
                                 .src_incarnation = cpu().incarnation,
                                 .terms = std::string(RecvBufRequest::kMaxTerms + 1, 'x')});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("have 8193 bytes, at most 8192 are taken"));
}

TEST_P(WorkerCollectivesTest, APieceOfAStepThatIsNotKnownIsAwaitedAndLeavesNothingBehind) {
  const RecvBufRequest request{.step = NewStepId(),
                               .key = "5:9:0:0:0:0:0",
                               .src_device = kCpu,
                               .src_incarnation = cpu().incarnation};
  StopSource stop;
  std::thread stopper([&] {
    while (world_.task().worker().counts().steps == 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_EQ(RecvBuf(request, {.stop = stop.get_token()}).code(), StatusCode::kCancelled);
  stopper.join();
  while (world_.task().worker().counts().steps != 0) std::this_thread::yield();
}

TEST_P(WorkerCollectivesTest, ARequestThatComesTwiceIsRefused) {
  const RecvBufRequest request{
      .step = NewStepId(), .key = "k", .src_device = "nobody", .request_id = RequestId(77)};
  EXPECT_EQ(RecvBuf(request).code(), StatusCode::kInvalidArgument);
  const Status status = RecvBuf(request);
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_THAT(status.message(), HasSubstr("RecvBuf (GrpcWorker)"));
}

}  // namespace
}  // namespace rheo
