// What a server refuses because it is too much, and what it makes wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "rheo/async/notification.h"
#include "rheo/client.h"
#include "rheo/rpc/client.h"
#include "rheo/rpc/remote_worker.h"
#include "rheo/server.h"

namespace rheo {
namespace {

using testing::AllOf;

MATCHER_P(HasCode, code, "") { return arg.code() == code; }
MATCHER_P(TextHas, text, "") { return Message(arg).find(text) != std::string_view::npos; }

class LimitsTest : public testing::Test {
 protected:
  void Start(const service::Limits& limits) {
    auto server = Server::Start(
        {.cluster = {{"worker", {"127.0.0.1:0"}}}, .job = "worker", .limits = limits});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  StatusOr<Session> Open(const Scope& scope) {
    return Session::Create(scope, {.target = server_->target()});
  }
  // The number after `name` on the status page.
  int64_t Line(const std::string& name) const {
    const std::string page = server_->status_page();
    const size_t at = page.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stoll(page.substr(at + name.size() + 2));
  }
  void AwaitLine(const std::string& name, int64_t value) const {
    while (Line(name) != value) std::this_thread::yield();
  }

  std::unique_ptr<Server> server_;
};

Tensor Floats(int64_t elements) {
  return Tensor::Vector<float>(std::vector<float>(static_cast<size_t>(elements), 1.0f));
}

TEST_F(LimitsTest, ASessionTooManyIsRefusedUntilOneIsClosed) {
  Start({.sessions = 2});
  Scope g = Scope::NewRoot();
  ops::Identity(g, 1.0f);
  StatusOr<Session> first = Open(g);
  StatusOr<Session> second = Open(g);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(Open(g).status(), AllOf(HasCode(StatusCode::kResourceExhausted),
                                      TextHas("/job:worker/replica:0/task:0 has 2 open sessions"),
                                      TextHas("no more than 2 (--max_sessions)")));
  EXPECT_EQ(first->Close(), OkStatus());
  EXPECT_EQ(Open(g).status(), OkStatus());
}

TEST_F(LimitsTest, AWorkerKeepsOnlySoManySessionsOfForeignMasters) {
  Start({.sessions = 2});
  rpc::RpcClient client;
  const auto worker = rpc::ConnectWorker(client, server_->task_name(), server_->target().substr(7));
  const auto create = [&](const std::string& handle) {
    service::CreateWorkerSessionRequest request;
    request.session = SessionHandle(handle);
    service::CreateWorkerSessionResponse response;
    service::Call call;
    return service::Wait(call, [&](DoneCallback done) {
      worker->CreateWorkerSession(request, &response, call, std::move(done));
    });
  };
  EXPECT_EQ(create("a"), OkStatus());
  EXPECT_EQ(create("b"), OkStatus());
  EXPECT_EQ(create("b"), OkStatus()) << "it is there already";
  EXPECT_THAT(create("c"),
              AllOf(HasCode(StatusCode::kResourceExhausted), TextHas("--max_sessions")));
}

TEST_F(LimitsTest, AGraphTooLargeIsRefusedAtOnceOrWhenItGrows) {
  Start({.graph_nodes = 10});
  Scope g = Scope::NewRoot();
  Output last = ops::Placeholder(g, DType::kFloat, {.shape = {}});
  const Output first = last;
  for (int i = 0; i < 8; ++i) last = ops::Identity(g, last);
  StatusOr<Session> session = Open(g);
  ASSERT_TRUE(session.ok()) << session.status();
  const Output kept = last;
  for (int i = 0; i < 4; ++i) last = ops::Identity(g, last);
  const auto run = [&](const Output& fetch) {
    return session->Run({.feeds = {{first, 2.0f}}, .fetches = {fetch}}).status();
  };
  const auto is_refused =
      AllOf(HasCode(StatusCode::kResourceExhausted), TextHas("the session's graph has 13 nodes"),
            TextHas("no more than 10 (--max_graph_nodes)"));
  EXPECT_THAT(run(last), is_refused);
  EXPECT_THAT(Open(g).status(), is_refused);
}

TEST_F(LimitsTest, ConstantsCountInAGraphsBytes) {
  Start({.graph_bytes = 1'000'000});
  Scope g = Scope::NewRoot();
  ops::Const(g, Floats(200'000));
  StatusOr<Session> session = Open(g);
  ASSERT_TRUE(session.ok()) << session.status();
  ops::Const(g, Floats(100'000));
  EXPECT_THAT(Open(g).status(), AllOf(HasCode(StatusCode::kResourceExhausted),
                                      TextHas("no more than 1000000 (--max_graph_bytes)")));
}

TEST_F(LimitsTest, AMessageTooLargeIsRefusedAndTheNextOneIsNot) {
  Start({.message_bytes = 100'000});
  Scope g = Scope::NewRoot();
  const Output x = ops::Placeholder(g, DType::kFloat, {.shape = {-1}});
  const Output sum = ops::Sum(g, x, {0});
  StatusOr<Session> session = Open(g);
  ASSERT_TRUE(session.ok()) << session.status();
  const auto run = [&](int64_t elements) {
    return session->Run({.feeds = {{x, Floats(elements)}}, .fetches = {sum}}).status();
  };
  EXPECT_EQ(run(20'000), OkStatus());
  EXPECT_THAT(run(30'000),
              AllOf(HasCode(StatusCode::kResourceExhausted), TextHas("RunStep has 120"),
                    TextHas("no more than 100000 (--max_message_bytes)")));
  EXPECT_EQ(run(20'000), OkStatus());
}

// A queue of one place, which is taken, and an enqueue of a large value that waits for it.
class FullQueue {
 public:
  explicit FullQueue(const Scope& g)
      : fed(ops::Placeholder(g, DType::kFloat, {.shape = {-1}})),
        queue(ops::FIFOQueueV2(g, {DType::kFloat}, {.capacity = 1})),
        enqueue(ops::QueueEnqueueV2(g, queue, {fed})),
        dequeue(ops::QueueDequeueV2(g, queue, {DType::kFloat})[0]),
        sum(ops::Sum(g, fed, {0})) {}

  const Output fed;
  const Output queue;
  const Operation enqueue;
  const Output dequeue;
  const Output sum;
};

TEST_F(LimitsTest, LargeRequestsWaitForEachOtherAndSmallOnesPass) {
  Start({.bytes_in_flight = 1'000'000});
  Scope g = Scope::NewRoot();
  const FullQueue q(g);
  StatusOr<Session> session = Open(g);
  ASSERT_TRUE(session.ok()) << session.status();
  const Tensor large = Floats(150'000);
  const auto enqueue = [&] {
    return session->Run({.feeds = {{q.fed, large}}, .targets = {q.enqueue}}).status();
  };
  ASSERT_EQ(enqueue(), OkStatus());
  std::vector<Status> ends(2);
  std::thread blocked([&] { ends[0] = enqueue(); });
  AwaitLine("steps", 1);
  AwaitLine("waiting_calls", 0);
  EXPECT_GE(Line("bytes_in_flight"), 600'000);
  // 600 kB are in; these 600 kB do not fit, though their step waits for nothing.
  std::thread waiting([&] {
    ends[1] = session->Run({.feeds = {{q.fed, large}}, .fetches = {q.sum}}).status();
  });
  AwaitLine("waiting_calls", 1);
  EXPECT_LT(Line("bytes_in_flight"), 700'000);
  // The dequeue makes the first one end.
  EXPECT_EQ(session->Run({.fetches = {q.dequeue}}).status(), OkStatus());
  blocked.join();
  waiting.join();
  EXPECT_THAT(ends, testing::Each(OkStatus()));
  EXPECT_EQ(Line("waiting_calls"), 0);
  EXPECT_EQ(Line("bytes_in_flight"), 0);
}

TEST_F(LimitsTest, ACallThatWaitsCanBeCancelled) {
  Start({.bytes_in_flight = 1'000'000});
  Scope g = Scope::NewRoot();
  const FullQueue q(g);
  StatusOr<Session> session = Open(g);
  ASSERT_TRUE(session.ok()) << session.status();
  const Tensor large = Floats(150'000);
  const auto enqueue = [&] {
    return session->Run({.feeds = {{q.fed, large}}, .targets = {q.enqueue}}).status();
  };
  ASSERT_EQ(enqueue(), OkStatus());
  Status end;
  std::thread blocked([&] { end = enqueue(); });
  AwaitLine("steps", 1);
  RunOptions hurried;
  hurried.timeout = std::chrono::milliseconds(50);
  EXPECT_THAT(
      session->Run({.feeds = {{q.fed, large}}, .fetches = {q.sum}, .options = hurried}).status(),
      HasCode(StatusCode::kDeadlineExceeded));
  AwaitLine("waiting_calls", 0);
  EXPECT_EQ(session->Run({.fetches = {q.dequeue}}).status(), OkStatus());
  blocked.join();
  EXPECT_EQ(end, OkStatus());
}

TEST_F(LimitsTest, ARequestLargerThanAllThatMayBeInFlightPasses) {
  Start({.bytes_in_flight = 100'000});
  Scope g = Scope::NewRoot();
  const Output x = ops::Placeholder(g, DType::kFloat, {.shape = {-1}});
  const Output sum = ops::Sum(g, x, {0});
  StatusOr<Session> session = Open(g);
  ASSERT_TRUE(session.ok()) << session.status();
  const auto out = session->Run({.feeds = {{x, Floats(1'000'000)}}, .fetches = {sum}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Scalar(1e6f));
}

}  // namespace
}  // namespace rheo
