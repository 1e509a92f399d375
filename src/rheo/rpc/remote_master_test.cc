#include "rheo/rpc/remote_master.h"

#include <gmock/gmock.h>

#include <chrono>

#include "rheo/rpc/test_server.h"

namespace rheo::rpc {
namespace {

using namespace service;  // NOLINT(google-build-using-namespace): its requests and responses
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Calls `method` of the stub on request; the fake's field gives and sees the rest.
class RemoteMasterTest : public ::testing::Test {
 protected:
  template <typename Request, typename Response>
  Status Call(void (MasterService::*method)(const Request&, Response*, const service::Call&,
                                            DoneCallback),
              const Request& request, Response* response) {
    return CallAndWait(*stub_, method, request, response);
  }

  TestServer server_;
  const std::shared_ptr<MasterService> stub_ = server_.MasterStub();
  const SessionHandle session_ = SessionHandle("0123456789abcdef");
};

TEST_F(RemoteMasterTest, CreateSession) {
  server_.master.create_session.AnswerWith({.session = session_, .graph_version = 3});
  CreateSessionRequest request;
  request.graph.nodes.push_back({.name = "a", .op = "NoOp"});
  request.target = "grpc://host:1";
  CreateSessionResponse response;
  ASSERT_TRUE(Call(&MasterService::CreateSession, request, &response).ok());
  const CreateSessionRequest seen = server_.master.create_session.last_request();
  ASSERT_EQ(seen.graph.nodes.size(), 1u);
  EXPECT_EQ(seen.graph.nodes[0].name, "a");
  EXPECT_EQ(seen.target, "grpc://host:1");
  EXPECT_EQ(response.session, session_);
  EXPECT_EQ(response.graph_version, 3);
}

TEST_F(RemoteMasterTest, ExtendSession) {
  server_.master.extend_session.AnswerWith({.new_graph_version = 5});
  ExtendSessionRequest request{.session = session_, .current_graph_version = 4};
  request.graph.nodes.push_back({.name = "b", .op = "NoOp"});
  ExtendSessionResponse response;
  ASSERT_TRUE(Call(&MasterService::ExtendSession, request, &response).ok());
  const ExtendSessionRequest seen = server_.master.extend_session.last_request();
  EXPECT_EQ(seen.session, session_);
  EXPECT_EQ(seen.current_graph_version, 4);
  EXPECT_EQ(seen.graph.nodes.at(0).name, "b");
  EXPECT_EQ(response.new_graph_version, 5);
}

TEST_F(RemoteMasterTest, RunStep) {
  RunStepResponse prepared;
  prepared.tensors.push_back({"y:0", Tensor::Scalar(2.5f)});
  server_.master.run_step.AnswerWith(prepared);
  RunStepRequest request{.session = session_};
  request.feeds.push_back({"x:0", Tensor::Scalar(1.5f)});
  request.fetches = {"y:0"};
  request.targets = {"train"};
  request.partial_run_handle = "7";
  request.request_id = RequestId(-9);
  RunStepResponse response;
  ASSERT_TRUE(Call(&MasterService::RunStep, request, &response).ok());
  const RunStepRequest seen = server_.master.run_step.last_request();
  EXPECT_EQ(seen.session, session_);
  ASSERT_EQ(seen.feeds.size(), 1u);
  EXPECT_EQ(seen.feeds[0].name, "x:0");
  EXPECT_EQ(seen.feeds[0].tensor, Tensor::Scalar(1.5f));
  EXPECT_THAT(seen.fetches, ElementsAre("y:0"));
  EXPECT_THAT(seen.targets, ElementsAre("train"));
  EXPECT_EQ(seen.partial_run_handle, "7");
  EXPECT_EQ(seen.request_id, RequestId(-9));
  ASSERT_EQ(response.tensors.size(), 1u);
  EXPECT_EQ(response.tensors[0].name, "y:0");
  EXPECT_EQ(response.tensors[0].tensor, Tensor::Scalar(2.5f));
}

TEST_F(RemoteMasterTest, PartialRunSetup) {
  server_.master.partial_run_setup.AnswerWith({.partial_run_handle = "12"});
  const PartialRunSetupRequest request{
      .session = session_, .feeds = {"x:0"}, .fetches = {"y:0"}, .request_id = RequestId(4)};
  PartialRunSetupResponse response;
  ASSERT_TRUE(Call(&MasterService::PartialRunSetup, request, &response).ok());
  EXPECT_THAT(server_.master.partial_run_setup.last_request().feeds, ElementsAre("x:0"));
  EXPECT_THAT(server_.master.partial_run_setup.last_request().fetches, ElementsAre("y:0"));
  EXPECT_EQ(response.partial_run_handle, "12");
}

TEST_F(RemoteMasterTest, RequestsWithoutAnIdGetOneEach) {
  RunStepResponse step;
  ASSERT_TRUE(Call(&MasterService::RunStep, RunStepRequest{.session = session_}, &step).ok());
  const RequestId first = server_.master.run_step.last_request().request_id;
  ASSERT_TRUE(Call(&MasterService::RunStep, RunStepRequest{.session = session_}, &step).ok());
  const RequestId second = server_.master.run_step.last_request().request_id;
  EXPECT_NE(first, RequestId());
  EXPECT_NE(second, RequestId());
  EXPECT_NE(first, second);
  PartialRunSetupResponse partial;
  ASSERT_TRUE(Call(&MasterService::PartialRunSetup, PartialRunSetupRequest{}, &partial).ok());
  EXPECT_NE(server_.master.partial_run_setup.last_request().request_id, RequestId());
  MakeCallableResponse made;
  ASSERT_TRUE(Call(&MasterService::MakeCallable, MakeCallableRequest{}, &made).ok());
  EXPECT_NE(server_.master.make_callable.last_request().request_id, RequestId());
  RunCallableResponse run;
  ASSERT_TRUE(Call(&MasterService::RunCallable, RunCallableRequest{}, &run).ok());
  EXPECT_NE(server_.master.run_callable.last_request().request_id, RequestId());
}

TEST_F(RemoteMasterTest, CloseSession) {
  CloseSessionResponse response;
  ASSERT_TRUE(
      Call(&MasterService::CloseSession, CloseSessionRequest{.session = session_}, &response).ok());
  EXPECT_EQ(server_.master.close_session.last_request().session, session_);
}

TEST_F(RemoteMasterTest, ListDevices) {
  ListDevicesResponse prepared;
  prepared.local_devices.push_back(
      {.name = kTestDevice, .type = "CPU", .incarnation = Incarnation(77)});
  server_.master.list_devices.AnswerWith(prepared);
  ListDevicesResponse response;
  ASSERT_TRUE(
      Call(&MasterService::ListDevices, ListDevicesRequest{.session = session_}, &response).ok());
  EXPECT_EQ(server_.master.list_devices.last_request().session, session_);
  EXPECT_EQ(response.local_devices, prepared.local_devices);
  EXPECT_TRUE(response.remote_devices.empty());
}

TEST_F(RemoteMasterTest, Reset) {
  ResetResponse response;
  ASSERT_TRUE(Call(&MasterService::Reset,
                   ResetRequest{.containers = {"c"}, .device_filters = {"/job:ps"}}, &response)
                  .ok());
  EXPECT_THAT(server_.master.reset.last_request().containers, ElementsAre("c"));
  EXPECT_THAT(server_.master.reset.last_request().device_filters, ElementsAre("/job:ps"));
}

TEST_F(RemoteMasterTest, MakeCallable) {
  server_.master.make_callable.AnswerWith({.handle = 6});
  MakeCallableRequest request{.session = session_, .request_id = RequestId(3)};
  request.options.feeds = {"x:0"};
  request.options.fetches = {"y:0"};
  MakeCallableResponse response;
  ASSERT_TRUE(Call(&MasterService::MakeCallable, request, &response).ok());
  EXPECT_THAT(server_.master.make_callable.last_request().options.feeds, ElementsAre("x:0"));
  EXPECT_THAT(server_.master.make_callable.last_request().options.fetches, ElementsAre("y:0"));
  EXPECT_EQ(response.handle, 6);
}

TEST_F(RemoteMasterTest, RunCallable) {
  RunCallableResponse prepared;
  prepared.fetches.push_back(Tensor::Scalar(8.0f));
  server_.master.run_callable.AnswerWith(prepared);
  RunCallableRequest request{.session = session_, .handle = 6};
  request.feeds.push_back(Tensor::Scalar(4.0f));
  RunCallableResponse response;
  ASSERT_TRUE(Call(&MasterService::RunCallable, request, &response).ok());
  const RunCallableRequest seen = server_.master.run_callable.last_request();
  EXPECT_EQ(seen.handle, 6);
  EXPECT_THAT(seen.feeds, ElementsAre(Tensor::Scalar(4.0f)));
  EXPECT_THAT(response.fetches, ElementsAre(Tensor::Scalar(8.0f)));
}

TEST_F(RemoteMasterTest, ReleaseCallable) {
  ReleaseCallableResponse response;
  ASSERT_TRUE(Call(&MasterService::ReleaseCallable,
                   ReleaseCallableRequest{.session = session_, .handle = 6}, &response)
                  .ok());
  EXPECT_EQ(server_.master.release_callable.last_request().handle, 6);
}

TEST_F(RemoteMasterTest, AStepsErrorComesWholeAndWithPayloads) {
  const std::string text = "node 'w' failed " + std::string(5000, 'x');
  server_.master.run_step.FailWith(AsDerived(Unavailable("{}", text)));
  RunStepResponse response;
  const Status status =
      Call(&MasterService::RunStep, RunStepRequest{.session = session_}, &response);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Message(status), text);
  EXPECT_TRUE(IsDerived(status));
}

TEST_F(RemoteMasterTest, OtherErrorsComeAsStatusAndNameTheMethod) {
  server_.master.extend_session.FailWith(
      WithPayload(Aborted("Session is not found."), kWorkerRestartedPayload));
  ExtendSessionResponse response;
  const Status status =
      Call(&MasterService::ExtendSession, ExtendSessionRequest{.session = session_}, &response);
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("Session is not found."));
  EXPECT_THAT(std::string(Message(status)), HasSubstr("ExtendSession"));
  EXPECT_THAT(std::string(Message(status)), HasSubstr(server_.address()));
  const std::string key(kWorkerRestartedPayload);
  EXPECT_TRUE(status.GetPayload(key).has_value());
}

TEST(RemoteMasterWaitTest, WaitsForAMasterThatIsNotUpUntilTheDeadline) {
  std::string address;
  {
    TestServer gone;
    address = gone.address();
  }
  RpcClient client;
  const auto deadline = steady_clock::now() + milliseconds(300);
  const ListDevicesRequest request;
  ListDevicesResponse response;
  const Status status = CallAndWait(*ConnectMaster(client, address), &MasterService::ListDevices,
                                    request, &response, {.deadline = deadline});
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("no connection to the master at " + address));
}

TEST(RemoteMasterWaitTest, ReachesAMasterThatComesUpLater) {
  std::string address;
  {
    TestServer gone;
    address = gone.address();
  }
  RpcClient client;
  auto stub = ConnectMaster(client, address);
  const ListDevicesRequest request;
  ListDevicesResponse response;
  const service::Call call;
  Status status;
  Notification answered;
  stub->ListDevices(request, &response, call, [&](Status s) {
    status = s;
    answered.Notify();
  });
  TestServer back(address);
  answered.Wait();
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace rheo::rpc
