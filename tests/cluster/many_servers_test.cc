// As many servers on one machine as somebody may try.
#include "case_test.h"

namespace rheo::cluster_test {
namespace {

class ManyServers : public CaseTest {};

TEST_F(ManyServers, Server25_OneSessionOverAll) {
  constexpr int kWorkers = 48;
  // As on a machine of two cores, whatever this one has.
  Cluster& cluster = Make({.ps = 1,
                           .workers = kWorkers,
                           .flags = {"--inter_op_threads", "2", "--intra_op_threads", "2"}});
  Scope g = Scope::NewRoot();
  const Output x = ops::Placeholder(g.WithName("x"), DType::kFloat);
  std::vector<Output> terms{ops::Neg(g.WithDevice(Device("ps")), x)};
  for (int i = 0; i < kWorkers; ++i)
    terms.push_back(ops::Neg(g.WithDevice(Device("worker", i)), x));
  const Output sum = ops::AddN(g.WithDevice(Device("worker")), terms);
  const Stopwatch watch;
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto out = session->Run({.feeds = {{x, 1.0f}}, .fetches = {sum}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Scalar(-1.0f - kWorkers));
  const auto devices = session->ListDevices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  EXPECT_EQ(devices->size(), 1U + kWorkers);
  ASSERT_TRUE(session->Close().ok());
  EXPECT_TRUE(watch.IsBelow(30));
  // All but the master, which has connections to all others.
  for (int i = 1; i < kWorkers; ++i) {
    const Usage usage = cluster.Get("worker", i).usage();
    EXPECT_LE(usage.threads, 20) << "worker " << i;
    EXPECT_LE(static_cast<double>(usage.resident_kib), 60 * 1024 * kMemorySlack) << "worker " << i;
  }
}

}  // namespace
}  // namespace rheo::cluster_test
