// Who is in a group, and who sends in a broadcast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "rheo/collective/group_table.h"
#include "rheo/collective/instance_table.h"

namespace rheo::collective {
namespace {

using service::CompleteGroupRequest;
using service::CompleteInstanceRequest;
using ::testing::HasSubstr;

std::string DeviceOf(int task) {
  return "/job:worker/replica:0/task:" + std::to_string(task) + "/device:CPU:0";
}

CompleteGroupRequest RequestOf(int task, int size, uint64_t incarnation = 1) {
  return {.group_key = 5,
          .group_size = size,
          .device_type = "CPU",
          .device = device::DeviceInfo{
              .name = DeviceOf(task), .type = "CPU", .incarnation = Incarnation(incarnation)}};
}

template <typename T>
struct Answer {
  std::optional<StatusOr<T>> got;
  StopSource stop;
  auto callback() {
    return [this](StatusOr<T> value) { got.emplace(std::move(value)); };
  }
  Status status() const { return got ? got->status() : Internal("no answer"); }
};

class GroupTest : public ::testing::Test {
 protected:
  void Join(Answer<GroupRef>& answer, const CompleteGroupRequest& request) {
    table_->Join(request, answer.stop.get_token(), answer.callback());
  }
  GroupRef FormPair() {
    Answer<GroupRef> a, b;
    Join(a, RequestOf(0, 2));
    Join(b, RequestOf(1, 2));
    EXPECT_TRUE(a.status().ok());
    return b.got->value();
  }

