#include "rheo/train/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rheo::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Environment = std::map<std::string, std::string>;

StatusOr<Task> TaskIn(const Environment& environment, const SlurmOptions& options = {}) {
  return TaskFromSlurm(options, [&](const std::string& name) -> std::optional<std::string> {
    const auto it = environment.find(name);
    if (it == environment.end()) return std::nullopt;
    return it->second;
  });
}

// A step on two of the four nodes of a job.
Environment StepOfAJob(int rank) {
  return {{"SLURM_JOB_NODELIST", "n[1-4]"},      {"SLURM_NODELIST", "n[1-4]"},
          {"SLURM_TASKS_PER_NODE", "8(x4)"},     {"SLURM_NTASKS", "32"},
          {"SLURM_STEP_NODELIST", "n[2,4]"},     {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
          {"SLURM_PROCID", std::to_string(rank)}};
}

TEST(SlurmTest, HostListsAreExpanded) {
  EXPECT_THAT(ExpandHostList("n1").value(), ElementsAre("n1"));
  EXPECT_THAT(ExpandHostList("n[1-2,07],login").value(), ElementsAre("n1", "n2", "n07", "login"));
  EXPECT_THAT(ExpandHostList("n[08-10]").value(), ElementsAre("n08", "n09", "n10"));
  EXPECT_THAT(ExpandHostList("r[1-2]n[3-4]x").value(),
              ElementsAre("r1n3x", "r1n4x", "r2n3x", "r2n4x"));
}

TEST(SlurmTest, WrongHostListsAreErrors) {
  for (const char* text : {"", "n[1", "n1]", "n[[1]]", "n[a]", "n[2-1]", "n1,", "n[1-999999999]",
                           "n[0-99999][0-99999]", "n[]"}) {
    EXPECT_EQ(ExpandHostList(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(SlurmTest, CountsAreExpanded) {
  EXPECT_THAT(ExpandCounts("2(x3),1").value(), ElementsAre(2, 2, 2, 1));
  for (const char* text : {"", "x", "2(x", "2(x3", "2(3)", "-1", "1(x999999999)"}) {
    EXPECT_EQ(ExpandCounts(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(SlurmTest, TheStepsValuesWinOverTheJobs) {
  const Task task = TaskIn(StepOfAJob(2)).value();
  EXPECT_EQ(task.cluster(),
            (service::ClusterSpec{{"worker", {"n2:8888", "n2:8889", "n4:8888", "n4:8889"}}}));
  EXPECT_EQ(task.job(), "worker");
  EXPECT_EQ(task.index(), 2);
}

TEST(SlurmTest, WithoutAStepTheJobsCount) {
  EXPECT_EQ(
      TaskIn(
          {{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "1(x2)"}, {"SLURM_PROCID", "1"}})
          .value()
          .target(),
      "grpc://b:8888");
}

TEST(SlurmTest, JobsTakeRanksInOrder) {
  const Task task = TaskIn(StepOfAJob(3), {.jobs = "ps:1,worker", .first_port = 70}).value();
  EXPECT_EQ(task.cluster(),
            (service::ClusterSpec{{"ps", {"n2:70"}}, {"worker", {"n2:71", "n4:70", "n4:71"}}}));
  EXPECT_EQ(task.name(), "/job:worker/replica:0/task:2");
  for (const char* jobs : {"ps:4,worker", "ps:5", "ps:1", "ps,worker", "ps:0,worker", "ps:x"}) {
    EXPECT_EQ(TaskIn(StepOfAJob(0), {.jobs = jobs}).status().code(), StatusCode::kInvalidArgument)
        << jobs;
  }
}

TEST(SlurmTest, ErrorsNameTheVariable) {
  EXPECT_THAT(Message(TaskIn({}).status()), HasSubstr("SLURM_STEP_NODELIST"));
  Environment environment = StepOfAJob(0);
  environment["SLURM_STEP_TASKS_PER_NODE"] = "2";
  EXPECT_THAT(std::string(Message(TaskIn(environment).status())),
              testing::AllOf(HasSubstr("SLURM_STEP_NODELIST='n[2,4]' has 2"),
                             HasSubstr("SLURM_STEP_TASKS_PER_NODE='2'")));
  EXPECT_THAT(std::string(Message(TaskIn(StepOfAJob(4)).status())),
              HasSubstr("SLURM_PROCID='4': there are 4 processes"));
}

}  // namespace
}  // namespace rheo::train
