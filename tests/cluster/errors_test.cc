// Errors: the root cause comes first, with node and task.
#include "case_test.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::StartsWith;

class Errors : public CaseTest {};

TEST_F(Errors, Server04_RootCause) {
  Cluster& cluster = Make({.workers = 3});
  Scope g = Scope::NewRoot();
  const Output a = ops::Placeholder(g.WithName("a"), DType::kFloat);
  const Output b = ops::Placeholder(g.WithName("b"), DType::kFloat);
  const Output bad = ops::MatMul(g.WithName("bad").WithDevice(Device("worker", 2)), a, b);
  const Output first = ops::Identity(g.WithDevice(Device("worker", 0)), bad);
  const Output second = ops::Identity(g.WithDevice(Device("worker", 1)), bad);
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  const Tensor two_by_three(DType::kFloat, {2, 3});
  for (int i = 0; i < 100; ++i) {
    const Stopwatch watch;
    const Status status =
        session->Run({.feeds = {{a, two_by_three}, {b, two_by_three}}, .fetches = {first, second}})
            .status();
    ASSERT_TRUE(watch.IsBelow(2)) << watch.Seconds();
    ASSERT_THAT(status, HasCode(StatusCode::kInvalidArgument));
    ASSERT_THAT(std::string(Message(status)), StartsWith("From " + TaskName("worker", 2)));
    ASSERT_THAT(status, AllOf(TextHas("{{node bad}}"), TextHas("[2,3]")));
  }
  const Tensor three_by_two(DType::kFloat, {3, 2});
  const auto good =
      session->Run({.feeds = {{a, two_by_three}, {b, three_by_two}}, .fetches = {first, second}});
  EXPECT_TRUE(good.ok()) << good.status();
}

}  // namespace
}  // namespace rheo::cluster_test