  const std::shared_ptr<GroupTable> table_ = std::make_shared<GroupTable>();
};

TEST_F(GroupTest, IsCompleteWhenAllHaveJoinedAndOrderedByName) {
  Answer<GroupRef> a, b, c;
  Join(a, RequestOf(2, 3));
  Join(b, RequestOf(10, 3));
  EXPECT_FALSE(a.got);
  EXPECT_FALSE(b.got);
  Join(c, RequestOf(1, 3));
  ASSERT_TRUE(a.status().ok() && b.status().ok() && c.status().ok());
  const GroupRef group = **a.got;
  ASSERT_EQ(group->size(), 3);
  EXPECT_EQ(group->members[0].name, DeviceOf(1));
  EXPECT_EQ(group->members[1].name, DeviceOf(10));  // as strings
  EXPECT_EQ(group->RankOf(DeviceOf(2)), 2);
  EXPECT_EQ(group->MembersOfTasks(), (std::vector<int>{1, 1, 1}));
}

TEST_F(GroupTest, IsOfRheosTasksAloneWhenEachMemberSaysSo) {
  for (const bool second_is : {true, false}) {
    const auto table = std::make_shared<GroupTable>();
    Answer<GroupRef> a, b;
    CompleteGroupRequest first = RequestOf(0, 2);
    CompleteGroupRequest second = RequestOf(1, 2);
    first.is_rheo = true;
    second.is_rheo = second_is;
    table->Join(first, a.stop.get_token(), a.callback());
    table->Join(second, b.stop.get_token(), b.callback());
    EXPECT_EQ((**a.got)->all_are_rheo, second_is);
  }
}

TEST_F(GroupTest, AMemberThatAsksAgainGetsTheSameAnswer) {
  const GroupRef group = FormPair();
  Answer<GroupRef> again;
  Join(again, RequestOf(0, 2));
  ASSERT_TRUE(again.status().ok());
  EXPECT_EQ(**again.got, group);
}

TEST_F(GroupTest, AnotherSizeFailsWhoeverWaitsAndTheGroupFormsAnew) {
  Answer<GroupRef> a, b;
  Join(a, RequestOf(0, 3));
  Join(b, RequestOf(1, 4));
  for (const Status& status : {a.status(), b.status()}) {
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_THAT(status.message(), HasSubstr("Device " + DeviceOf(1) +
                                            " is joining a group with size4, but that group has "
                                            "size 3 (group_key=5)"));
  }
  FormPair();
}

TEST_F(GroupTest, OneTooManyIsToldAndTheGroupStays) {
  const GroupRef group = FormPair();
  Answer<GroupRef> third;
  Join(third, RequestOf(2, 2));
  EXPECT_EQ(third.status().code(), StatusCode::kInternal);
  EXPECT_THAT(third.status().message(), HasSubstr("Device " + DeviceOf(2) +
                                                  " is joining a group that is already full "
                                                  "(group_key=5)"));
  EXPECT_EQ(table_->Find(5), group);
}

TEST_F(GroupTest, ARestartedMemberIsToldAndTheGroupFormsAnew) {
  FormPair();
  Answer<GroupRef> restarted;
  Join(restarted, RequestOf(1, 2, 99));
  EXPECT_EQ(restarted.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(restarted.status().message(),
              HasSubstr("current incarnation doesn't match with one in the group"));
  Answer<GroupRef> a, b;
  Join(a, RequestOf(1, 2, 99));
  Join(b, RequestOf(0, 2));
  ASSERT_TRUE(a.status().ok());
  EXPECT_EQ((**a.got)->members[1].incarnation, Incarnation(99));
}

TEST_F(GroupTest, WhoLeavesIsNotInTheGroup) {
  Answer<GroupRef> gone, a, b;
  Join(gone, RequestOf(0, 2));
  gone.stop.request_stop();
  EXPECT_EQ(gone.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(gone.status()));
  Join(a, RequestOf(1, 2));
  EXPECT_FALSE(a.got);
  Join(b, RequestOf(2, 2));
  EXPECT_TRUE(a.status().ok());
}

TEST_F(GroupTest, WithoutADeviceOrASizeThereIsNoGroup) {
  Answer<GroupRef> nobody, empty;
  Join(nobody, {.group_key = 5, .group_size = 2});
  EXPECT_EQ(nobody.status().code(), StatusCode::kInternal);
  EXPECT_THAT(nobody.status().message(),
              HasSubstr("CompleteGroupRequest device_attributes is not set."));
  Join(empty, RequestOf(0, 0));
  EXPECT_EQ(empty.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(GroupTest, ADeviceWithoutAFullNameOrWithEndlessAttributesDoesNotJoin) {
  CompleteGroupRequest half = RequestOf(0, 2);
  half.device->name = "/job:worker/device:CPU:0";
  Answer<GroupRef> a;
  Join(a, half);
  EXPECT_EQ(a.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(a.status()), HasSubstr("'/job:worker/device:CPU:0' joins group 5"));

  CompleteGroupRequest endless = RequestOf(0, 2);
  endless.device->description = std::string(GroupTable::kMaxAttributes, 'x');
  Answer<GroupRef> b;
  Join(b, endless);
  EXPECT_EQ(b.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(b.status()), HasSubstr("describes itself in"));
}

TEST_F(GroupTest, StopTellsWhoeverWaits) {
  Answer<GroupRef> a, late;
  Join(a, RequestOf(0, 2));
  table_->Stop(Unavailable("the task ends"));
  EXPECT_EQ(a.status().code(), StatusCode::kUnavailable);
  Join(late, RequestOf(0, 2));
  EXPECT_EQ(late.status().code(), StatusCode::kUnavailable);
}

class InstanceTest : public ::testing::Test {
 protected:
  InstanceTest() {
    group_.key = 5;
    for (int i = 0; i < 3; ++i) group_.members.push_back({.name = DeviceOf(i), .type = "CPU"});
  }
  void Declare(Answer<int>& answer, int task, bool is_source, int32_t type = kBroadcast,
               DType dtype = DType::kFloat, const Shape& shape = {2}) {
    const CompleteInstanceRequest request{.type = type,
                                          .dtype = dtype,
                                          .shape = shape,
                                          .group_key = 5,
                                          .group_size = 3,
                                          .instance_key = 9,
                                          .device = DeviceOf(task),
                                          .is_source = is_source};
    table_->Declare(group_, request, answer.stop.get_token(), answer.callback());
  }

  Status DeclareGather(int task, const Shape& shape) {
    Answer<int> answer;
    Declare(answer, task, false, kGather, DType::kFloat, shape);
    return answer.status();
  }

  Group group_;
  const std::shared_ptr<InstanceTable> table_ = std::make_shared<InstanceTable>();
};

TEST_F(InstanceTest, ReductionsHaveNoSourceAndDoNotWait) {
  Answer<int> a;
  Declare(a, 0, false, kReduction);
  ASSERT_TRUE(a.status().ok());
  EXPECT_EQ(**a.got, -1);
}

TEST_F(InstanceTest, BroadcastsWaitForAllAndTellTheSource) {
  Answer<int> a, b, c, again;
  Declare(a, 0, false);
  Declare(b, 1, true);
  EXPECT_FALSE(b.got);
  Declare(c, 2, false);
  for (const Answer<int>* answer : {&a, &b, &c}) EXPECT_EQ(**answer->got, 1);
  Declare(again, 2, false);
  EXPECT_EQ(**again.got, 1);
}

TEST_F(InstanceTest, NobodyOrTwoWhoSendAreAnErrorOfAllAndALaterStepWorks) {
  Answer<int> a, b, c;
  Declare(a, 0, false);
  Declare(b, 1, false);
  Declare(c, 2, false);
  EXPECT_EQ(a.status().code(), StatusCode::kInternal);
  EXPECT_THAT(c.status().message(), HasSubstr("Instance 9 found no source for broadcast."));
  Answer<int> d, e;
  Declare(d, 0, true);
  Declare(e, 2, true);
  EXPECT_THAT(d.status().message(),
              HasSubstr("Instance 9 already has source 0, received second claim from 2"));
  EXPECT_FALSE(e.status().ok());
  Answer<int> f, g, h;
  Declare(f, 0, false);
  Declare(g, 1, false);
  Declare(h, 2, true);
  EXPECT_EQ(**f.got, 2);
}

TEST_F(InstanceTest, AnotherShapeIsRefusedAndALaterStepWorks) {
  EXPECT_TRUE(DeclareGather(0, {4}).ok());
  const Status other = DeclareGather(1, {2, 2});
  EXPECT_EQ(other.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(other.message(),
              HasSubstr("expected shape [2,2] but another member in the group expected shape [4]"));
  for (int task = 0; task < 3; ++task) EXPECT_TRUE(DeclareGather(task, {2, 2}).ok());
}

TEST_F(InstanceTest, AnotherDtypeOrKindIsRefused) {
  Answer<int> a, b, c;
  Declare(a, 0, false, kReduction);
  Declare(b, 1, false, kReduction, DType::kInt32);
  EXPECT_EQ(b.status().code(), StatusCode::kInternal);
  Declare(a, 0, false, kReduction);
  Declare(c, 1, false, kGather);
  EXPECT_EQ(c.status().code(), StatusCode::kInternal);
}

TEST_F(InstanceTest, AReductionInABroadcastIsToldToWhoeverWaits) {
  Answer<int> a, b;
  Declare(a, 0, true);
  Declare(b, 1, false, kReduction);
  for (const Answer<int>* answer : {&a, &b}) {
    EXPECT_EQ(answer->status().code(), StatusCode::kInternal);
    EXPECT_THAT(answer->status().message(), HasSubstr("expected type 1"));
  }
}

TEST_F(InstanceTest, OnceAllAgreedAnotherDtypeOrKindIsRefusedOnce) {
  for (const auto& [type, dtype] :
       {std::pair(kReduction, DType::kInt32), std::pair(kGather, DType::kFloat)}) {
    Answer<int> agreed[3], other, again;
    for (int task = 0; task < 3; ++task) Declare(agreed[task], task, false, kReduction);
    Declare(other, 0, false, type, dtype);
    EXPECT_EQ(other.status().code(), StatusCode::kInternal);
    Declare(again, 0, false, type, dtype);
    EXPECT_TRUE(again.status().ok());
    table_->Forget(5);
  }
}

TEST_F(InstanceTest, AnotherShapeInABroadcastIsToldToWhoeverWaits) {
  Answer<int> a, b;
  Declare(a, 0, false);
  Declare(b, 1, true, kBroadcast, DType::kFloat, {3});
  EXPECT_EQ(a.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(b.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(InstanceTest, OnceAllAgreedALaterStepMayHaveAnotherShape) {
  for (int task = 0; task < 3; ++task) EXPECT_TRUE(DeclareGather(task, {4}).ok());
  EXPECT_TRUE(DeclareGather(1, {6}).ok());  // the others ask no more
  EXPECT_TRUE(DeclareGather(1, {8}).ok());
}

TEST_F(InstanceTest, AMemberMayDeclareSomethingNewBeforeTheOthersHave) {
  EXPECT_TRUE(DeclareGather(0, {4}).ok());
  EXPECT_TRUE(DeclareGather(0, {6}).ok());
  EXPECT_TRUE(DeclareGather(1, {6}).ok());
}

TEST_F(InstanceTest, AfterAFailureWhatWasDeclaredIsForgotten) {
  EXPECT_TRUE(DeclareGather(0, {4}).ok());
  table_->Forget(4);  // of another group
  EXPECT_FALSE(DeclareGather(1, {6}).ok());
  EXPECT_TRUE(DeclareGather(0, {4}).ok());
  table_->Forget(5);
  EXPECT_TRUE(DeclareGather(1, {6}).ok());
}

TEST_F(InstanceTest, ADeviceOutsideTheGroupIsRefused) {
  Answer<int> a;
  Declare(a, 7, false);
  EXPECT_EQ(a.status().code(), StatusCode::kInvalidArgument);
}

TEST_F(InstanceTest, WhoLeavesHasNotDeclared) {
  Answer<int> gone;
  Declare(gone, 0, true);
  gone.stop.request_stop();
  EXPECT_EQ(gone.status().code(), StatusCode::kCancelled);
  Answer<int> a, b, c;
  Declare(a, 0, false);
  Declare(b, 1, true);
  Declare(c, 2, false);
  EXPECT_EQ(**a.got, 1);
}

}  // namespace
}  // namespace rheo::collective
