// Where servers listen and how tasks and clients find each other, whatever the machine's network is
// like: IPv6, names with several addresses, proxies in the environment.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "case_test.h"
#include "listener.h"
#include "rheo/service/cluster_spec.h"
#include "sockets.h"

namespace rheo::cluster_test {
namespace {

using testing::HasSubstr;

int PortOf(const std::string& address) { return service::ParseHostPort(address).value().port; }

std::string Join(const std::string& host, int port) { return host + ":" + std::to_string(port); }

bool CanConnect(const std::string& address) {
  const int socket = ConnectTo(address);
  if (socket >= 0) close(socket);
  return socket >= 0;
}

class Addresses : public CaseTest {
 protected:
  static std::string Shim() { return BuiltProgram("cluster_shim.so"); }
  // A client of its own process has made a step over both tasks in five seconds.
  static void ExpectStep(const Cluster& cluster, const Environment& env) {
    const Stopwatch watch;
    const auto client =
        Process::Start({BuiltProgram("cluster_client"), "step", cluster.Target()}, env);
    EXPECT_EQ(client->WaitExit(seconds(20)), 0) << client->Log();
    EXPECT_TRUE(watch.IsBelow(5));
    EXPECT_THAT(client->Log(), HasSubstr("value 3"));
  }
  // Of the start line.
  static void ExpectListening(Cluster& cluster, const std::string& job, const std::string& where) {
    EXPECT_THAT(cluster.Get(job).Log(), HasSubstr("listening on " + where + " ("));
  }
};

TEST_F(Addresses, Server27_NothingElseIsBound) {
  Cluster& cluster = Make({.ps = 1});
  ExpectStep(cluster, {});
  for (const char* job : {"ps", "worker"}) {
    const std::string& own = cluster.Address(job);
    ExpectListening(cluster, job, own);
    EXPECT_TRUE(CanConnect(own));
    EXPECT_FALSE(CanConnect(Join("127.0.0.2", PortOf(own))));
  }
}

TEST_F(Addresses, Server27_WithoutIpv6) {
  const Environment env{{"LD_PRELOAD", Shim()}, {"RHEO_SHIM_NO_IPV6", "1"}};
  Cluster& cluster = Make({.ps = 1, .env = env});
  ExpectStep(cluster, env);
  ExpectListening(cluster, "ps", cluster.Address("ps"));
}

TEST_F(Addresses, Server27_Ipv6Entries) {
  Cluster& cluster = Make({.ps = 1, .start = false});
  for (const char* job : {"ps", "worker"}) {
    cluster.SetAddress(job, 0, Join("[::1]", PortOf(cluster.Address(job))));
  }
  for (const char* job : {"ps", "worker"}) {
    cluster.Start(job);
    ExpectListening(cluster, job, cluster.Address(job));
    EXPECT_FALSE(CanConnect(Join("127.0.0.1", PortOf(cluster.Address(job)))));
  }
  ExpectStep(cluster, {});
}

// The ps goes by a name of both families and listens on one of them.
class NameOfBothFamilies : public Addresses {
 protected:
  NameOfBothFamilies() { std::ofstream(hosts_) << "::1 ps.test\n127.0.0.1 ps.test\n"; }
  ~NameOfBothFamilies() override { std::filesystem::remove(hosts_); }
  void ExpectStepWith(Environment env) {
    env.emplace_back("LD_PRELOAD", Shim());
    env.emplace_back("RHEO_SHIM_HOSTS", hosts_);
    Cluster& cluster = Make({.ps = 1, .env = env, .start = false});
    const int port = PortOf(cluster.Address("ps"));
    cluster.SetAddress("ps", 0, Join("ps.test", port));
    cluster.Start("ps", 0, {"--bind", "127.0.0.1"});
    ExpectListening(cluster, "ps", Join("127.0.0.1", port));
    cluster.Start("worker");
    ExpectStep(cluster, env);
  }

 private:
  const std::string hosts_ =
      (std::filesystem::temp_directory_path() / ("rheo-hosts-" + std::to_string(getpid())))
          .string();
};

TEST_F(NameOfBothFamilies, Server27_OneListens) { ExpectStepWith({}); }
TEST_F(NameOfBothFamilies, Server27_OneListensAndTheOtherCannotBe) {
  ExpectStepWith({{"RHEO_SHIM_NO_IPV6", "1"}});
}

// TensorFlow's clients follow such an environment; ours do not, nor do our tasks.
class DeadProxy : public Addresses, public testing::WithParamInterface<std::string> {};

TEST_P(DeadProxy, Server28_IsNotAsked) {
  const std::string address = FreeAddress();
  const SilentListener proxy(address);
  const std::string url = "http://" + address;
  const Environment env{{"http_proxy", url},
                        {"https_proxy", url},
                        {"grpc_proxy", url},
                        {"no_proxy", GetParam()},
                        {"no_grpc_proxy", GetParam()}};
  Cluster& cluster = Make({.ps = 1, .env = env});
  ExpectStep(cluster, env);
  EXPECT_EQ(proxy.num_connections(), 0);
}

INSTANTIATE_TEST_SUITE_P(NoProxy, DeadProxy, testing::Values("", "127.0.0.1,localhost"),
                         [](const auto& info) { return info.param.empty() ? "empty" : "covers"; });

}  // namespace
}  // namespace rheo::cluster_test
