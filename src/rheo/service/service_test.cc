#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/service/cluster_spec.h"
#include "rheo/service/session_config.h"

namespace rheo::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HostPortTest, ReadsNamesAddressesAndBracketedIpv6) {
  EXPECT_EQ(ParseHostPort("h:1")->host, "h");
  EXPECT_EQ(ParseHostPort("h:1")->port, 1);
  EXPECT_EQ(ParseHostPort("[::1]:7000")->host, "::1");
  EXPECT_EQ(ParseHostPort("[::1]:7000")->port, 7000);
  EXPECT_EQ(ParseHostPort(":0")->host, "");
  EXPECT_TRUE(ParseHostPort("/bns/cell/job:80").ok());
}

TEST(HostPortTest, RefusesWhatIsNoPair) {
  for (const char* text :
       {"", "h", "h:", "h:x", "h:-1", "h:70000", "http://h:1", "[::1:1", "h:1x"}) {
    const Status status = ParseHostPort(text).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(Message(status),
              "Could not interpret \"" + std::string(text) + "\" as a host-port pair.");
  }
}

TEST(ClusterSpecTest, ParsesTheFlagForm) {
  const StatusOr<ClusterSpec> cluster = ParseClusterSpec("ps|h:1,worker|h:2;h:3");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(*cluster, (ClusterSpec{{"ps", {"h:1"}}, {"worker", {"h:2", "h:3"}}}));
  EXPECT_THAT(cluster->TaskNames(),
              ElementsAre("/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0",
                          "/job:worker/replica:0/task:1"));
  EXPECT_EQ(cluster->AddressOf("/job:worker/replica:0/task:1"), "h:3");
  EXPECT_EQ(cluster->AddressOf("/job:worker/replica:0/task:2"), std::nullopt);
}

TEST(ClusterSpecTest, FlagFormErrorsNameThePiece) {
  EXPECT_THAT(Message(ParseClusterSpec("ps|h:1,worker").status()), HasSubstr("'worker'"));
  EXPECT_THAT(Message(ParseClusterSpec("ps|h:1;nope").status()), HasSubstr("\"nope\""));
  EXPECT_THAT(Message(ParseClusterSpec("ps|h:1,ps|h:2").status()),
              HasSubstr("Duplicate job ID in cluster specification: ps"));
  EXPECT_THAT(Message(ParseClusterSpec("my-job|h:1").status()), HasSubstr("my-job"));
}

TEST(ClusterSpecTest, AddressNamesWhatThereIs) {
  const ClusterSpec cluster{{"ps", {"h:1"}}, {"worker", {"h:2"}}};
  EXPECT_EQ(*cluster.Address("ps", 0), "h:1");
  EXPECT_EQ(Message(cluster.Address("nojob", 0).status()),
            "job 'nojob' is not in the cluster; jobs are: ps, worker");
  EXPECT_EQ(Message(cluster.Address("ps", 3).status()), "job 'ps' has no task 3; tasks are: 0");
}

TEST(ClusterSpecTest, EntryWithReplicasAnswersByReplica) {
  ClusterSpec cluster;
  ASSERT_TRUE(cluster.AddJob("ps", {{4, "h:1,h:2"}}).ok());
  EXPECT_EQ(cluster.AddressOf("/job:ps/replica:1/task:4"), "h:2");
  EXPECT_EQ(cluster.AddressOf("/job:ps/replica:7/task:4"), "h:1");
}

ServerDef Def() {
  return {.cluster = {{"ps", {"h:1"}}, {"worker", {"h:2", "h:3"}}},
          .job_name = "worker",
          .task_index = 1};
}

TEST(ServerDefTest, AcceptsATaskOfTheCluster) { EXPECT_TRUE(ValidateServerDef(Def()).ok()); }

TEST(ServerDefTest, MissingJobOrTaskIsInternalAndListsWhatExists) {
  ServerDef def = Def();
  def.job_name = "nojob";
  EXPECT_EQ(ValidateServerDef(def).code(), StatusCode::kInternal);
  EXPECT_EQ(Message(ValidateServerDef(def)),
            "Job \"nojob\" was not defined in cluster; jobs are: ps, worker");
  def = Def();
  def.task_index = -1;
  EXPECT_EQ(ValidateServerDef(def).code(), StatusCode::kInternal);
  EXPECT_EQ(Message(ValidateServerDef(def)),
            "Task -1 was not defined in job \"worker\"; tasks are: 0, 1");
  def.cluster = ClusterSpec();
  EXPECT_EQ(ValidateServerDef(def).code(), StatusCode::kInternal);
}

TEST(ServerDefTest, ReplicaNeedsAPort) {
  ServerDef def = Def();
  def.replica = 1;
  EXPECT_THAT(Message(ValidateServerDef(def)),
              HasSubstr("An explicit server port must be specified"));
  def.port = 5;
  EXPECT_TRUE(ValidateServerDef(def).ok());
}

TEST(ServerDefTest, OwnEntryNeedsAPortUnlessOneIsGiven) {
  ServerDef def = Def();
  def.cluster = {{"worker", {"h:2", "h"}}};
  EXPECT_EQ(Message(ValidateServerDef(def)), "Could not parse port for local server from \"h\".");
  def.port = 9;
  EXPECT_TRUE(ValidateServerDef(def).ok());
}

TEST(ServerDefTest, OtherProtocolsAreNotFound) {
  ServerDef def = Def();
  def.protocol = "verbs";
  EXPECT_EQ(ValidateServerDef(def).code(), StatusCode::kNotFound);
}

TEST(MergeConfigTest, ServerWinsWhereItSaysSomething) {
  SessionConfig server;
  server.operation_timeout_ms = 5;
  server.device_count = {{"CPU", 2}};
  SessionConfig request;
  request.operation_timeout_ms = 7;
  request.allow_soft_placement = true;
  request.device_count = {{"CPU", 1}, {"GPU", 0}};
  const SessionConfig merged = MergeConfig(server, request);
  EXPECT_EQ(merged.operation_timeout_ms, 5);
  EXPECT_TRUE(merged.allow_soft_placement);
  EXPECT_EQ(merged.device_count.at("CPU"), 2);
  EXPECT_EQ(merged.device_count.at("GPU"), 0);
}

TEST(MergeConfigTest, RepeatedFieldsAndBytesAreDefaultRequestDefault) {
  SessionConfig server;
  server.device_filters = {"/job:ps"};
  server.raw = "S";
  SessionConfig request;
  request.device_filters = {"/job:worker/task:0"};
  request.raw = "R";
  const SessionConfig merged = MergeConfig(server, request);
  EXPECT_THAT(merged.device_filters, ElementsAre("/job:ps", "/job:worker/task:0", "/job:ps"));
  EXPECT_EQ(merged.raw, "SRS");
}

}  // namespace
}  // namespace rheo::service
