// Forming a cluster: tasks that are missing, filtered out, or not what the specification says.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "case_test.h"
#include "listener.h"
#include "rheo/rpc/server.h"
#include "rheo/server.h"
#include "sockets.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Forming : public CaseTest {
 protected:
  // A constant that the ps makes.
  Output OnPs() { return ops::Identity(g_.WithDevice(Device("ps")), 3.0f); }
  StatusOr<Session> Open(const Cluster& cluster, milliseconds timeout, int worker = 0) {
    SessionOptions options{.target = cluster.Target("worker", worker)};
    options.config.operation_timeout_ms = timeout.count();
    options.config.device_filters = filters_;
    return Session::Create(g_, options);
  }
  void RunsWithin(const Cluster& cluster, double limit, int worker = 0) {
    const Stopwatch watch;
    StatusOr<Session> session = Open(cluster, {}, worker);
    ASSERT_TRUE(session.ok()) << session.status();
    const auto out = session->Run({.fetches = {fetch_}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0), Tensor::Scalar(3.0f));
    EXPECT_TRUE(watch.IsBelow(limit)) << watch.Seconds();
  }

  Scope g_ = Scope::NewRoot();
  std::vector<std::string> filters_;
  Output fetch_ = OnPs();
};

TEST_F(Forming, Server01_TaskNeverStarted) {
  Cluster& cluster = Make({.ps = 1, .start = false});
  cluster.Start("worker");
  const Stopwatch watch;
  const Status status = Open(cluster, milliseconds(1000)).status();
  EXPECT_TRUE(watch.IsBelow(2)) << watch.Seconds();
  EXPECT_THAT(status, AllOf(HasCode(StatusCode::kDeadlineExceeded), TextHas(TaskName("ps")),
                            TextHas(cluster.Address("ps")), TextHas("refused")));
  cluster.Start("ps");
  RunsWithin(cluster, 2);
}

TEST_F(Forming, Server01_TaskNeverStartedAndNoTimeout) {
  Cluster& cluster = Make({.ps = 1, .start = false});
  cluster.Start("worker", 0, {"--forming_timeout", "3"});
  const Stopwatch watch;
  const Status status = Open(cluster, {}).status();
  EXPECT_GT(watch.Seconds(), 2.5);
  EXPECT_TRUE(watch.IsBelow(4)) << watch.Seconds();
  EXPECT_THAT(status, AllOf(HasCode(StatusCode::kDeadlineExceeded), TextHas(TaskName("ps")),
                            TextHas(cluster.Address("ps")), TextHas("refused")));
  cluster.Start("ps");
  RunsWithin(cluster, 2);
}

TEST_F(Forming, Server01_TaskFrozen) {
  Cluster& cluster = Make({.ps = 1});
  cluster.Freeze("ps");
  const Stopwatch watch;
  const Status status = Open(cluster, milliseconds(1000)).status();
  EXPECT_TRUE(watch.IsBelow(2)) << watch.Seconds();
  EXPECT_THAT(status, AllOf(HasCode(StatusCode::kDeadlineExceeded), TextHas(TaskName("ps")),
                            TextHas(cluster.Address("ps"))));
  cluster.Thaw("ps");
  RunsWithin(cluster, 2);
}

// Whatever keeps a task away is told. Worker 0 misses ps 0.
class MissingTask : public Forming {
 protected:
  void ExpectCause(const std::string& cause) {
    cluster_.Start("worker");
    filters_ = {"/job:ps"};
    EXPECT_THAT(Open(cluster_, milliseconds(2500)).status(),
                AllOf(HasCode(StatusCode::kDeadlineExceeded), TextHas(TaskName("ps")),
                      TextHas(cluster_.Address("ps")), TextHas(cause)));
  }
  Cluster& cluster_ = Make({.ps = 1, .workers = 2, .start = false});
};

TEST_F(MissingTask, WhoseNameCannotBeResolved) {
  cluster_.SetAddress("ps", 0, "no-such-host.invalid:2222");
  ExpectCause("cannot be resolved");
}

TEST_F(MissingTask, WhosePortIsSilent) {
  const SilentListener silent(cluster_.Address("ps"));
  ExpectCause("no answer");
}

