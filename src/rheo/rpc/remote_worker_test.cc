#include "rheo/rpc/remote_worker.h"

#include <gmock/gmock.h>

#include "rheo/rpc/test_server.h"

namespace rheo::rpc {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RemoteWorkerTest : public ::testing::Test {
 protected:
  template <typename Request, typename Response>
  Status Call(void (WorkerService::*method)(const Request&, Response*, const service::Call&,
                                            DoneCallback),
              const Request& request, Response* response) {
    return CallAndWait(*stub_, method, request, response);
  }

  TestServer server_;
  const std::shared_ptr<WorkerService> stub_ = server_.WorkerStub();
  const SessionHandle session_ = SessionHandle("0123456789abcdef");
};

TEST_F(RemoteWorkerTest, GetStatus) {
  GetStatusResponse prepared;
  prepared.devices.push_back({.name = kTestDevice,
                              .type = "CPU",
                              .memory_limit = 1 << 28,
                              .incarnation = Incarnation(77)});
  server_.worker.get_status.AnswerWith(prepared);
  GetStatusResponse response;
  ASSERT_TRUE(Call(&WorkerService::GetStatus, GetStatusRequest{}, &response).ok());
  EXPECT_EQ(response.devices, prepared.devices);
  EXPECT_FALSE(response.is_rheo);
}

TEST_F(RemoteWorkerTest, GetStatusRemembersThatThePeerIsRheo) {
  auto traits = std::make_shared<PeerTraits>();
  auto stub = ConnectWorker(server_.client, kTestTask, server_.address(), traits);
  const GetStatusRequest request;
  GetStatusResponse response;
  server_.worker.get_status.AnswerWith({.is_rheo = true});
  ASSERT_TRUE(CallAndWait(*stub, &WorkerService::GetStatus, request, &response).ok());
  EXPECT_TRUE(traits->is_rheo);
  server_.worker.get_status.AnswerWith({.is_rheo = false});  // restarted as something else
  response = {};
  ASSERT_TRUE(CallAndWait(*stub, &WorkerService::GetStatus, request, &response).ok());
  EXPECT_FALSE(traits->is_rheo);
}

TEST_F(RemoteWorkerTest, CreateWorkerSession) {
  CreateWorkerSessionRequest request{.session = session_,
                                     .isolate_session_state = true,
                                     .master_task = "/job:worker/replica:0/task:0",
                                     .master_incarnation = 5};
  request.server_def.cluster = {{"ps", {"h:1"}}};
  request.server_def.job_name = "ps";
  CreateWorkerSessionResponse response;
  ASSERT_TRUE(Call(&WorkerService::CreateWorkerSession, request, &response).ok());
  const CreateWorkerSessionRequest seen = server_.worker.create_worker_session.last_request();
  EXPECT_EQ(seen.session, session_);
  EXPECT_TRUE(seen.isolate_session_state);
  EXPECT_EQ(seen.master_task, request.master_task);
  EXPECT_EQ(seen.master_incarnation, 5);
  EXPECT_EQ(seen.server_def.cluster, request.server_def.cluster);
}

TEST_F(RemoteWorkerTest, DeleteWorkerSession) {
  DeleteWorkerSessionResponse response;
  ASSERT_TRUE(Call(&WorkerService::DeleteWorkerSession,
                   DeleteWorkerSessionRequest{.session = session_}, &response)
                  .ok());
  EXPECT_EQ(server_.worker.delete_worker_session.last_request().session, session_);
}

TEST_F(RemoteWorkerTest, RegisterGraph) {
  server_.worker.register_graph.AnswerWith({.graph = GraphHandle("g1")});
  RegisterGraphRequest request{.session = session_, .collective_graph_key = 11};
  request.graph.nodes.push_back({.name = "a", .op = "NoOp", .device = kTestDevice});
  RegisterGraphResponse response;
  ASSERT_TRUE(Call(&WorkerService::RegisterGraph, request, &response).ok());
  const RegisterGraphRequest seen = server_.worker.register_graph.last_request();
  EXPECT_TRUE(seen.create_worker_session_called);
  EXPECT_EQ(seen.collective_graph_key, 11);
  EXPECT_EQ(seen.graph.nodes.at(0).device, kTestDevice);
  EXPECT_EQ(response.graph, GraphHandle("g1"));
}

TEST_F(RemoteWorkerTest, DeregisterGraph) {
  DeregisterGraphResponse response;
  ASSERT_TRUE(Call(&WorkerService::DeregisterGraph,
                   DeregisterGraphRequest{.session = session_, .graph = GraphHandle("g1")},
                   &response)
                  .ok());
  EXPECT_EQ(server_.worker.deregister_graph.last_request().graph, GraphHandle("g1"));
}

TEST_F(RemoteWorkerTest, RunGraph) {
  RunGraphResponse prepared;
  prepared.recvs.push_back({TestKey("out"), Tensor::Scalar(2.0f)});
  server_.worker.run_graph.AnswerWith(prepared);
  RunGraphRequest request{.session = session_, .graph = GraphHandle("g1"), .step = StepId(42)};
  request.sends.push_back({TestKey("in"), Tensor::Scalar(1.0f)});
  request.recv_keys.push_back(TestKey("out"));
  request.is_partial = true;
  request.request_id = RequestId(-3);
  RunGraphResponse response;
  ASSERT_TRUE(Call(&WorkerService::RunGraph, request, &response).ok());
  const RunGraphRequest seen = server_.worker.run_graph.last_request();
  EXPECT_EQ(seen.step, StepId(42));
  ASSERT_EQ(seen.sends.size(), 1u);
  EXPECT_EQ(seen.sends[0].key, TestKey("in"));
  EXPECT_EQ(seen.sends[0].tensor, Tensor::Scalar(1.0f));
  EXPECT_THAT(seen.recv_keys, ElementsAre(TestKey("out")));
  EXPECT_TRUE(seen.is_partial);
  EXPECT_EQ(seen.request_id, RequestId(-3));
  ASSERT_EQ(response.recvs.size(), 1u);
  EXPECT_EQ(response.recvs[0].key, TestKey("out"));
  EXPECT_EQ(response.recvs[0].tensor, Tensor::Scalar(2.0f));
}

TEST_F(RemoteWorkerTest, CleanupGraph) {
  CleanupGraphResponse response;
  ASSERT_TRUE(
      Call(&WorkerService::CleanupGraph, CleanupGraphRequest{.step = StepId(9)}, &response).ok());
  EXPECT_EQ(server_.worker.cleanup_graph.last_request().step, StepId(9));
}

TEST_F(RemoteWorkerTest, CleanupAll) {
  CleanupAllResponse response;
  ASSERT_TRUE(
      Call(&WorkerService::CleanupAll, CleanupAllRequest{.containers = {"c"}}, &response).ok());
  EXPECT_THAT(server_.worker.cleanup_all.last_request().containers, ElementsAre("c"));
}

TEST_F(RemoteWorkerTest, RecvTensor) {
  RecvTensorResponse prepared;
  prepared.item.tensor = Tensor::Vector(std::vector<float>{1, 2, 3});
  prepared.require_ack = true;
  server_.worker.recv_tensor.AnswerWith(prepared);
  const RecvTensorRequest request{
      .step = StepId(3), .key = TestKey("e"), .request_id = RequestId(8)};
  RecvTensorResponse response;
  ASSERT_TRUE(Call(&WorkerService::RecvTensor, request, &response).ok());
  const RecvTensorRequest seen = server_.worker.recv_tensor.last_request();
  EXPECT_EQ(seen.step, StepId(3));
  EXPECT_EQ(seen.key, TestKey("e"));
  EXPECT_EQ(seen.request_id, RequestId(8));
  EXPECT_EQ(response.item.tensor, prepared.item.tensor);
  EXPECT_FALSE(response.item.is_dead);
  EXPECT_TRUE(response.require_ack);
}

TEST_F(RemoteWorkerTest, RecvTensorOfADeadValue) {
  RecvTensorResponse prepared;
  prepared.item.is_dead = true;
  server_.worker.recv_tensor.AnswerWith(prepared);
  RecvTensorResponse response;
  ASSERT_TRUE(
      Call(&WorkerService::RecvTensor, RecvTensorRequest{.key = TestKey("e")}, &response).ok());
  EXPECT_TRUE(response.item.is_dead);
}

TEST_F(RemoteWorkerTest, PushTensors) {
  PushTensorsRequest request;
  request.tensors.push_back({StepId(3), TestKey("a"), {.tensor = Tensor::Scalar(1.0f)}});
  request.tensors.push_back({StepId(4), TestKey("b"), {.is_dead = true}});
  PushTensorsResponse response;
  ASSERT_TRUE(Call(&WorkerService::PushTensors, request, &response).ok());
  const PushTensorsRequest seen = server_.worker.push_tensors.last_request();
  ASSERT_EQ(seen.tensors.size(), 2u);
  EXPECT_EQ(seen.tensors[0].step, StepId(3));
  EXPECT_EQ(seen.tensors[0].key, TestKey("a"));
  EXPECT_EQ(seen.tensors[0].item.tensor, Tensor::Scalar(1.0f));
  EXPECT_FALSE(seen.tensors[0].item.is_dead);
  EXPECT_EQ(seen.tensors[1].key, TestKey("b"));
  EXPECT_TRUE(seen.tensors[1].item.is_dead);
}

TEST_F(RemoteWorkerTest, MarkRecvFinished) {
  MarkRecvFinishedResponse response;
  ASSERT_TRUE(Call(&WorkerService::MarkRecvFinished,
                   MarkRecvFinishedRequest{.request_id = RequestId(-8)}, &response)
                  .ok());
  EXPECT_EQ(server_.worker.mark_recv_finished.last_request().request_id, RequestId(-8));
}

TEST_F(RemoteWorkerTest, Logging) {
  LoggingResponse prepared;
  prepared.steps.emplace_back(StepId(5), trace::StepStats());
  server_.worker.logging.AnswerWith(prepared);
  LoggingResponse response;
  ASSERT_TRUE(Call(&WorkerService::Logging,
                   LoggingRequest{.enable_rpc_logging = true, .fetch_steps = {StepId(5)}},
                   &response)
                  .ok());
  EXPECT_TRUE(server_.worker.logging.last_request().enable_rpc_logging);
  EXPECT_THAT(server_.worker.logging.last_request().fetch_steps, ElementsAre(StepId(5)));
  ASSERT_EQ(response.steps.size(), 1u);
  EXPECT_EQ(response.steps[0].first, StepId(5));
}

TEST_F(RemoteWorkerTest, ErrorsNameTaskAddressAndMethodAndKeepPayloads) {
  server_.worker.recv_tensor.FailWith(
      WithPayload(Aborted("other incarnation"), kWorkerRestartedPayload));
  RecvTensorResponse response;
  const Status status =
      Call(&WorkerService::RecvTensor, RecvTensorRequest{.key = TestKey("e")}, &response);
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  const std::string text(Message(status));
  EXPECT_TRUE(text.starts_with("other incarnation\n")) << text;
  EXPECT_THAT(text, HasSubstr(kTestTask));
  EXPECT_THAT(text, HasSubstr(server_.address()));
  EXPECT_THAT(text, HasSubstr("/tensorflow.WorkerService/RecvTensor"));
  EXPECT_EQ(status, WithPayload(Status(status.code(), text), kWorkerRestartedPayload));
}

TEST_F(RemoteWorkerTest, AStepsErrorComesInTheBodyWithPayloads) {
  server_.worker.run_graph.FailWith(AsDerived(FailedPrecondition("{}", std::string(4000, 'x'))));
  RunGraphResponse response;
  const Status status = Call(&WorkerService::RunGraph, RunGraphRequest{}, &response);
  EXPECT_EQ(status, AsDerived(FailedPrecondition("{}", std::string(4000, 'x'))));
}

TEST_F(RemoteWorkerTest, CancelledIsAlwaysDerived) {
  server_.worker.cleanup_graph.FailWith(Cancelled("not marked by the callee"));
  CleanupGraphResponse response;
  const Status status = Call(&WorkerService::CleanupGraph, CleanupGraphRequest{}, &response);
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_TRUE(IsDerived(status));
}

// Its step has lost another task, say: it can itself be reached.
TEST_F(RemoteWorkerTest, UnavailableAsAnAnswerIsNoLostTask) {
  server_.worker.cleanup_graph.FailWith(Unavailable("/job:b/replica:0/task:0 cannot be reached"));
  CleanupGraphResponse response;
  const Status status = Call(&WorkerService::CleanupGraph, CleanupGraphRequest{}, &response);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  const std::string text(Message(status));
  EXPECT_TRUE(text.starts_with("/job:b/replica:0/task:0 cannot be reached\n")) << text;
  EXPECT_THAT(text, HasSubstr(std::string("CleanupGraph of ") + kTestTask));
}

TEST(RemoteWorkerDownTest, ATaskThatIsDownIsUnavailableAndNamed) {
  std::string address;
  {
    TestServer gone;
    address = gone.address();
  }
  RpcClient client;
  const CleanupGraphRequest request;
  CleanupGraphResponse response;
  const Status status = CallAndWait(*ConnectWorker(client, kTestTask, address),
                                    &WorkerService::CleanupGraph, request, &response);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  const std::string text(Message(status));
  EXPECT_THAT(text, HasSubstr(kTestTask));
  EXPECT_THAT(text, HasSubstr(address));
  EXPECT_THAT(text, HasSubstr("Connection refused"));
}

TEST(RemoteWorkerDownTest, CallsAfterTheClientsShutdownAreCancelled) {
  TestServer s;
  auto stub = s.WorkerStub();
  s.client.Shutdown();
  const CleanupGraphRequest request;
  CleanupGraphResponse response;
  EXPECT_EQ(CallAndWait(*stub, &WorkerService::CleanupGraph, request, &response).code(),
            StatusCode::kCancelled);
}

TEST(RemoteWorkerDownTest, TheClientsEndCancelsOpenCalls) {
  TestServer s;
  Notification entered;
  DoneCallback held;
  s.worker.recv_tensor.Run(
      [&](const RecvTensorRequest&, RecvTensorResponse*, const service::Call&, DoneCallback done) {
        held = std::move(done);
        entered.Notify();
      });
  Status status;
  const RecvTensorRequest request{.key = TestKey("e")};
  RecvTensorResponse response;
  const service::Call call;
  {
    RpcClient client;
    ConnectWorker(client, kTestTask, s.address())
        ->RecvTensor(request, &response, call, [&](Status s) { status = s; });
    entered.Wait();
  }
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  std::move(held)(OkStatus());
}

// The bytes of a 64 MB tensor are written once: into the tensor that the receiver gets.
TEST(RemoteWorkerCopyTest, ALargeTensorIsAllocatedOnceOnItsWay) {
  constexpr size_t kElements = size_t{16} << 20;
  TestServer s;
  RecvTensorResponse prepared;
  prepared.item.tensor = Tensor::Vector(std::vector<float>(kElements, 0.5f));
  s.worker.recv_tensor.AnswerWith(prepared);
  auto stub = s.WorkerStub();
  const RecvTensorRequest request{.key = TestKey("e")};
  RecvTensorResponse response;
  const int64_t before = HostAllocator().stats().bytes_allocated;
  ASSERT_TRUE(CallAndWait(*stub, &WorkerService::RecvTensor, request, &response).ok());
  const int64_t allocated = HostAllocator().stats().bytes_allocated - before;
  EXPECT_GE(allocated, static_cast<int64_t>(kElements * sizeof(float)));
  EXPECT_LT(allocated, static_cast<int64_t>(kElements * sizeof(float) * 5 / 4));
  EXPECT_EQ(response.item.tensor, prepared.item.tensor);
}

}  // namespace
}  // namespace rheo::rpc
