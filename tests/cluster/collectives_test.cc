// Collectives between server processes: what becomes of the members of a step that fails, is
// stopped, or whose task dies.
#include <future>

#include "case_test.h"
#include "status_page.h"

namespace rheo::cluster_test {
namespace {

class Collectives : public CaseTest {
 protected:
  Cluster& MakeWorkers(int count) {
    return Make({.workers = count, .flags = {"--collective_group_leader", TaskName("worker", 0)}});
  }

  // The sum over all workers of what each is fed, in a session of each worker's own.
  struct Member {
    Scope g = Scope::NewRoot();
    Output x, sum;
    std::unique_ptr<Session> session;

    Member(const Cluster& cluster, int index, int group_size) {
      const Scope here = g.WithDevice(TaskName("worker", index) + "/device:CPU:0");
      x = ops::Placeholder(here, DType::kFloat, {.shape = {2}});
      sum = ops::CollectiveReduce(here, x, group_size, 1, 2, "Add", "Id", {0});
      SessionOptions options{.target = cluster.Target("worker", index)};
      options.config.device_filters = {TaskName("worker", index)};
      StatusOr<Session> made = Session::Create(g, options);
      EXPECT_TRUE(made.ok()) << made.status();
      if (made.ok()) session = std::make_unique<Session>(*std::move(made));
    }
    StatusOr<Tensor> Run(float value, milliseconds timeout = seconds(60)) {
      auto out = session->Run({.feeds = {{x, Tensor::Vector<float>({value, 2 * value})}},
                               .fetches = {sum},
                               .options = {.timeout = timeout}});
      if (!out.ok()) return out.status();
      return out->at(0);
    }
  };
  static std::future<StatusOr<Tensor>> Start(Member& member, float value,
                                             milliseconds timeout = seconds(60)) {
    return std::async(std::launch::async,
                      [&member, value, timeout] { return member.Run(value, timeout); });
  }
  static bool Waits(const Cluster& cluster, int worker) {
    return Eventually(seconds(10), [&] {
      return !ReadStatusPage(cluster.Address("worker", worker)).blocked.empty();
    });
  }
  // All members once more, until they agree on the step again: each learns of a failure at its own
  // time.
  static void WorksAgain(std::vector<Member*> members) {
    const float n = static_cast<float>(members.size());
    EXPECT_TRUE(Eventually(seconds(60), [&] {
      std::vector<std::future<StatusOr<Tensor>>> runs;
      for (Member* member : members) runs.push_back(Start(*member, 1, seconds(5)));
      bool works = true;
      for (auto& run : runs) {
        const StatusOr<Tensor> sum = run.get();
        works &= sum.ok() && *sum == Tensor::Vector<float>({n, 2 * n});
      }
      return works;
    }));
  }
};

TEST_F(Collectives, MembersWithSessionsOfTheirOwnMeet) {
  Cluster& cluster = MakeWorkers(3);
  Member a(cluster, 0, 3), b(cluster, 1, 3), c(cluster, 2, 3);
  for (int step = 0; step < 20; ++step) {
    auto first = Start(a, 1), second = Start(b, 2), third = Start(c, static_cast<float>(step));
    const float sum = 3 + static_cast<float>(step);
    for (auto* run : {&first, &second, &third}) {
      const StatusOr<Tensor> result = run->get();
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(*result, Tensor::Vector<float>({sum, 2 * sum}));
    }
  }
}

TEST_F(Collectives, ADeadlineOfOneMemberEndsTheOthersAndALaterStepWorks) {
  Cluster& cluster = MakeWorkers(3);
  Member a(cluster, 0, 3), b(cluster, 1, 3), c(cluster, 2, 3);
  WorksAgain({&a, &b, &c});
  const Stopwatch watch;
  auto first = Start(a, 1), second = Start(b, 1, seconds(2));
  EXPECT_EQ(second.get().status().code(), StatusCode::kDeadlineExceeded);
  const Status others = first.get().status();
  EXPECT_FALSE(others.ok());
  EXPECT_NE(others.message().find("/job:worker/replica:0/task:1"), std::string_view::npos)
      << others;
  EXPECT_TRUE(watch.IsBelow(10)) << watch.Seconds();
  WorksAgain({&a, &b, &c});
}

TEST_F(Collectives, ATaskThatDiesInACollectiveFailsTheOthersByNameAndComesBack) {
  Cluster& cluster = MakeWorkers(3);
  Member a(cluster, 0, 3), b(cluster, 1, 3);
  auto c = std::make_unique<Member>(cluster, 2, 3);
  WorksAgain({&a, &b, c.get()});
  auto first = Start(a, 1), third = Start(*c, 1);  // b does not come
  ASSERT_TRUE(Waits(cluster, 0));
  ASSERT_TRUE(Waits(cluster, 2));
  cluster.Kill("worker", 2);
  const Status status = first.get().status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("/job:worker/replica:0/task:2"), std::string_view::npos)
      << status;
  EXPECT_FALSE(third.get().ok());
  cluster.Start("worker", 2);
  c = std::make_unique<Member>(cluster, 2, 3);
  WorksAgain({&a, &b, c.get()});
}

TEST_F(Collectives, ALeaderThatComesBackFormsTheGroupAnew) {
  Cluster& cluster = MakeWorkers(2);
  auto a = std::make_unique<Member>(cluster, 0, 2);
  Member b(cluster, 1, 2);
  WorksAgain({a.get(), &b});
  auto second = Start(b, 1);
  ASSERT_TRUE(Waits(cluster, 1));
  cluster.Kill("worker", 0);
  EXPECT_FALSE(second.get().ok());
  cluster.Start("worker", 0);
  a = std::make_unique<Member>(cluster, 0, 2);
  WorksAgain({a.get(), &b});
}

}  // namespace
}  // namespace rheo::cluster_test
