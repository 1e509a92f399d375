#include "rheo/rpc/doorkeeper.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>

#include "rheo/rpc/certificates.h"
#include "rheo/rpc/test_server.h"

namespace rheo::rpc {
namespace {

using service::Credentials;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kDay = std::chrono::hours(24);

// A folder that is gone with the test.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "rheo-door-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    std::filesystem::permissions(path_ + "/" + name, std::filesystem::perms::owner_read);
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class DoorTest : public testing::Test {
 protected:
  // The credentials of one job; another call makes another job's.
  Credentials MakeJob() {
    const StatusOr<JobCredentials> job = MakeJobCredentials({}, kDay);
    EXPECT_TRUE(job.ok()) << job.status();
    const Folder& folder = folders_.emplace_back();
    folder.Write("ca.pem", job->ca);
    folder.Write("cert.pem", job->cert);
    folder.Write("key.pem", job->key);
    folder.Write("token", job->token + "\n");
    return Credentials::InFolder(folder.path());
  }
  std::shared_ptr<const Secrets> Load(const Credentials& credentials) {
    auto secrets = Secrets::Load(credentials);
    EXPECT_TRUE(secrets.ok()) << secrets.status();
    return secrets.ok() ? *secrets : nullptr;
  }
  void Serve(const Credentials& credentials, const std::string& plain = "") {
    RpcServerOptions options{.secrets = Load(credentials)};
    options.plain = plain.empty() ? PlainPolicy::Default(!credentials.empty())
                                  : PlainPolicy::Parse(plain).value();
    server_ = std::make_unique<TestServer>(std::move(options));
  }
  // GetStatus as a client with these credentials; null: a plain one.
  Status CallAs(const Credentials& credentials) {
    RpcClient client({.secrets = Load(credentials)});
    service::GetStatusResponse response;
    service::Call call;
    call.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    return CallAndWait(*ConnectWorker(client, kTestTask, server_->address()),
                       &service::WorkerService::GetStatus, {}, &response, call);
  }

  std::list<Folder> folders_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(DoorTest, TheRightClientComesInThroughMutualTlsAndToken) {
  const Credentials job = MakeJob();
  Serve(job);
  EXPECT_EQ(CallAs(job), OkStatus());
}

TEST_F(DoorTest, AClientWithoutCertificateIsToldSo) {
  const Credentials job = MakeJob();
  Serve(job);
  const Status status = CallAs({.ca_file = job.ca_file, .token_file = job.token_file});
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated) << status;
  EXPECT_THAT(std::string(Message(status)), HasSubstr("certificate"));
  EXPECT_EQ(server_->worker.get_status.num_calls(), 0);
}

TEST_F(DoorTest, AClientOfAnotherJobDoesNotGetIn) {
  const Credentials job = MakeJob();
  const Credentials other = MakeJob();
  Serve(job);
  // It trusts this server, but its own certificate is of another authority.
  const Status status = CallAs({.ca_file = job.ca_file,
                                .cert_file = other.cert_file,
                                .key_file = other.key_file,
                                .token_file = job.token_file});
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(Message(status)), HasSubstr("certificate"));
  EXPECT_EQ(server_->worker.get_status.num_calls(), 0);
}

TEST_F(DoorTest, AServerOfAnotherJobIsNotTrusted) {
  Serve(MakeJob());
  const Status status = CallAs(MakeJob());
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(Message(status)),
              AllOf(HasSubstr("certificate verify failed"), HasSubstr(server_->address())));
}

TEST_F(DoorTest, ACertificateForAnotherHostIsNotTrusted) {
  const Credentials job = MakeJob();
  Serve(job);
  Credentials client = job;
  client.server_name = "elsewhere.example";
  const Status status = CallAs(client);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(Message(status)),
              HasSubstr("elsewhere.example is not in peer certificate"));
  client.server_name = "localhost";
  EXPECT_EQ(CallAs(client), OkStatus());
}

TEST_F(DoorTest, AWrongOrMissingTokenIsUnauthenticatedOnEveryMethodAndNeverShown) {
  const Credentials job = MakeJob();
  Serve(job);
  Credentials wrong = job;
  wrong.token_file = folders_.front().Write("other-token", "open-sesame");
  Credentials missing = job;
  missing.token_file.clear();
  const std::string token = Load(job)->bearer.substr(7);
  for (const Credentials& credentials : {wrong, missing}) {
    RpcClient client({.secrets = Load(credentials)});
    for (const std::string& path : AllTestPaths()) {
      const grpc::Status status = server_->RawCallBy(client, path, "");
      EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED) << path;
      EXPECT_THAT(status.error_message(),
                  AllOf(HasSubstr("token"), Not(HasSubstr(token)), Not(HasSubstr("open-sesame"))));
    }
  }
  EXPECT_EQ(server_->worker.get_status.num_calls(), 0);
}