TEST_F(MissingTask, WhosePortIsAWebServers) {
  const SilentListener web(cluster_.Address("ps"),
                           "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  ExpectCause("does not speak HTTP/2");
}

TEST_F(MissingTask, WhosePortIsAnotherGrpcServers) {
  const auto other = rpc::RpcServer::Bind({.address = cluster_.Address("ps")});
  ASSERT_TRUE(other.ok()) << other.status();
  (*other)->Start(rpc::RpcServices{});
  ExpectCause("no worker service");
}

TEST_F(MissingTask, WhosePortIsAnotherTasks) {
  cluster_.Start("worker", 1);
  cluster_.SetAddress("ps", 0, cluster_.Address("worker", 1));
  ExpectCause("another task answers");
}

TEST_F(MissingTask, WhoseClusterIsAnother) {
  cluster_.Start("ps");
  cluster_.SetAddress("worker", 1, FreeAddress());
  ExpectCause("cluster specs differ");
}

// Two workers are over; something else has their ports now.
TEST_F(Forming, Server02_FinishedPeersAreFilteredOut) {
  Cluster& cluster = Make({.ps = 1, .workers = 3, .start = false});
  const SilentListener first(cluster.Address("worker", 0));
  const SilentListener second(cluster.Address("worker", 1));
  cluster.Start("ps");
  cluster.Start("worker", 2);
  filters_ = {"/job:ps", "/job:worker/task:2"};
  const Stopwatch watch;
  StatusOr<Session> session = Open(cluster, {}, 2);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(session->Run({.fetches = {fetch_}}).ok());
    if (i == 0) {
      EXPECT_TRUE(watch.IsBelow(2)) << watch.Seconds();
    }
  }
  EXPECT_TRUE(session->Close().ok());
  cluster.Get("worker", 2).Signal(SIGTERM);
  EXPECT_EQ(cluster.Get("worker", 2).WaitExit(seconds(20)), 0);
  EXPECT_EQ(first.num_connections(), 0);
  EXPECT_EQ(second.num_connections(), 0);
}

TEST_F(Forming, Server02_FinishedPeersAreMissed) {
  Cluster& cluster = Make({.ps = 1, .workers = 3, .start = false});
  const SilentListener first(cluster.Address("worker", 0));
  const SilentListener second(cluster.Address("worker", 1));
  cluster.Start("ps");
  cluster.Start("worker", 2);
  const Stopwatch watch;
  const Status status = Open(cluster, milliseconds(3000), 2).status();
  EXPECT_TRUE(watch.IsBelow(4)) << watch.Seconds();
  EXPECT_THAT(status, AllOf(HasCode(StatusCode::kDeadlineExceeded), TextHas(TaskName("worker", 0)),
                            TextHas(TaskName("worker", 1)), TextHas("device_filters"),
                            Not(TextHas(TaskName("ps")))));
}

class MissingJob : public CaseTest {};

TEST_F(MissingJob, Server14_JobIsNotInTheCluster) {
  Cluster& cluster = Make({.workers = 1});
  Scope g = Scope::NewRoot();
  const Variable w(g.WithName("w").WithDevice("/job:ps/task:0"), 1.0f);
  const Operation init = InitializeVariables(g);
  const Stopwatch watch;
  Status status;
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  status = session.status();
  if (session.ok()) status = session->Run({.targets = {init}}).status();
  EXPECT_TRUE(watch.IsBelow(2)) << watch.Seconds();
  EXPECT_THAT(status,
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("{{node w"),
                    TextHas("/job:ps/task:0"), TextHas(TaskName("worker") + "/device:CPU:0"),
                    TextHas("job 'ps' is not in the cluster")));
}

TEST_F(MissingJob, Server14_JobIsFilteredOut) {
  Cluster& cluster = Make({.ps = 1, .workers = 1});
  Scope g = Scope::NewRoot();
  const Variable w(g.WithName("w").WithDevice("/job:ps/task:0"), 1.0f);
  const Operation init = InitializeVariables(g);
  SessionOptions options{.target = cluster.Target()};
  options.config.device_filters = {"/job:worker"};
  StatusOr<Session> session = Session::Create(g, options);
  Status status = session.status();
  if (session.ok()) status = session->Run({.targets = {init}}).status();
  EXPECT_THAT(
      status,
      AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("{{node w"), TextHas("/job:ps/task:0"),
            TextHas(TaskName("worker") + "/device:CPU:0"), TextHas("device_filters")));
}

