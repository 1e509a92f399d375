// Truncated and random bytes on every method: each call is answered, the server goes on, and what
// it keeps does not grow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "live_server.h"
#include "rheo/rpc/method_path.h"
#include "rheo/wire/codec.h"
#include "rheo/wire/golden.h"

namespace rheo {
namespace {

using namespace service;  // its requests and responses
using rendezvous::RendezvousKey;
using ::testing::HasSubstr;

constexpr const char* kMasterMethods[] = {
    "CreateSession", "ExtendSession", "PartialRunSetup", "RunStep",     "CloseSession",
    "ListDevices",   "Reset",         "MakeCallable",    "RunCallable", "ReleaseCallable"};
constexpr const char* kWorkerMethods[] = {"GetStatus",
                                          "CreateWorkerSession",
                                          "DeleteWorkerSession",
                                          "RegisterGraph",
                                          "RunGraph",
                                          "DeregisterGraph",
                                          "CleanupGraph",
                                          "CleanupAll",
                                          "RecvTensor",
                                          "Logging",
                                          "MarkRecvFinished",
                                          "Tracing",
                                          "RecvBuf",
                                          "CompleteGroup",
                                          "CompleteInstance",
                                          "GetStepSequence"};

// A session and a registered graph for messages to talk about, and sound messages that do.
class Scene {
 public:
  explicit Scene(LiveServer& server) : server_(server) {
    auto session = server.CreateSession(SumGraph());
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *session;
    MakeCallableResponse callable;
    EXPECT_TRUE(Invoke(server.master(), &MasterService::MakeCallable, Callable(), &callable).ok());
    PartialRunSetupResponse partial;
    EXPECT_TRUE(Invoke(server.master(), &MasterService::PartialRunSetup, Partial(), &partial).ok());
    CreateWorkerSessionResponse created;
    EXPECT_TRUE(Invoke(server.worker(), &WorkerService::CreateWorkerSession,
                       {.session = worker_session_}, &created)
                    .ok());
    RegisterGraphResponse graph;
    const Status registered =
        Invoke(server.worker(), &WorkerService::RegisterGraph, Negation(), &graph);
    EXPECT_TRUE(registered.ok()) << registered;
    AddMasterMessages(callable.handle, partial.partial_run_handle);
    AddWorkerMessages(graph.graph);
  }
  ~Scene() {
    DeleteWorkerSessionResponse deleted;
    EXPECT_TRUE(Invoke(server_.worker(), &WorkerService::DeleteWorkerSession,
                       {.session = worker_session_}, &deleted)
                    .ok());
    EXPECT_TRUE(server_.Reset().ok());
  }

  // Sound messages of the method: recorded ones of TensorFlow, and ours.
  std::vector<std::string> Messages(const std::string& method) const {
    std::vector<std::string> messages;
    for (const wire::Golden& golden : wire::AllGolden()) {
      if (golden.message == method + "Request") messages.push_back(golden.bytes);
    }
    const auto own = own_.find(method);
    if (own != own_.end()) messages.insert(messages.end(), own->second.begin(), own->second.end());
    if (messages.empty()) messages.emplace_back();
    return messages;
  }

 private:
  template <typename... Args>
  void Add(const std::string& method, const Args&... message) {
    own_[method].push_back(wire::Encode(message...).Flatten());
  }

  MakeCallableRequest Callable() const {
    return {.session = session_, .options = {.feeds = {"x:0"}, .fetches = {"z:0"}}};
  }
  PartialRunSetupRequest Partial() const {
    return {.session = session_, .feeds = {"x:0"}, .fetches = {"y:0", "z:0"}};
  }

  void AddMasterMessages(int64_t callable, const std::string& partial) {
    Add("CreateSession", CreateSessionRequest{.graph = SumGraph(), .target = "grpc://h:1"});
    Add("ExtendSession",
        ExtendSessionRequest{.session = session_, .graph = GraphOf({{.name = "n", .op = "NoOp"}})});
    Add("PartialRunSetup", Partial());
    RunStepRequest run{.session = session_,
                       .feeds = {{"x:0", Tensor::Scalar(1.0f)}},
                       .fetches = {"z:0"},
                       .targets = {"y"}};
    Add("RunStep", run, wire::BodyErrors{.wanted = false});
    run.partial_run_handle = partial;
    Add("RunStep", run, wire::BodyErrors{.wanted = false});
    Add("CloseSession", CloseSessionRequest{.session = SessionHandle("0123456789abcdef")});
    Add("ListDevices", ListDevicesRequest{.session = session_});
    Add("MakeCallable", Callable());
    Add("RunCallable",
        RunCallableRequest{
            .session = session_, .handle = callable, .feeds = {Tensor::Scalar(1.0f)}});
    Add("ReleaseCallable", ReleaseCallableRequest{.session = session_, .handle = 77});
  }

