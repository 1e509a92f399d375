// rheo serve: one task of a cluster.

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "door_flags.h"
#include "flags.h"
#include "rheo/base/stderr.h"
#include "rheo/runtime/server.h"
#include "rheo/service/cluster_spec.h"
#include "rheo/train/slurm.h"
#include "rheo/train/task.h"
#include "rheo/wire/codec.h"

namespace rheo::app {
namespace {

constexpr std::string_view kHelp = R"(rheo serve: serves one task of a cluster until SIGTERM.

Which task it is comes from one of these:
  --cluster_spec SPEC   e.g. 'ps|host:port,worker|host:port;host:port', with --job_name and --task_id
  --server_def FILE     a ServerDef, as text or binary protobuf
  --slurm JOBS          the Slurm job step that this process is of; e.g. 'ps:1,worker': rank 0 is
                        the ps, all others are workers. The processes of a node listen on
                        --slurm_port N (default 8888) and the ports after it
  TF_CONFIG             this environment variable, when no flag is given; without its job
                        'evaluator', unless there is --keep_evaluator

  --job_name JOB        the job of this task
  --task_id N           its index in the job (default 0)
  --bind HOST           listen on this address instead of the one in the cluster spec; '::' is all
  --plain_from LIST     from where calls without credentials are taken: none, any, or a list of
                        loopback, cluster, addresses, ranges like 10.0.0.0/8 (default:
                        loopback,cluster without credentials, none with them)
{credentials}  --files LIST          which files operations may touch: any (default), none, folders by commas
  --cpu N               CPU devices (default 1)
  --gpu N               simulated GPU devices (default 0)
  --gpu_memory_fraction F   the share of a GPU's memory to use, up to 1 (default, and 0: all)
  --inter_op_threads N  threads that run operations (default: cores)
  --intra_op_threads N  threads that share one operation (default: cores)
  --collective_group_leader TASK   the task that says who is in a group of collectives, e.g.
                        /job:worker/replica:0/task:0; the same for all tasks
  --grace SECONDS       how long running steps may finish after SIGTERM (default 10)
  --max_sessions N      open sessions of this task (default 10000)
  --max_graph_nodes N   nodes of a session's graph (default 10000000)
  --max_graph_bytes B   its bytes, constants included; B like 1000, 64K, 256M, 2G (default 8G)
  --max_message_bytes B one request (default: what gRPC takes, 2G)
  --max_bytes_in_flight B   requests that are not answered yet; more wait (default: half the memory)
                        0 is no limit, for each of these
  --faults LIST         for tests: places that delay, fail or kill; see async/fault_points.h
  --exit-when-done      end when all sessions that used this task are closed
  --lost_master_limit S    drop what a master left here that does not answer for so long (default
                        600; 0: never)
  --session_idle_limit S   close sessions that nobody used for so long (default 0: never)
  --ping_interval_ms N  how often links are pinged, so that dead ones are noticed (default: 10 s)
  --forming_timeout S   how long a session without a timeout waits for missing tasks (default 600)

Example:
  rheo serve --cluster_spec 'ps|127.0.0.1:7000,worker|127.0.0.1:7001' --job_name ps --task_id 0
)";

struct Options {
  std::string cluster_spec;
  std::string job_name;
  int task_id = 0;
  std::string server_def;
  std::string slurm_jobs;
  int slurm_port = train::SlurmOptions().first_port;
  bool keep_evaluator = false;
  std::string bind;
  std::string plain_from;
  std::string files;
  CredentialFlags credentials;
  int cpus = 0;
  int gpus = 0;
  double gpu_memory_fraction = 0;
  int inter_op_threads = 0;
  int intra_op_threads = 0;
  std::string collective_group_leader;
  int grace_seconds = 10;
  int forming_seconds = 600;
  int session_idle_seconds = 0;
  int lost_master_seconds = 600;
  int ping_interval_ms = 0;
  std::string faults;
  service::Limits limits;
  bool exit_when_done = false;
  bool help = false;
};

StatusOr<service::ServerDef> ReadServerDef(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read the --server_def file '{}'", path);
  constexpr size_t kMaxBytes = size_t{16} << 20;  // of a cluster of 100 000 tasks
  std::string bytes(kMaxBytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  if (file.bad()) return NotFound("cannot read the --server_def file '{}'", path);
  if (bytes.size() > kMaxBytes) {
    return InvalidArgument("the --server_def file '{}' has more than {} bytes", path, kMaxBytes);
  }
  StatusOr<service::ServerDef> def = wire::ParseServerDef(bytes);
  if (!def.ok()) return Prefix(def.status(), fmt::format("'{}': ", path));
  return def;
}

// From the environment of what started this process.
StatusOr<train::Task> TaskFromLauncher(const Options& options) {
  if (!options.slurm_jobs.empty()) {
    return train::TaskFromSlurm({.jobs = options.slurm_jobs, .first_port = options.slurm_port});
  }
  RHEO_ASSIGN_OR_RETURN(train::Task task,
                        train::Task::FromEnvironment({.keep_evaluator = options.keep_evaluator}));
  if (!task.cluster().empty()) return task;
  if (task.job() == train::kEvaluatorJob) {
    return InvalidArgument(
        "TF_CONFIG: this is an evaluator, which serves nobody; --keep_evaluator makes it a task "
        "of the cluster");
  }
  return InvalidArgument(
      "no cluster is given: use --cluster_spec, --server_def, --slurm or TF_CONFIG; "
      "`rheo serve --help` shows how");
}

StatusOr<service::ServerDef> DefFromFlags(const Options& options) {
  if (!options.server_def.empty()) {
    if (!options.cluster_spec.empty()) {
      return InvalidArgument("give --server_def or --cluster_spec, not both");
    }
    return ReadServerDef(options.server_def);
  }
  service::ServerDef def;
  if (!options.cluster_spec.empty()) {
    RHEO_ASSIGN_OR_RETURN(def.cluster, service::ParseClusterSpec(options.cluster_spec));
    if (options.job_name.empty()) {
      return InvalidArgument("--job_name is missing: which job of --cluster_spec is this task of?");
    }
    def.job_name = options.job_name;
    def.task_index = options.task_id;
    return def;
  }
  RHEO_ASSIGN_OR_RETURN(const train::Task task, TaskFromLauncher(options));
  def.cluster = task.cluster();
  def.job_name = task.job();
  def.task_index = task.index();
  return def;
}

// Why the server is to stop: a signal, or nobody uses it any more.
std::string AwaitEnd(const runtime::Server& server, const sigset_t& signals, bool exit_when_done) {
  if (!exit_when_done) {
    int received = 0;
    sigwait(&signals, &received);
    return strsignal(received);
  }
  // Sessions that follow each other closely are one use.
  constexpr timespec kLookEvery{.tv_sec = 0, .tv_nsec = 500'000'000};
  int unused_looks = 0;
  while (unused_looks < 3) {
    const int received = sigtimedwait(&signals, nullptr, &kLookEvery);
    if (received > 0) return strsignal(received);
    const runtime::SessionCounts sessions = server.sessions();
    unused_looks = sessions.ever > 0 && sessions.open == 0 ? unused_looks + 1 : 0;
  }
  return "all sessions that used this task are closed";
}

}  // namespace

int Serve(const std::vector<std::string>& args) {
  const auto start = std::chrono::steady_clock::now();
  Options options;
  std::vector<Flag> flags = {
      {.name = "cluster_spec", .text = &options.cluster_spec},
      {.name = "job_name", .text = &options.job_name},
      {.name = "task_id", .number = &options.task_id, .at_least = INT32_MIN},
      {.name = "server_def", .text = &options.server_def},
      {.name = "slurm", .text = &options.slurm_jobs},
      {.name = "slurm_port", .number = &options.slurm_port, .at_least = 1, .at_most = 65535},
      {.name = "keep_evaluator", .on = &options.keep_evaluator},
      {.name = "bind", .text = &options.bind},
      {.name = "cpu", .number = &options.cpus},
      {.name = "gpu", .number = &options.gpus},
      {.name = "gpu_memory_fraction", .real = &options.gpu_memory_fraction, .at_most = 1},
      {.name = "inter_op_threads", .number = &options.inter_op_threads},
      {.name = "intra_op_threads", .number = &options.intra_op_threads},
      {.name = "collective_group_leader", .text = &options.collective_group_leader},
      {.name = "grace", .number = &options.grace_seconds},
      {.name = "plain_from", .text = &options.plain_from},
      {.name = "forming_timeout", .number = &options.forming_seconds},
      {.name = "lost_master_limit", .number = &options.lost_master_seconds},
      {.name = "ping_interval_ms", .number = &options.ping_interval_ms},
      {.name = "session_idle_limit", .number = &options.session_idle_seconds},
      {.name = "faults", .text = &options.faults},
      {.name = "exit-when-done", .on = &options.exit_when_done},
      {.name = "files", .text = &options.files},
      {.name = "max_sessions", .count = &options.limits.sessions},
      {.name = "max_graph_nodes", .count = &options.limits.graph_nodes},
      {.name = "max_graph_bytes", .bytes = &options.limits.graph_bytes},
      {.name = "max_message_bytes", .bytes = &options.limits.message_bytes},
      {.name = "max_bytes_in_flight", .bytes = &options.limits.bytes_in_flight},
      {.name = "help", .on = &options.help}};
  options.credentials.AddTo(flags);
  const StatusOr<std::vector<std::string>> rest = ParseFlags(args, flags);
  if (!rest.ok()) return WrongCall("serve", rest.status());
  if (options.help) {
    fmt::print(kHelp, fmt::arg("credentials", kCredentialHelp));
    return kDone;
  }
  if (!rest->empty()) {
    return WrongCall(
        "serve", InvalidArgument("'{}' is no flag; `rheo serve --help` shows them", rest->front()));
  }
  StatusOr<service::ServerDef> def = DefFromFlags(options);
  if (!def.ok()) return WrongCall("serve", def.status());
  if (Status valid = service::ValidateServerDef(*def); !valid.ok()) {
    return WrongCall("serve", valid);
  }
  if (options.cpus > 0) def->default_session_config.device_count["CPU"] = options.cpus;
  if (options.gpus > 0) def->default_session_config.device_count["GPU"] = options.gpus;
  if (options.gpu_memory_fraction != 0) {
    def->default_session_config.gpu_memory_fraction = options.gpu_memory_fraction;
  }
  if (!options.collective_group_leader.empty()) {
    def->default_session_config.collective_group_leader = options.collective_group_leader;
  }
  if (options.inter_op_threads > 0) {
    def->default_session_config.inter_op_threads = options.inter_op_threads;
  }
  if (options.intra_op_threads > 0) {
    def->default_session_config.intra_op_threads = options.intra_op_threads;
  }

  // Blocked before any thread starts, so that only sigwait below sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // What they tell of is an error of the call that writes.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);

  runtime::ServerOptions server_options = runtime::OptionsFrom(*std::move(def));
  server_options.bind_host = options.bind;
  server_options.faults = options.faults;
  server_options.forming_timeout = std::chrono::seconds(options.forming_seconds);
  server_options.session_idle_limit = std::chrono::seconds(options.session_idle_seconds);
  server_options.lost_master_limit = std::chrono::seconds(options.lost_master_seconds);
  server_options.ping_interval = std::chrono::milliseconds(options.ping_interval_ms);
  server_options.credentials = options.credentials.Get();
  server_options.plain_from = options.plain_from;
  server_options.files = options.files;
  server_options.limits = options.limits;
  StatusOr<std::unique_ptr<runtime::Server>> server =
      runtime::Server::Start(std::move(server_options));
  if (!server.ok()) return WrongCall("serve", server.status());
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::steady_clock::now() - start)
                          .count();
  PrintToStderr("rheo serve: {} at {} with {} device(s), listening on {} ({}), ready after {} ms\n",
                (*server)->task_name(), (*server)->target(), (*server)->devices().size(),
                fmt::join((*server)->bound(), " "), (*server)->DescribeDoor(), millis);
  PrintToStderr("rheo serve: stopping: {}\n", AwaitEnd(**server, signals, options.exit_when_done));
  (*server)->Stop(std::chrono::seconds(options.grace_seconds));
  return kDone;
}

}  // namespace rheo::app