// Each of these names what was wrong and what would have been right.
TEST_F(Forming, Server18_WrongIdentityInTheLibrary) {
  const ClusterSpec cluster{{"worker", {"127.0.0.1:0", "127.0.0.1:0"}}};
  const auto start = [](ServerOptions options) { return Server::Start(options).status(); };
  EXPECT_THAT(
      start({.cluster = cluster, .job = "worker", .task = -1}),
      AllOf(HasCode(StatusCode::kInternal), TextHas("-1"), TextHas("worker"), TextHas("0, 1")));
  EXPECT_THAT(
      start({.cluster = cluster, .job = "worker", .task = 7}),
      AllOf(HasCode(StatusCode::kInternal), TextHas("7"), TextHas("worker"), TextHas("0, 1")));
  EXPECT_THAT(start({.cluster = cluster, .job = "nojob"}),
              AllOf(HasCode(StatusCode::kInternal), TextHas("nojob"), TextHas("worker")));
  EXPECT_THAT(start({.job = "worker"}),
              AllOf(HasCode(StatusCode::kInternal), TextHas("worker"), TextHas("no jobs")));
}

// `rheo serve` with such flags is refused in one line that says the value and what is known.
void ExpectRefusal(const std::vector<std::string>& flags, const std::string& value,
                   const std::string& known) {
  std::vector<std::string> command{BuiltProgram("rheo"), "serve"};
  command.insert(command.end(), flags.begin(), flags.end());
  SCOPED_TRACE(testing::PrintToString(flags));
  const std::unique_ptr<Process> process = Process::Start(command);
  const Stopwatch watch;
  EXPECT_EQ(process->WaitExit(seconds(5)), 2);
  EXPECT_TRUE(watch.IsBelow(1)) << watch.Seconds();
  const std::string log = process->Log();
  EXPECT_THAT(log, AllOf(HasSubstr(value), HasSubstr(known)));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

TEST_F(Forming, ValuesThatAFlagCannotHaveAreRefused) {
  const std::string spec = "worker|" + FreeAddress();
  const auto refused = [&](const std::string& flag, const std::string& value,
                           const std::string& right) {
    ExpectRefusal({"--cluster_spec", spec, "--job_name", "worker", flag, value}, "'" + value + "'",
                  flag + " " + right);
  };
  for (const char* flag :
       {"--cpu", "--gpu", "--inter_op_threads", "--intra_op_threads", "--grace",
        "--forming_timeout", "--lost_master_limit", "--session_idle_limit", "--ping_interval_ms"}) {
    refused(flag, "-3", "takes a whole number of at least 0");
  }
  refused("--slurm_port", "70000", "takes a whole number from 1 to 65535");
  refused("--gpu_memory_fraction", "nan", "takes a number from 0 to 1");
  refused("--gpu_memory_fraction", "1.5", "takes a number from 0 to 1");
  refused("--max_sessions", "-1", "takes a number of at least 0");
  refused("--files", "", "needs a value");
  refused("--bind", "", "needs a value");
  ExpectRefusal({"--cluster_spec", spec, "--job_name", "worker", "--collective_group_leader", "w"},
                "'w'", "/job:worker/replica:0/task:0");
  for (const char* flag : {"--cpu", "--gpu", "--inter_op_threads", "--intra_op_threads"}) {
    ExpectRefusal({"--cluster_spec", spec, "--job_name", "worker", flag, "1000000"}, "1000000",
                  "10000 at most");
  }
}

TEST_F(Forming, AServerDefThatCannotBeReadIsRefused) {
  ExpectRefusal({"--server_def", "/nowhere"}, "/nowhere", "cannot read");
  ExpectRefusal({"--server_def", "/"}, "'/'", "cannot read");
  ExpectRefusal({"--server_def", "/dev/zero"}, "/dev/zero", "more than 16777216 bytes");
}

TEST_F(Forming, AServerDefOfAnotherProtocolIsRefused) {
  const std::string path = testing::TempDir() + "verbs.pbtxt";
  std::ofstream(path) << R"(cluster { job { name: "w" tasks { key: 0 value: "127.0.0.1:0" } } } )"
                      << R"(job_name: "w" protocol: "grpc+verbs")";
  ExpectRefusal({"--server_def", path}, "grpc+verbs", "Rheo serves 'grpc'");
}

TEST_F(Forming, Server18_WrongIdentityOfTheCommand) {
  const std::string port = FreeAddress();
  const std::string spec = "worker|" + port + ";" + FreeAddress();
  ExpectRefusal({"--cluster_spec", spec, "--job_name", "worker", "--task_id", "-1"}, "-1", "0, 1");
  ExpectRefusal({"--cluster_spec", spec, "--job_name", "worker", "--task_id", "7"}, "7", "0, 1");
  ExpectRefusal({"--cluster_spec", spec, "--job_name", "nojob"}, "nojob", "worker");
  ExpectRefusal({"--cluster_spec", "", "--job_name", "worker"}, "cluster", "--cluster_spec");
  const int fd = ListenOn(port);  // nobody kept it
  close(fd);
}

}  // namespace
}  // namespace rheo::cluster_test