  RendezvousKey In() const {
    return RendezvousKey({.src_device = kLiveCpu,
                          .src_incarnation = Incarnation(5),
                          .dst_device = kLiveCpu,
                          .edge = "in"});
  }
  RendezvousKey Out() const {
    return RendezvousKey({.src_device = kLiveCpu,
                          .src_incarnation = server_.incarnation(),
                          .dst_device = kLiveCpu,
                          .edge = "out"});
  }
  graph::NodeDef Transfer(std::string op, std::string input) const {
    const bool is_send = op == "_Send";
    const RendezvousKey key = is_send ? Out() : In();
    graph::NodeDef node{.name = key.channel().edge, .op = std::move(op), .device = kLiveCpu};
    if (is_send) node.inputs.push_back(std::move(input));
    node.attrs.Set(is_send ? "T" : "tensor_type", DType::kFloat);
    node.attrs.Set("tensor_name", key.channel().edge);
    node.attrs.Set("send_device", kLiveCpu);
    node.attrs.Set("recv_device", kLiveCpu);
    node.attrs.Set("send_device_incarnation",
                   static_cast<int64_t>(key.channel().src_incarnation.value));
    node.attrs.Set("client_terminated", true);
    return node;
  }
  RegisterGraphRequest Negation() const {
    return {.session = worker_session_,
            .graph = GraphOf({Transfer("_Recv", ""),
                              {.name = "neg",
                               .op = "Neg",
                               .inputs = {"in"},
                               .device = kLiveCpu,
                               .attrs = {{"T", DType::kFloat}}},
                              Transfer("_Send", "neg")})};
  }

  void AddWorkerMessages(const GraphHandle& graph) {
    Add("CreateWorkerSession", CreateWorkerSessionRequest{.session = worker_session_});
    Add("RegisterGraph", Negation());
    Add("DeregisterGraph",
        DeregisterGraphRequest{.session = worker_session_, .graph = GraphHandle("nothing")});
    Add("RunGraph",
        RunGraphRequest{.session = worker_session_,
                        .graph = graph,
                        .step = StepId(9),
                        .sends = {{In(), Tensor::Scalar(1.0f)}},
                        .recv_keys = {Out()}},
        wire::BodyErrors{.wanted = false});
    Add("RecvTensor", RecvTensorRequest{.step = StepId(11), .key = Out()});
    PushTensorsRequest push;
    push.tensors.push_back(
        {.step = StepId(12), .key = In(), .item = {.tensor = Tensor::Scalar(1.0f)}});
    Add("PushTensors", push);
    Add("CleanupAll", CleanupAllRequest{.containers = {"c"}});
  }

