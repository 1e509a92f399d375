// The master's methods as bytes on the wire: the names they go by, and what their answers hold.
#include "case_test.h"
#include "rheo/graph/import.h"
#include "rheo/rpc/method_path.h"
#include "rheo/wire/codec.h"
#include "wire_call.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;

// A task and the calls of a client that knows paths only.
class Names : public CaseTest {
 protected:
  StatusOr<std::string> Call(std::string_view prefix, const std::string& method,
                             wire::Message request = {}) {
    return CallPath(client_, cluster().Address("worker"), std::string(prefix) + method,
                    std::move(request));
  }
  SessionHandle CreateSession(std::string_view prefix, const Scope& g) {
    const StatusOr<std::string> bytes =
        Call(prefix, "CreateSession",
             wire::Encode(service::CreateSessionRequest{.graph = graph::Export(g.graph(), {})}));
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    service::CreateSessionResponse response;
    const std::string text = bytes.value_or("");
    wire::Source source(text);
    EXPECT_TRUE(wire::Decode(source, response).ok());
    return response.session;
  }
  StatusOr<std::string> RunStep(std::string_view prefix, const service::RunStepRequest& request) {
    return Call(prefix, "RunStep", wire::Encode(request, wire::BodyErrors{.wanted = false}));
  }
  static std::vector<service::NamedTensor> TensorsOf(const StatusOr<std::string>& bytes) {
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    service::RunStepResponse response;
    Status error;
    const std::string text = bytes.value_or("");
    wire::Source source(text);
    EXPECT_TRUE(wire::Decode(source, response, error).ok());
    EXPECT_TRUE(error.ok()) << error;
    return std::move(response.tensors);
  }
  Cluster& cluster(int ps = 0) {
    if (cluster_ == nullptr) cluster_ = &Make({.ps = ps});
    return *cluster_;
  }

  rpc::RpcClient client_;
  Scope g_ = Scope::NewRoot();

 private:
  Cluster* cluster_ = nullptr;
};

TEST_F(Names, Server29_OneSessionUnderBothNames) {
  const Output x = ops::Placeholder(g_.WithName("x"), DType::kFloat);
  const Output y = ops::Add(g_.WithName("y"), x, 1.0f);
  for (size_t i = 0; i < 2; ++i) {
    const std::string_view one = rpc::kMasterPrefixes[i];
    const std::string_view other = rpc::kMasterPrefixes[1 - i];
    const SessionHandle session = CreateSession(one, g_);
    const service::RunStepRequest step{
        .session = session, .feeds = {{"x:0", Tensor::Scalar(2.0f)}}, .fetches = {"y:0"}};
    for (const std::string_view prefix : {other, one, other}) {
      const auto tensors = TensorsOf(RunStep(prefix, step));
      ASSERT_EQ(tensors.size(), 1U);
      EXPECT_EQ(tensors[0].tensor, Tensor::Scalar(3.0f));
    }
    EXPECT_TRUE(
        Call(other, "CloseSession", wire::Encode(service::CloseSessionRequest{.session = session}))
            .ok());
    EXPECT_THAT(RunStep(one, step).status(), HasCode(StatusCode::kAborted));
  }
}

TEST_F(Names, Server29_GetStatusUnderBothNames) {
  std::string answers[2];
  for (size_t i = 0; i < 2; ++i) {
    const auto bytes =
        Call(rpc::kWorkerPrefixes[i], "GetStatus", wire::Encode(service::GetStatusRequest{}));
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    service::GetStatusResponse response;
    wire::Source source(*bytes);
    ASSERT_TRUE(wire::Decode(source, response).ok());
    ASSERT_FALSE(response.devices.empty());
    answers[i] = response.devices[0].name;
  }
  EXPECT_EQ(answers[0], TaskName("worker") + "/device:CPU:0");
  EXPECT_EQ(answers[0], answers[1]);
}

TEST_F(Names, Server29_UnknownMethodsAreUnimplemented) {
  for (const std::string path : {"/tensorflow.MasterService/", "/tensorflow.grpc.MasterService/",
                                 "/tensorflow.WorkerService/", "/nobody.Service/"}) {
    const Stopwatch watch;
    EXPECT_THAT(Call(path, "Juggle").status(),
                AllOf(HasCode(StatusCode::kUnimplemented), TextHas(path + "Juggle")));
    EXPECT_TRUE(watch.IsBelow(2));
  }
}

// What nobody fetched is not sent: of a value of four megabytes that stays in the cluster, the
// client gets an answer of a few bytes. The rates are in bench/.
TEST_F(Names, Server32_AnswersToTargetsHoldNoValues) {
  constexpr int64_t kLength = 1'000'000;
  cluster(/*ps=*/1);
  const Variable v(g_.WithName("v").WithDevice(Device("ps")),
                   ops::Fill(g_.WithDevice(Device("ps")), {kLength}, 0.0f));
  const Scope worker = g_.WithDevice(Device("worker"));
  // Random, so that nobody computes it beforehand.
  Tensor shape(DType::kInt64, {1});
  shape.mutable_flat<int64_t>()[0] = kLength;
  const Output delta = ops::RandomUniform(worker, shape, DType::kFloat);
  const Operation init = InitializeVariables(g_);
  const Operation add = v.AssignAdd(g_.WithName("add"), delta);
  const Output read = v.Read(g_.WithName("read"));
  const SessionHandle session = CreateSession(rpc::kMasterPrefixes[0], g_);
  for (const std::string& target : {init.name(), add.name()}) {
    const auto bytes = RunStep(rpc::kMasterPrefixes[0], {.session = session, .targets = {target}});
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_LT(bytes->size(), 1024U) << target;
  }
  const auto bytes =
      RunStep(rpc::kMasterPrefixes[0], {.session = session, .fetches = {read.name()}});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_GT(bytes->size(), kLength * sizeof(float));
}

}  // namespace
}  // namespace rheo::cluster_test
