// Case server-11: mutual TLS, a token, no files.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "rheo/client.h"
#include "rheo/rpc/certificates.h"
#include "rheo/rpc/channel.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/secrets.h"
#include "rheo/server.h"

namespace rheo {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

MATCHER_P(HasCode, code, "") { return arg.code() == code; }
MATCHER_P(TextHas, text, "") { return Message(arg).find(text) != std::string_view::npos; }

// A port of 127.0.0.1 that was free a moment ago.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool is_bound = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(fd);
  EXPECT_TRUE(is_bound);
  return ntohs(address.sin_port);
}

constexpr std::string_view kMasterMethods[] = {
    "CreateSession", "ExtendSession", "PartialRunSetup", "RunStep",     "CloseSession",
    "ListDevices",   "Reset",         "MakeCallable",    "RunCallable", "ReleaseCallable"};
constexpr std::string_view kWorkerMethods[] = {"GetStatus",
                                               "CreateWorkerSession",
                                               "DeleteWorkerSession",
                                               "RegisterGraph",
                                               "DeregisterGraph",
                                               "RunGraph",
                                               "CleanupGraph",
                                               "CleanupAll",
                                               "RecvTensor",
                                               "MarkRecvFinished",
                                               "Logging",
                                               "Tracing",
                                               "RecvBuf",
                                               "CompleteGroup",
                                               "CompleteInstance",
                                               "GetStepSequence"};

std::vector<std::string> AllPaths() {
  std::vector<std::string> paths = {std::string(rpc::kPushTensorsPath),
                                    std::string(rpc::kHealthCheckPath)};
  for (std::string_view prefix : rpc::kMasterPrefixes) {
    for (std::string_view method : kMasterMethods) {
      paths.push_back(std::string(prefix).append(method));
    }
  }
  for (std::string_view prefix : rpc::kWorkerPrefixes) {
    for (std::string_view method : kWorkerMethods) {
      paths.push_back(std::string(prefix).append(method));
    }
  }
  return paths;
}

// ps:1 worker:1 in this process, with the credentials of one job.
class Server11 : public testing::Test {
 protected:
  Server11() {
    root_ = (fs::temp_directory_path() / "rheo-server-11-XXXXXX").string();
    EXPECT_NE(mkdtemp(root_.data()), nullptr);
    job_ = MakeJob("job");
  }
  ~Server11() override {
    servers_.clear();
    fs::remove_all(root_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = root_ + "/" + name;
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_read);
    return path;
  }
  Credentials MakeJob(const std::string& name) const {
    const StatusOr<rpc::JobCredentials> made =
        rpc::MakeJobCredentials({"127.0.0.1"}, std::chrono::hours(24));
    EXPECT_TRUE(made.ok()) << made.status();
    fs::create_directory(root_ + "/" + name);
    Write(name + "/ca.pem", made->ca);
    Write(name + "/cert.pem", made->cert);
    Write(name + "/key.pem", made->key);
    Write(name + "/token", made->token + "\n");
    return Credentials::InFolder(root_ + "/" + name);
  }

  // Starts both tasks with `options`, of which cluster, job and task are set here.
  void Start(ServerOptions options) {
    servers_.clear();
    options.cluster = ClusterSpec{{"ps", {"127.0.0.1:" + std::to_string(FreePort())}},
                                  {"worker", {"127.0.0.1:" + std::to_string(FreePort())}}};
    for (const char* job : {"ps", "worker"}) {
      options.job = job;
      StatusOr<std::unique_ptr<Server>> server = Server::Start(options);
      ASSERT_TRUE(server.ok()) << server.status();
      servers_[job] = *std::move(server);
    }
  }

  // 2 on the ps times 3 on the worker.
  Status RunAStep(const Credentials& credentials) {
    Scope g = Scope::NewRoot();
    const Output a = ops::Identity(g.WithDevice("/job:ps/task:0"), 2.0f);
    const Output b = ops::Mul(g.WithDevice("/job:worker/task:0"), a, 3.0f);
    SessionOptions options{.target = servers_["worker"]->target(), .credentials = credentials};
    options.config.operation_timeout_ms = 20'000;
    RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g, std::move(options)));
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session.Run({.fetches = {b}}));
    EXPECT_EQ(out.at(0), Tensor::Scalar(6.0f));
    return OkStatus();
  }

  // Calls a path of a task with any bytes.
  grpc::Status RawCall(rpc::RpcClient& client, const std::string& job, const std::string& path,
                       const std::string& bytes) {
    wire::Message request;
    request.slices.emplace_back(bytes);
    service::Call call;
    call.caller_waits = true;
    call.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    grpc::Status status;
    const std::string address = "127.0.0.1:" + std::to_string(servers_[job]->port());
    client.Connect(address)->Start(path, std::move(request), call,
                                   [&](rpc::RpcResult& result) { status = result.status; });
    return status;
  }

  std::string root_;
  Credentials job_;
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

TEST_F(Server11, a_TheRightClientRunsStepsOverBothTasks) {
  Start({.credentials = job_});
  EXPECT_EQ(RunAStep(job_), OkStatus());
  EXPECT_THAT(servers_["ps"]->DescribeDoor(),
              AllOf(HasSubstr("mutual TLS and a token"), HasSubstr("plain calls from nowhere")));
}

TEST_F(Server11, b_WithoutACertificateNothingRuns) {
  Start({.credentials = job_});
  Credentials without = job_;
  without.cert_file.clear();
  without.key_file.clear();
  EXPECT_THAT(RunAStep(without),
              AllOf(HasCode(StatusCode::kUnauthenticated), TextHas("certificate")));
  EXPECT_THAT(RunAStep({}), HasCode(StatusCode::kUnauthenticated));
  EXPECT_THAT(RunAStep(MakeJob("other")),
              AllOf(HasCode(StatusCode::kUnavailable), TextHas("certificate")));
  EXPECT_EQ(RunAStep(job_), OkStatus());
}

