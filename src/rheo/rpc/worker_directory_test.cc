#include "rheo/rpc/worker_directory.h"

#include <gmock/gmock.h>

#include "rheo/rpc/test_server.h"

namespace rheo::rpc {
namespace {

using service::ClusterSpec;
using service::WorkerService;
using ::testing::ElementsAre;

constexpr char kWorkerTask[] = "/job:worker/replica:0/task:0";

TEST(ClusterDirectoryTest, ListsTasksAndAddresses) {
  RpcClient client;
  ClusterDirectory d(client, ClusterSpec{{"ps", {"h:1"}}, {"worker", {"h:2"}}}, kWorkerTask);
  EXPECT_THAT(d.TaskNames(), ElementsAre(kTestTask, kWorkerTask));
  EXPECT_EQ(d.Address(kTestTask), "h:1");
  EXPECT_EQ(d.Address("/job:x/replica:0/task:0"), "");
  EXPECT_EQ(d.Find("/job:x/replica:0/task:0"), nullptr);
}

TEST(ClusterDirectoryTest, OwnTaskIsTheDirectObjectAndOthersAreSharedStubs) {
  TestServer s;
  ClusterDirectory d(s.client, ClusterSpec{{"ps", {s.address()}}, {"worker", {"h:2"}}},
                     kWorkerTask);
  auto own = std::make_shared<FakeWorker>();
  d.SetOwnWorker(own);
  EXPECT_EQ(d.Find(kWorkerTask), own);
  EXPECT_EQ(d.Find(kTestTask), d.Find(kTestTask));
  service::CleanupGraphRequest request{.step = StepId(6)};
  service::CleanupGraphResponse response;
  ASSERT_TRUE(
      CallAndWait(*d.Find(kTestTask), &WorkerService::CleanupGraph, request, &response).ok());
  EXPECT_EQ(s.worker.cleanup_graph.last_request().step, StepId(6));
}

TEST(ClusterDirectoryTest, LearnsFromGetStatusWhoIsRheo) {
  TestServer s;
  s.worker.get_status.AnswerWith({.is_rheo = true});
  ClusterDirectory d(s.client, ClusterSpec{{"ps", {s.address()}}}, "");
  EXPECT_FALSE(d.IsRheoPeer(kTestTask));
  const service::GetStatusRequest request;
  service::GetStatusResponse response;
  ASSERT_TRUE(CallAndWait(*d.Find(kTestTask), &WorkerService::GetStatus, request, &response).ok());
  EXPECT_TRUE(d.IsRheoPeer(kTestTask));
  d.SetRheoPeer(kTestTask, false);
  EXPECT_FALSE(d.IsRheoPeer(kTestTask));
}

TEST(ClusterDirectoryTest, TheFactoryPutsTheOwnWorkerIntoOtherClusters) {
  RpcClient client;
  auto own = std::make_shared<FakeWorker>();
  const service::DirectoryFactory make = MakeDirectoryFactory(client, own);
  EXPECT_EQ(make(ClusterSpec{{"ps", {"h:1"}}}, kTestTask)->Find(kTestTask), own);
}

}  // namespace
}  // namespace rheo::rpc
