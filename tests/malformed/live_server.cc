#include "live_server.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <utility>

#include "rheo/base/sanitizers.h"
#include "rheo/rpc/remote_master.h"
#include "rheo/rpc/remote_worker.h"
#include "rheo/rpc/status_mapping.h"

#if defined(RHEO_ADDRESS_SANITIZER) || defined(RHEO_THREAD_SANITIZER)
#define RHEO_SANITIZER_ALLOCATES
#include <sanitizer/allocator_interface.h>
#endif

namespace rheo {
namespace {

using service::MasterService;
using service::WorkerService;

constexpr auto kPatience = std::chrono::milliseconds(200) * kSlowdown;
constexpr size_t kAtATime = 32;

// The calls of one Send.
class Batch {
 public:
  Batch(rpc::Channel& channel, std::string path, const std::vector<std::string>& messages)
      : channel_(channel), path_(std::move(path)), messages_(messages), answers_(messages.size()) {}

  std::vector<LiveServer::Answer> Run() {
    for (size_t i = 0; i < kAtATime; ++i) StartNext();
    MutexLock lock(mutex_);
    ended_.Wait(mutex_, [this]() RHEO_NO_THREAD_SAFETY_ANALYSIS {
      return num_answered_ == messages_.size();
    });
    return std::move(answers_);
  }

 private:
  struct One {
    service::Call call;
    size_t index = 0;
  };

  void StartNext() {
    auto one = std::make_shared<One>();
    {
      MutexLock lock(mutex_);
      if (next_ == messages_.size()) return;
      one->index = next_++;
    }
    one->call.deadline = std::chrono::steady_clock::now() + kPatience;
    wire::Message message;
    message.slices.emplace_back(messages_[one->index]);
    channel_.Start(path_, std::move(message), one->call, [this, one](rpc::RpcResult& result) {
      LiveServer::Answer answer;
      answer.status = Status(static_cast<StatusCode>(result.status.error_code()),
                             result.status.error_message());
      std::vector<grpc::Slice> slices;
      if (result.status.ok() && result.body.Dump(&slices).ok()) {
        for (const grpc::Slice& s : slices) {
          answer.body.append(reinterpret_cast<const char*>(s.begin()), s.size());
        }
      }
      Take(one->index, std::move(answer));
    });
  }

  void Take(size_t index, LiveServer::Answer answer) {
    {
      MutexLock lock(mutex_);
      answers_[index] = std::move(answer);
    }
    StartNext();
    MutexLock lock(mutex_);
    ++num_answered_;
    ended_.NotifyAll();
  }

  rpc::Channel& channel_;
  const std::string path_;
  const std::vector<std::string>& messages_;
  Mutex mutex_;
  CondVar ended_;
  std::vector<LiveServer::Answer> answers_ RHEO_GUARDED_BY(mutex_);
  size_t next_ RHEO_GUARDED_BY(mutex_) = 0;
  size_t num_answered_ RHEO_GUARDED_BY(mutex_) = 0;
};

}  // namespace

LiveServer::LiveServer() {
  auto server = runtime::Server::Start({.cluster = {{"worker", {"127.0.0.1:0"}}}, .job = "worker"});
  EXPECT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  const std::string address = "127.0.0.1:" + std::to_string(server_->port());
  channel_ = client_.Connect(address);
  master_ = rpc::ConnectMaster(client_, address);
  worker_ = rpc::ConnectWorker(client_, kLiveTask, address);
}

LiveServer::~LiveServer() {
  client_.Shutdown();
  server_->Stop();
}

std::vector<LiveServer::Answer> LiveServer::Send(const std::string& path,
                                                 const std::vector<std::string>& messages) {
  return Batch(*channel_, path, messages).Run();
}

StatusOr<SessionHandle> LiveServer::CreateSession(graph::GraphDef graph) {
  service::CreateSessionResponse response;
  RHEO_RETURN_IF_ERROR(
      Invoke(*master_, &MasterService::CreateSession, {.graph = std::move(graph)}, &response));
  return response.session;
}

StatusOr<service::RunStepResponse> LiveServer::Run(const service::RunStepRequest& request) {
  service::RunStepResponse response;
  RHEO_RETURN_IF_ERROR(Invoke(*master_, &MasterService::RunStep, request, &response));
  return response;
}

Status LiveServer::Reset() {
  service::ResetResponse response;
  return Invoke(*master_, &MasterService::Reset, {}, &response);
}

void LiveServer::ExpectServes() {
  const auto session = CreateSession(SumGraph());
  ASSERT_TRUE(session.ok()) << session.status();
  const auto response =
      Run({.session = *session, .feeds = {{"x:0", Tensor::Scalar(2.0f)}}, .fetches = {"z:0"}});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->tensors.at(0).tensor, Tensor::Scalar(4.0f));
  service::CloseSessionResponse closed;
  EXPECT_TRUE(Invoke(*master_, &MasterService::CloseSession, {.session = *session}, &closed).ok());

  service::RegisterGraphResponse graph;
  ASSERT_TRUE(Invoke(*worker_, &WorkerService::RegisterGraph,
                     {.create_worker_session_called = false,
                      .graph = GraphOf({{.name = "n", .op = "NoOp", .device = kLiveCpu}})},
                     &graph)
                  .ok());
  service::RunGraphResponse run;
  EXPECT_TRUE(
      Invoke(*worker_, &WorkerService::RunGraph,
             {.create_worker_session_called = false, .graph = graph.graph, .step = NewStepId()},
             &run)
          .ok());
  service::DeregisterGraphResponse gone;
  EXPECT_TRUE(Invoke(*worker_, &WorkerService::DeregisterGraph,
                     {.create_worker_session_called = false, .graph = graph.graph}, &gone)
                  .ok());
}

graph::GraphDef GraphOf(std::vector<graph::NodeDef> nodes) {
  graph::GraphDef def;
  def.versions.producer = graph::kProducerVersion;
  def.nodes = std::move(nodes);
  return def;
}

graph::GraphDef SumGraph() {
  const op::AttrMap floats = {{"T", DType::kFloat}};
  return GraphOf({{.name = "x", .op = "Placeholder", .attrs = {{"dtype", DType::kFloat}}},
                  {.name = "y", .op = "Identity", .inputs = {"x"}, .attrs = floats},
                  {.name = "z", .op = "AddV2", .inputs = {"x", "y"}, .attrs = floats}});
}

size_t HeapBytes() {
#ifdef RHEO_SANITIZER_ALLOCATES
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace rheo