TEST_F(Server11, c_WrongTokensAreUnauthenticatedOnEveryMethod) {
  Start({.credentials = job_});
  Credentials wrong = job_;
  wrong.token_file = Write("wrong", "open-sesame");
  Credentials missing = job_;
  missing.token_file.clear();
  for (const Credentials& credentials : {wrong, missing}) {
    rpc::RpcClient client({.secrets = rpc::Secrets::Load(credentials).value()});
    std::vector<std::string> paths = AllPaths();
    paths.emplace_back(rpc::kHealthWatchPath);  // goes on for ever for those who may come in
    for (const std::string& path : paths) {
      const grpc::Status status = RawCall(client, "worker", path, "");
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED) << path;
      EXPECT_THAT(status.error_message(), AllOf(HasSubstr("token"), Not(HasSubstr("sesame"))));
    }
    EXPECT_THAT(RunAStep(credentials), HasCode(StatusCode::kUnauthenticated));
  }
}

TEST_F(Server11, d_FileOperationsAreRefusedAtRegistration) {
  const std::string secret = Write("secret", "top");
  Start({.files = "none"});
  Scope g = Scope::NewRoot();
  const Output name = ops::Placeholder(g, DType::kString, {.shape = {}});
  const Output read = ops::ReadFile(g.WithName("peek").WithDevice("/job:ps/task:0"), name);
  const Output other = ops::Identity(g.WithDevice("/job:ps/task:0"), 5.0f);
  StatusOr<Session> session = Session::Create(g, {.target = servers_["worker"]->target()});
  ASSERT_TRUE(session.ok()) << session.status();
  const Status status =
      session->Run({.feeds = {{name, Tensor::Scalar(secret)}}, .fetches = {read}}).status();
  EXPECT_THAT(status, AllOf(HasCode(StatusCode::kPermissionDenied), TextHas("peek"),
                            TextHas("ReadFile"), TextHas("/job:ps/")));
  EXPECT_TRUE(session->Run({.fetches = {other}}).ok());
}

TEST_F(Server11, d_AFileOfAConstantNameIsNotReadByTheMaster) {
  const std::string secret = Write("secret", "top");
  Start({.files = "none"});
  Scope g = Scope::NewRoot();
  const Output read = ops::ReadFile(g.WithDevice("/job:ps/task:0"), Tensor::Scalar(secret));
  StatusOr<Session> session = Session::Create(g, {.target = servers_["worker"]->target()});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(session->Run({.fetches = {read}}).status(), HasCode(StatusCode::kPermissionDenied));
}

TEST_F(Server11, d_AFolderThatIsAllowedIsRead) {
  const std::string inside = Write("job/file", "text");
  const std::string outside = Write("secret", "top");
  Start({.files = root_ + "/job"});
  Scope g = Scope::NewRoot();
  const Output name = ops::Placeholder(g, DType::kString, {.shape = {}});
  const Output read = ops::ReadFile(g.WithName("peek").WithDevice("/job:ps/task:0"), name);
  StatusOr<Session> session = Session::Create(g, {.target = servers_["worker"]->target()});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto run = [&](const std::string& path) {
    return session->Run({.feeds = {{name, Tensor::Scalar(path)}}, .fetches = {read}});
  };
  EXPECT_EQ(run(inside).value().at(0), Tensor::Scalar("text"));
  EXPECT_THAT(run(outside).status(),
              AllOf(HasCode(StatusCode::kPermissionDenied), TextHas("peek"), TextHas(outside)));
}

TEST_F(Server11, e_BytesThatAreNoRequestsChangeNothing) {
  constexpr int kPerMethod = 6;
  Start({.credentials = job_});
  rpc::RpcClient client({.secrets = rpc::Secrets::Load(job_).value()});
  std::mt19937 random(11);
  std::uniform_int_distribution<int> byte(0, 255);
  for (const std::string& path : AllPaths()) {
    for (int i = 0; i < kPerMethod; ++i) {
      std::string bytes(static_cast<size_t>(i * 11), '\0');
      for (char& c : bytes) c = static_cast<char>(byte(random));
      const grpc::Status status = RawCall(client, "ps", path, bytes);
      EXPECT_THAT(status.error_code(), AnyOf(Not(grpc::StatusCode::UNAVAILABLE))) << path;
      EXPECT_NE(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << path;
    }
  }
  EXPECT_EQ(RunAStep(job_), OkStatus());
}

TEST_F(Server11, ServersAndSessionsTakeTheirCredentialsFromTheEnvironment) {
  ASSERT_EQ(setenv("RHEO_CREDENTIALS", (root_ + "/job").c_str(), 1), 0);
  Start({});
  EXPECT_EQ(RunAStep({}), OkStatus());
  ASSERT_EQ(unsetenv("RHEO_CREDENTIALS"), 0);
  EXPECT_THAT(RunAStep({}), HasCode(StatusCode::kUnauthenticated));
}

TEST_F(Server11, BadCredentialsAndPoliciesAreFoundAtTheStart) {
  const ServerOptions good{.cluster = {{"ps", {"127.0.0.1:0"}}}, .job = "ps"};
  ServerOptions options = good;
  options.credentials.token_file = "/no/such/token";
  EXPECT_THAT(Server::Start(options).status(),
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("/no/such/token")));
  options = good;
  options.plain_from = "lo";
  EXPECT_THAT(Server::Start(options).status(),
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("'lo'")));
  options = good;
  options.files = "/no/such/folder";
  EXPECT_THAT(Server::Start(options).status(),
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("/no/such/folder")));
}

}  // namespace
}  // namespace rheo