TEST_F(DoorTest, PlainCallsAreRefusedWhereCredentialsAreSetUnlessThePolicyLetsThemIn) {
  const Credentials job = MakeJob();
  Serve(job);
  const Status status = CallAs({});
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated) << status;
  EXPECT_THAT(std::string(Message(status)), AllOf(HasSubstr("127.0.0.1"), HasSubstr("TLS")));
  Serve(job, "loopback");
  EXPECT_EQ(CallAs({}), OkStatus());
  EXPECT_EQ(CallAs(job), OkStatus());
  // A wrong token does not get in because it need not be there.
  const std::string file = folders_.front().Write("other-token", "open-sesame");
  EXPECT_EQ(CallAs({.token_file = file}).code(), StatusCode::kUnauthenticated);
}

TEST_F(DoorTest, ATokenAloneWorksWithoutTls) {
  const Credentials token{.token_file = MakeJob().token_file};
  Serve(token);
  EXPECT_EQ(CallAs(token), OkStatus());
  EXPECT_EQ(CallAs({}).code(), StatusCode::kUnauthenticated);
}

TEST_F(DoorTest, WithoutCredentialsLoopbackIsTakenAndOthersOnlyByPolicy) {
  Serve({});
  EXPECT_EQ(CallAs({}), OkStatus());
  Serve({}, "10.0.0.0/8");
  const Status status = CallAs({});
  EXPECT_EQ(status.code(), StatusCode::kUnauthenticated) << status;
  EXPECT_THAT(std::string(Message(status)), AllOf(HasSubstr("127.0.0.1"), HasSubstr("10.0.0.0/8")));
  EXPECT_EQ(server_->worker.get_status.num_calls(), 0);
}

TEST_F(DoorTest, TheClustersHostsAreKnownByNameAndByAddress) {
  for (const std::vector<std::string>& hosts :
       {std::vector<std::string>{"127.0.0.1"}, {"localhost"}, {"192.0.2.7", "localhost"}}) {
    server_ = std::make_unique<TestServer>(
        RpcServerOptions{.plain = PlainPolicy::Parse("cluster").value(), .cluster_hosts = hosts});
    EXPECT_EQ(CallAs({}), OkStatus()) << hosts.front();
  }
  server_ = std::make_unique<TestServer>(RpcServerOptions{
      .plain = PlainPolicy::Parse("cluster").value(), .cluster_hosts = {"192.0.2.7"}});
  EXPECT_EQ(CallAs({}).code(), StatusCode::kUnauthenticated);
}

TEST_F(DoorTest, FilesThatAreNoCredentialsAreNamed) {
  const Credentials job = MakeJob();
  const Credentials other = MakeJob();
  const auto problem = [](const Credentials& c) {
    return std::string(Message(Secrets::Load(c).status()));
  };
  Credentials c = job;
  c.key_file = other.key_file;
  EXPECT_THAT(problem(c), AllOf(HasSubstr(c.cert_file), HasSubstr("another certificate")));
  c.key_file.clear();
  EXPECT_THAT(problem(c), HasSubstr("needs its key"));
  c = job;
  c.ca_file = job.token_file;
  EXPECT_THAT(problem(c), AllOf(HasSubstr(c.ca_file), HasSubstr("no PEM certificate")));
  c.ca_file = "/no/such/file";
  EXPECT_THAT(problem(c), HasSubstr("/no/such/file"));
  c = job;
  c.token_file = folders_.front().Write("bad-token", "two words\n");
  EXPECT_THAT(problem(c), AllOf(HasSubstr("bad-token"), Not(HasSubstr("two words"))));
  const StatusOr<JobCredentials> old = MakeJobCredentials({}, std::chrono::hours(-1));
  c = {.cert_file = folders_.front().Write("old.pem", old->cert),
       .key_file = folders_.front().Write("old-key.pem", old->key)};
  EXPECT_THAT(problem(c), AllOf(HasSubstr("old.pem"), HasSubstr("expired")));
  EXPECT_EQ(problem(job), "");
}

TEST(PlainPolicyTest, ReadsListsAndNamesWhatIsWrong) {
  EXPECT_EQ(PlainPolicy::Parse("none")->Describe(), "nowhere");
  EXPECT_EQ(PlainPolicy::Parse("any")->Describe(), "everywhere");
  EXPECT_EQ(PlainPolicy::Parse("loopback,cluster,10.0.0.0/8")->Describe(),
            "loopback, the cluster's hosts and 10.0.0.0/8");
  EXPECT_EQ(PlainPolicy::Default(false).Describe(), "loopback and the cluster's hosts");
  EXPECT_EQ(PlainPolicy::Default(true).Describe(), "nowhere");
  for (const char* text : {"", "loopbak", "none,loopback", "10.0.0.0/99", "loopback,"}) {
    EXPECT_EQ(PlainPolicy::Parse(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(CertificatesTest, HostsThatCannotStandInACertificateAreRefused) {
  for (const char* host : {"", "a b", "a,DNS:b", "a:1"}) {
    EXPECT_EQ(MakeJobCredentials({host}, kDay).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(MakeJobCredentials({"node-1.example", "10.0.0.7", "fd00::1"}, kDay).ok());
}

}  // namespace
}  // namespace rheo::rpc