  LiveServer& server_;
  SessionHandle session_;
  const SessionHandle worker_session_{"00000000000000aa"};
  std::map<std::string, std::vector<std::string>> own_;
};

using Rng = std::mt19937;

size_t Below(size_t n, Rng& rng) { return n == 0 ? 0 : rng() % n; }

std::vector<std::string> Truncated(const std::vector<std::string>& sound, size_t count, Rng& rng) {
  std::vector<std::string> cut;
  for (size_t i = 0; i < count; ++i) {
    const std::string& whole = sound[i % sound.size()];
    cut.push_back(whole.substr(0, Below(whole.size(), rng)));
  }
  return cut;
}

std::string Noise(Rng& rng) {
  std::string bytes(Below(200, rng), '\0');
  for (char& c : bytes) c = static_cast<char>(rng());
  return bytes;
}

// A sound message with a few bytes changed, taken out or put in.
std::string Mutated(std::string bytes, Rng& rng) {
  for (size_t n = 1 + Below(4, rng); n > 0; --n) {
    const size_t at = Below(bytes.size() + 1, rng);
    switch (rng() % 3) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(rng());
        break;
      case 1:
        bytes.erase(at, 1 + Below(8, rng));
        break;
      default:
        bytes.insert(at, 1 + Below(8, rng), static_cast<char>(rng()));
    }
  }
  return bytes;
}

std::vector<std::string> Random(const std::vector<std::string>& sound, size_t count, Rng& rng) {
  std::vector<std::string> random;
  for (size_t i = 0; i < count; ++i) {
    random.push_back(i % 2 == 0 ? Noise(rng) : Mutated(sound[i / 2 % sound.size()], rng));
  }
  return random;
}

// ---- What a call that succeeded left behind

template <typename T>
bool Parse(const std::string& bytes, T& message) {
  wire::Source source(bytes);
  return wire::Decode(source, message).ok();
}

void CleanUp(LiveServer& server, const std::string& method, const std::string& message,
             const LiveServer::Answer& answer) {
  if (method == "CreateWorkerSession" && answer.status.ok()) {
    CreateWorkerSessionRequest request;
    if (!Parse(message, request)) return;
    DeleteWorkerSessionResponse response;
    EXPECT_TRUE(Invoke(server.worker(), &WorkerService::DeleteWorkerSession,
                       {.session = request.session}, &response)
                    .ok());
  }
  RegisterGraphResponse registered;
  RegisterGraphRequest request;
  if (method == "RegisterGraph" && answer.status.ok() && Parse(answer.body, registered) &&
      Parse(message, request)) {
    DeregisterGraphResponse response;
    EXPECT_TRUE(Invoke(server.worker(), &WorkerService::DeregisterGraph,
                       {.session = request.session,
                        .create_worker_session_called = request.create_worker_session_called,
                        .graph = registered.graph},
                       &response)
                    .ok());
  }
}

// Sends what `make` makes of the method's sound messages and checks the answers.
template <typename Make>
Outcomes Bombard(LiveServer& server, const std::string& prefix, const std::string& method,
                 Make make) {
  SCOPED_TRACE(method);
  const Scene scene(server);
  const std::vector<std::string> messages = make(scene.Messages(method));
  const std::vector<LiveServer::Answer> answers = server.Send(prefix + method, messages);
  Outcomes outcomes;
  for (size_t i = 0; i < answers.size(); ++i) {
    const Status& status = answers[i].status;
    ++outcomes[status.code()];
    if (status.code() == StatusCode::kInternal &&
        Message(status).find("parse") == std::string_view::npos) {
      // Our own bug, or one of the few texts that TensorFlow has under this code.
      EXPECT_THAT(
          std::string(Message(status)),
          ::testing::AnyOf(HasSubstr("Output 0 of type"), HasSubstr("Failed to fetch"),
                           HasSubstr("is running already"), HasSubstr("has no task"),
                           HasSubstr("was not valid"), HasSubstr("device_attributes is not set"),
                           HasSubstr("is joining a group"), HasSubstr("no source for"),
                           HasSubstr("already has source")));
    }
    CleanUp(server, method, messages[i], answers[i]);
  }
  EXPECT_EQ(outcomes[StatusCode::kUnavailable], 0) << "the server went away";
  EXPECT_EQ(outcomes[StatusCode::kUnknown], 0) << "an error that nobody made";
  return outcomes;
}

struct Method {
  std::string prefix;
  std::string name;
};
std::vector<Method> AllMethods() {
  std::vector<Method> methods;
  for (const char* name : kMasterMethods) {
    methods.push_back({std::string(rpc::kMasterPrefixes[0]), name});
  }
  for (const char* name : kWorkerMethods) {
    methods.push_back({std::string(rpc::kWorkerPrefixes[0]), name});
  }
  methods.push_back({"/rheo.WorkerService/", "PushTensors"});
  return methods;
}

class BytesTest : public ::testing::TestWithParam<Method> {
 protected:
  LiveServer server_;
  Rng rng_{20240607};
};

INSTANTIATE_TEST_SUITE_P(All, BytesTest, ::testing::ValuesIn(AllMethods()),
                         [](const auto& info) { return info.param.name; });

TEST_P(BytesTest, Server11_TruncatedMessagesAreAnswered) {
  Bombard(server_, GetParam().prefix, GetParam().name,
          [&](const std::vector<std::string>& sound) { return Truncated(sound, 1000, rng_); });
  server_.ExpectServes();
}

TEST_P(BytesTest, Server11_RandomMessagesAreAnswered) {
  Outcomes outcomes =
      Bombard(server_, GetParam().prefix, GetParam().name,
              [&](const std::vector<std::string>& sound) { return Random(sound, 1000, rng_); });
  // Half of them are noise, nearly none of which is a message. TensorFlow reads no request of
  // methods that it does not have.
  EXPECT_GT(outcomes[StatusCode::kInternal] + outcomes[StatusCode::kUnimplemented], 300);
  server_.ExpectServes();
}

TEST(BytesMemoryTest, Server11_WhatTheServerKeepsDoesNotGrow) {
  LiveServer server;
  const auto round = [&] {
    for (const Method& method : AllMethods()) {
      Rng rng(7);  // the same messages in each round
      Bombard(server, method.prefix, method.name, [&](const std::vector<std::string>& sound) {
        std::vector<std::string> messages = Truncated(sound, 100, rng);
        for (std::string& m : Random(sound, 100, rng)) messages.push_back(std::move(m));
        return messages;
      });
    }
  };
  round();
  round();
  const size_t before = HeapBytes();
  for (int i = 0; i < 3; ++i) round();
  const size_t after = HeapBytes();
  EXPECT_LT(after, before + (size_t{1} << 20)) << "after 16 000 messages that make no sense";
}

}  // namespace
}  // namespace rheo
