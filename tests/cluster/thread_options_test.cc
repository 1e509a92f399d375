// Options that a session brings and the server's own, which hold.
#include <algorithm>

#include "case_test.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// A server with two threads for operations and one inside them, and steps that have work for more.
class ThreadOptions : public CaseTest {
 protected:
  static constexpr int64_t kSize = 200;

  StatusOr<Session> Open(const service::SessionConfig& config) {
    return Session::Create(g_, {.target = cluster_.Target(), .config = config});
  }
  // 64 steps at once; the most threads that the server was seen with.
  int RunMany(const Session& session) {
    Tensor fed(DType::kFloat, {kSize, kSize});
    for (float& value : fed.mutable_flat<float>()) value = 0.01f;
    std::atomic<int> num_running{64};
    std::vector<std::thread> clients;
    for (int i = 0; i < 64; ++i) {
      clients.emplace_back([&] {
        const auto out = session.Run({.feeds = {{x_, fed}}, .fetches = {sum_}});
        EXPECT_TRUE(out.ok()) << out.status();
        --num_running;
      });
    }
    int most = 0;
    while (num_running > 0) most = std::max(most, cluster_.Get("worker").usage().threads);
    for (std::thread& client : clients) client.join();
    return most;
  }
  // What the server has printed since the last call.
  std::string FreshLog() {
    const std::string all = cluster_.Get("worker").Log();
    const std::string fresh = all.substr(seen_);
    seen_ = all.size();
    return fresh;
  }

  Cluster& cluster_ = Make({.flags = {"--inter_op_threads", "2", "--intra_op_threads", "1"}});
  Scope g_ = Scope::NewRoot();
  Output x_ = ops::Placeholder(g_.WithName("x"), DType::kFloat);
  Output sum_ = Sum();
  size_t seen_ = 0;

 private:
  // Several products that can be computed side by side.
  Output Sum() {
    std::vector<Output> products;
    for (int i = 0; i < 4; ++i) {
      products.push_back(ops::MatMul(g_.WithName("product" + std::to_string(i)), x_, x_));
    }
    return ops::Sum(g_.WithName("sum"), ops::AddN(g_.WithName("added"), products), {0, 1});
  }
};

constexpr int kMostThreads = 23;

TEST_F(ThreadOptions, Server26_TheServersHold) {
  StatusOr<Session> session = Open({});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_LE(RunMany(*session), kMostThreads);
  EXPECT_THAT(FreshLog(), testing::Not(HasSubstr("have no effect")));
}

TEST_F(ThreadOptions, Server26_OnesOfASessionAreNamedOnce) {
  for (int i = 0; i < 2; ++i) {
    StatusOr<Session> session = Open({.intra_op_threads = 8, .inter_op_threads = 8});
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_LE(RunMany(*session), kMostThreads);
    const std::string log = FreshLog();
    EXPECT_EQ(Count(log, "have no effect"), 1) << log;
    EXPECT_EQ(Count(log, "inter_op_parallelism_threads"), 1) << log;
    EXPECT_EQ(Count(log, "intra_op_parallelism_threads"), 1) << log;
  }
}

TEST_F(ThreadOptions, Server26_PlacementIsLoggedByNode) {
  StatusOr<Session> session = Open({.log_device_placement = true});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_LE(RunMany(*session), kMostThreads);
  const std::string log = FreshLog();
  for (const char* node : {"x: (Placeholder): ", "product0: (MatMul): ", "product3: (MatMul): ",
                           "added: (AddN): ", "sum: (Sum): "}) {
    EXPECT_EQ(Count(log, node + TaskName("worker") + "/device:CPU:0"), 1) << node << "\n" << log;
  }
}

TEST_F(ThreadOptions, Server26_ThreadsOfASessionsOwnAreRefused) {
  EXPECT_THAT(Open({.use_per_session_threads = true}).status(),
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("session thread pool")));
  EXPECT_TRUE(Open({}).ok());
}

}  // namespace
}  // namespace rheo::cluster_test
