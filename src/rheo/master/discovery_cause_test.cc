#include "rheo/master/discovery_cause.h"

#include <gmock/gmock.h>

#include "rheo/master/fake_cluster_for_test.h"
#include "rheo/service/cluster_spec.h"

namespace rheo::master {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kPs = "/job:ps/replica:0/task:0";
constexpr const char* kWorker = "/job:worker/replica:0/task:0";

TEST(DiscoveryCauseTest, TheTransportsWordsAreExplained) {
  EXPECT_THAT(CauseOf(Unavailable("last error: ipv4:127.0.0.1:1: Connection refused\nWhile x")),
              AllOf(StartsWith("connection refused"), HasSubstr("127.0.0.1:1"),
                    testing::Not(HasSubstr("While"))));
  EXPECT_THAT(CauseOf(Unavailable("DNS resolution failed for nowhere:1")),
              StartsWith("its host name cannot be resolved"));
  EXPECT_THAT(CauseOf(Unavailable("Trying to connect an http1.x server")),
              HasSubstr("does not speak HTTP/2"));
  EXPECT_THAT(CauseOf(Unimplemented("")), StartsWith("no worker service there"));
  EXPECT_EQ(CauseOf(DeadlineExceeded("Deadline Exceeded")), "no answer");
  EXPECT_EQ(CauseOf(Unavailable("what is this?\nWhile y")), "what is this?");
}

service::GetStatusResponse AnswerOf(const std::string& task) {
  service::GetStatusResponse answer;
  answer.devices.push_back({.name = task + "/device:CPU:0", .type = "CPU"});
  return answer;
}

TEST(DiscoveryCauseTest, AnotherTasksAnswerIsAMistake) {
  FakeDirectory directory({kPs, kWorker});
  EXPECT_THAT(MistakeOf(AnswerOf(kPs), kPs, directory, kWorker), IsEmpty());
  EXPECT_THAT(MistakeOf(AnswerOf("/job:ps/replica:0/task:7"), kPs, directory, kWorker),
              AllOf(HasSubstr("another task answers"), HasSubstr("task:7")));
}

// The directory has worker 1 at host1:2222.
TEST(DiscoveryCauseTest, ContradictingSpecificationsAreAMistake) {
  const std::string other = "/job:worker/replica:0/task:1";
  FakeDirectory directory({kPs, kWorker, other});
  const auto mistake = [&](const std::string& address) {
    service::ClusterSpec cluster{{"ps", {"ps:1"}}, {"worker", {"w:1", address}}};
    service::GetStatusResponse answer = AnswerOf(kPs);
    answer.cluster = std::make_shared<service::ClusterSpec>(cluster);
    return MistakeOf(answer, kPs, directory, kWorker);
  };
  EXPECT_THAT(mistake("an.other.name:2222"), IsEmpty());
  EXPECT_THAT(mistake("host1:0"), IsEmpty());
  EXPECT_THAT(mistake("host1:7"), AllOf(HasSubstr("cluster specs differ"), HasSubstr(other),
                                        HasSubstr("host1:7"), HasSubstr("host1:2222")));
}

}  // namespace
}  // namespace rheo::master
