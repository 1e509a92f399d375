// Many small values: what they cost beside one large one. The rates are in bench/.
#include <map>
#include <memory>

#include "case_test.h"
#include "rheo/server.h"

namespace rheo::cluster_test {
namespace {

// ps:1 worker:1 in this process, whose traffic is counted.
class SmallTensors : public CaseTest {
 protected:
  SmallTensors() {
    const ClusterSpec spec{{"ps", {FreeAddress()}}, {"worker", {FreeAddress()}}};
    for (const char* job : {"ps", "worker"}) {
      auto server = Server::Start({.cluster = spec, .job = job});
      EXPECT_TRUE(server.ok()) << server.status();
      servers_[job] = *std::move(server);
    }
  }
  StatusOr<Session> Open(const Scope& g) {
    return Session::Create(g, {.target = servers_["worker"]->target()});
  }
  // Bytes that a task sent while `step` ran for the second time.
  template <typename Step>
  int64_t BytesSentBy(const std::string& job, Step step) {
    step();
    const int64_t before = servers_[job]->traffic().bytes_sent;
    step();
    return servers_[job]->traffic().bytes_sent - before;
  }

  std::map<std::string, std::unique_ptr<Server>> servers_;
  Scope g_ = Scope::NewRoot();
};

// 1 + … + count
float SumTo(int count) { return static_cast<float>(count * (count + 1)) / 2; }

// Values of 4 KB that the ps computes, one after the other or in one piece.
TEST_F(SmallTensors, Server33_CostNoMoreForBeingMany) {
  constexpr int64_t kLength = 1024;
  const Output x = ops::Placeholder(g_.WithName("x"), DType::kFloat, {.shape = {kLength}});
  const Scope ps = g_.WithDevice(Device("ps"));
  const Scope worker = g_.WithDevice(Device("worker"));
  std::map<int, Output> sums;
  for (const int count : {20, 200}) {
    std::vector<Output> values;
    for (int i = 1; i <= count; ++i) values.push_back(ops::Mul(ps, x, static_cast<float>(i)));
    sums[count] = ops::Sum(worker, ops::AddN(worker, values), {0});
  }
  StatusOr<Session> session = Open(g_);
  ASSERT_TRUE(session.ok()) << session.status();
  Tensor ones(DType::kFloat, {kLength});
  for (float& value : ones.mutable_flat<float>()) value = 1;
  std::map<int, int64_t> bytes;
  for (const auto& [count, sum] : sums) {
    bytes[count] = BytesSentBy("ps", [&, count = count, sum = sum] {
      const auto out = session->Run({.feeds = {{x, ones}}, .fetches = {sum}});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ(out->at(0), Tensor::Scalar(kLength * SumTo(count)));
    });
    // Each with little around it, however many there are.
    EXPECT_GE(bytes[count], count * kLength * 4);
    EXPECT_LE(bytes[count], count * (kLength * 4 + 512)) << count;
  }
}

// Nothing but a request and an answer.
TEST_F(SmallTensors, Server33_EmptyStepsSendLittle) {
  const Operation nothing = ops::NoOp(g_.WithDevice(Device("ps")));
  StatusOr<Session> session = Open(g_);
  ASSERT_TRUE(session.ok()) << session.status();
  const auto step = [&] { ASSERT_TRUE(session->Run({.targets = {nothing}}).ok()); };
  EXPECT_LT(BytesSentBy("ps", step), 256);
  EXPECT_LT(BytesSentBy("worker", step), 512);
}

TEST_F(SmallTensors, Server33_ManyFeeds) {
  constexpr int kFeeds = 100;
  constexpr int64_t kLength = 25'000;
  const Scope ps = g_.WithDevice(Device("ps"));
  std::vector<Output> fed;
  client::RunArgs args;
  for (int i = 1; i <= kFeeds; ++i) {
    fed.push_back(ops::Placeholder(g_.WithName("x" + std::to_string(i)), DType::kFloat));
    Tensor value(DType::kFloat, {kLength});
    for (float& v : value.mutable_flat<float>()) v = static_cast<float>(i);
    args.feeds.push_back({fed.back(), value});
  }
  const Output sum = ops::AddN(ps, fed);
  args.fetches = {ops::Reshape(ps, ops::Slice(ps, sum, {7}, {1}), {1})};
  StatusOr<Session> session = Open(g_);
  ASSERT_TRUE(session.ok()) << session.status();
  const int64_t bytes = BytesSentBy("worker", [&] {
    const auto out = session->Run(args);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0), Tensor::Of<float>({1}, {SumTo(kFeeds)}));
  });
  EXPECT_LE(bytes, kFeeds * (kLength * 4 + 512));
}

}  // namespace
}  // namespace rheo::cluster_test
