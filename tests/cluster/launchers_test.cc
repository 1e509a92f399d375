// `rheo serve` by what a launcher has put into the environment.
#include "case_test.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Launchers : public CaseTest {
 protected:
  static std::unique_ptr<Process> Serve(const Environment& env,
                                        const std::vector<std::string>& flags = {}) {
    std::vector<std::string> command{BuiltProgram("rheo"), "serve"};
    command.insert(command.end(), flags.begin(), flags.end());
    return Process::Start(command, env);
  }
  // A server that is ready and says which task it is.
  void Start(const Environment& env, const std::string& task,
             const std::vector<std::string>& flags = {}) {
    servers_.push_back(Serve(env, flags));
    EXPECT_TRUE(servers_.back()->AwaitLog("ready after", seconds(20))) << servers_.back()->Log();
    EXPECT_THAT(servers_.back()->Log(), HasSubstr(task + " at grpc://"));
  }
  // The names of all tasks of a session's cluster.
  std::vector<std::string> TasksOf(const std::string& target) {
    StatusOr<Session> session =
        Session::Create(Scope::NewRoot(), {.target = target, .create_timeout = seconds(20)});
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return {};
    const auto devices = session->ListDevices();
    EXPECT_TRUE(devices.ok()) << devices.status();
    if (!devices.ok()) return {};
    std::vector<std::string> names;
    for (const auto& info : *devices) {
      names.push_back(info.name.substr(0, info.name.rfind("/device:")));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<std::unique_ptr<Process>> servers_;
};

// {"cluster": CLUSTER, "task": {"type": TYPE, "index": INDEX}}
Environment TfConfig(const std::string& cluster, const std::string& type,
                     const std::string& index = "0") {
  return {{"TF_CONFIG", R"({"cluster": )" + cluster + R"(, "task": {"type": ")" + type +
                            R"(", "index": )" + index + "}}"}};
}

class Evaluator : public Launchers {
 protected:
  const std::string ps_ = FreeAddress();
  const std::string worker_ = FreeAddress();
  // Nobody is there.
  const std::string cluster_ = R"({"ps": [")" + ps_ + R"("], "worker": [")" + worker_ +
                               R"("], "evaluator": [")" + FreeAddress() + R"("]})";
};

TEST_F(Evaluator, Server31_IsLeftOut) {
  Start(TfConfig(cluster_, "ps"), TaskName("ps"));
  Start(TfConfig(cluster_, "worker"), TaskName("worker"));
  EXPECT_THAT(TasksOf("grpc://" + worker_),
              testing::ElementsAre(TaskName("ps"), TaskName("worker")));
}

TEST_F(Evaluator, Server31_ServesNobody) {
  const auto evaluator = Serve(TfConfig(cluster_, "evaluator"));
  EXPECT_EQ(evaluator->WaitExit(seconds(10)), 2);
  EXPECT_THAT(evaluator->Log(), HasSubstr("--keep_evaluator"));
}

TEST_F(Evaluator, Server31_IsKeptOnRequest) {
  Start(TfConfig(cluster_, "ps"), TaskName("ps"), {"--keep_evaluator"});
  Start(TfConfig(cluster_, "worker"), TaskName("worker"), {"--keep_evaluator"});
  EXPECT_THAT(Session::Create(Scope::NewRoot(),
                              {.target = "grpc://" + worker_, .create_timeout = seconds(1)})
                  .status(),
              AllOf(HasCode(StatusCode::kDeadlineExceeded), TextHas(TaskName("evaluator"))));
}

TEST_F(Launchers, Server31_SparseWorkersKeepTheirIndexes) {
  const std::string one = FreeAddress();
  const std::string three = FreeAddress();
  const std::string cluster = R"({"worker": {"1": ")" + one + R"(", "3": ")" + three + R"("}})";
  Start(TfConfig(cluster, "worker", "1"), TaskName("worker", 1));
  Start(TfConfig(cluster, "worker", "3"), TaskName("worker", 3));
  EXPECT_THAT(TasksOf("grpc://" + one),
              testing::ElementsAre(TaskName("worker", 1), TaskName("worker", 3)));
}

TEST_F(Launchers, Server31_KeysThatAreNoJobsAreNamed) {
  const std::string hosts = R"("ps_hosts": ["127.0.0.1:1"], "worker_hosts": ["127.0.0.1:2"])";
  for (const Environment& env :
       {TfConfig("{" + hosts + "}", "worker"),
        Environment{{"TF_CONFIG", "{" + hosts + R"(, "task": {"type": "worker", "index": 0}})"}}}) {
    const auto server = Serve(env);
    EXPECT_EQ(server->WaitExit(seconds(10)), 2);
    EXPECT_THAT(server->Log(), AllOf(HasSubstr("ps_hosts"), HasSubstr("worker_hosts")));
  }
}

// A step on two of the job's four nodes, which are addresses of this machine here.
TEST_F(Launchers, Server31_ValuesOfTheSlurmStepWin) {
  const int port = FreePort() - 1;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string task = rank == 0 ? TaskName("ps") : TaskName("worker", rank - 1);
    Start({{"SLURM_JOB_NODELIST", "127.0.0.[1-4]"},
           {"SLURM_TASKS_PER_NODE", "2(x4)"},
           {"SLURM_NTASKS", "8"},
           {"SLURM_STEP_NODELIST", "127.0.0.[2,3]"},
           {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
           {"SLURM_STEP_NUM_TASKS", "4"},
           {"SLURM_PROCID", std::to_string(rank)}},
          task, {"--slurm", "ps:1,worker", "--slurm_port", std::to_string(port)});
  }
  EXPECT_THAT(TasksOf("grpc://127.0.0.2:" + std::to_string(port + 1)),
              testing::ElementsAre(TaskName("ps"), TaskName("worker"), TaskName("worker", 1),
                                   TaskName("worker", 2)));
}

}  // namespace
}  // namespace rheo::cluster_test
