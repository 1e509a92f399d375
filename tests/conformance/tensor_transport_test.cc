// What every TensorTransport must do. Runs on the transport between objects of one process and on
// the one over gRPC; a new transport adds a World and a line at the end.
#include "rheo/rendezvous/tensor_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rheo/async/notification.h"
#include "rheo/rendezvous/local_rendezvous.h"
#include "rheo/rpc/fake_services.h"
#include "rheo/rpc/server.h"
#include "rheo/rpc/transport.h"
#include "rheo/rpc/worker_directory.h"

namespace rheo {
namespace {

using rendezvous::Item;
using rendezvous::PushedTensor;
using rendezvous::RendezvousKey;
using ::testing::HasSubstr;

constexpr char kPeerTask[] = "/job:ps/replica:0/task:0";

RendezvousKey Key(const std::string& edge, const std::string& task = kPeerTask) {
  return RendezvousKey({.src_device = task + "/device:CPU:0",
                        .src_incarnation = Incarnation(7),
                        .dst_device = "/job:worker/replica:0/task:0/device:CPU:0",
                        .edge = edge});
}

// The task at the other end: keeps values for those who ask and what was pushed to it.
class Peer {
 public:
  Peer() {
    worker_->recv_tensor.Run([this](const service::RecvTensorRequest& request,
                                    service::RecvTensorResponse* response,
                                    const service::Call& call, DoneCallback done) {
      const bool ack = require_ack;
      values.Recv(request.key, call.stop,
                  [response, ack, done = std::move(done)](StatusOr<Item> item) mutable {
                    if (item.ok()) response->item = *std::move(item);
                    response->require_ack = ack;
                    std::move(done)(item.status());
                  });
    });
    worker_->push_tensors.Run([this](const service::PushTensorsRequest& request,
                                     service::PushTensorsResponse*, const service::Call&,
                                     DoneCallback done) {
      {
        MutexLock lock(mutex_);
        for (const auto& entry : request.tensors) pushed_.push_back(entry);
      }
      std::move(done)(OkStatus());
    });
    worker_->mark_recv_finished.Run([this](const service::MarkRecvFinishedRequest& request,
                                           service::MarkRecvFinishedResponse*, const service::Call&,
                                           DoneCallback done) {
      acked_id = request.request_id;
      acked.Notify();
      std::move(done)(OkStatus());
    });
  }

  std::vector<PushedTensor> pushed() const {
    MutexLock lock(mutex_);
    return pushed_;
  }
  const std::shared_ptr<rpc::FakeWorker>& worker() const { return worker_; }

  rendezvous::LocalRendezvous values;
  bool require_ack = false;
  RequestId acked_id;
  Notification acked;

 private:
  const std::shared_ptr<rpc::FakeWorker> worker_ = std::make_shared<rpc::FakeWorker>();
  mutable Mutex mutex_;
  std::vector<PushedTensor> pushed_ RHEO_GUARDED_BY(mutex_);
};

// The transport under test, whose cluster has `peer` as kPeerTask, which takes pushes.
class World {
 public:
  virtual ~World() = default;
  virtual rendezvous::TensorTransport& transport() = 0;
  Peer peer;
};

class DirectWorld final : public World {
 public:
  DirectWorld() { directory_.SetOwnWorker(peer.worker()); }
  rendezvous::TensorTransport& transport() override { return transport_; }

 private:
  rpc::RpcClient client_;
  rpc::ClusterDirectory directory_{client_, service::ClusterSpec{{"ps", {"h:1"}}}, kPeerTask};
  rpc::WorkerTransport transport_{directory_,
                                  [](std::string_view task) { return task == kPeerTask; }};
};

class GrpcWorld final : public World {
 public:
  GrpcWorld() {
    auto bound = rpc::RpcServer::Bind({.address = "127.0.0.1:0"});
    EXPECT_TRUE(bound.ok()) << bound.status();
    server_ = *std::move(bound);
    server_->Start(nullptr, peer.worker().get());
    const std::string address = "127.0.0.1:" + std::to_string(server_->port());
    directory_ = std::make_unique<rpc::ClusterDirectory>(
        client_, service::ClusterSpec{{"ps", {address}}}, "");
    directory_->SetRheoPeer(kPeerTask, true);
    transport_ = std::make_unique<rpc::WorkerTransport>(
        *directory_, [d = directory_.get()](std::string_view task) { return d->IsRheoPeer(task); });
  }
  ~GrpcWorld() override {
    client_.Shutdown();
    server_->Shutdown(std::chrono::milliseconds(0));
  }
  rendezvous::TensorTransport& transport() override { return *transport_; }

 private:
  std::unique_ptr<rpc::RpcServer> server_;
  std::unique_ptr<rpc::ClusterDirectory> directory_;
  std::unique_ptr<rpc::WorkerTransport> transport_;
  rpc::RpcClient client_;  // goes first: its end ends the callbacks
};

struct Implementation {
  const char* name;
  std::unique_ptr<World> (*make)();
};

// A pull and its answer.
class Pulled {
 public:
  Pulled(World& world, const RendezvousKey& key, StopToken stop = {}) {
    world.transport().Pull(StepId(1), key, std::move(stop), [this](StatusOr<Item> item) {
      item_ = std::move(item);
      answered_.Notify();
    });
  }
  const StatusOr<Item>& Wait() {
    answered_.Wait();
    return item_;
  }

 private:
  StatusOr<Item> item_;
  Notification answered_;
};

class TensorTransportTest : public ::testing::TestWithParam<Implementation> {
 protected:
  const std::unique_ptr<World> world_ = GetParam().make();
};

TEST_P(TensorTransportTest, PullsAValueThatIsThere) {
  ASSERT_TRUE(world_->peer.values.Send(Key("e"), {.tensor = Tensor::Scalar(4.0f)}).ok());
  Pulled pulled(*world_, Key("e"));
  ASSERT_TRUE(pulled.Wait().ok()) << pulled.Wait().status();
  EXPECT_EQ(pulled.Wait()->tensor, Tensor::Scalar(4.0f));
  EXPECT_FALSE(pulled.Wait()->is_dead);
}

TEST_P(TensorTransportTest, APullWaitsForItsValue) {
  Pulled a(*world_, Key("a"));
  Pulled b(*world_, Key("b"));
  ASSERT_TRUE(world_->peer.values.Send(Key("b"), {.tensor = Tensor::Scalar(2.0f)}).ok());
  ASSERT_TRUE(b.Wait().ok());
  EXPECT_EQ(b.Wait()->tensor, Tensor::Scalar(2.0f));
  ASSERT_TRUE(world_->peer.values.Send(Key("a"), {.tensor = Tensor::Scalar(1.0f)}).ok());
  ASSERT_TRUE(a.Wait().ok());
  EXPECT_EQ(a.Wait()->tensor, Tensor::Scalar(1.0f));
}

TEST_P(TensorTransportTest, PullsADeadValue) {
  ASSERT_TRUE(world_->peer.values.Send(Key("e"), {.is_dead = true}).ok());
  Pulled pulled(*world_, Key("e"));
  ASSERT_TRUE(pulled.Wait().ok()) << pulled.Wait().status();
  EXPECT_TRUE(pulled.Wait()->is_dead);
}

TEST_P(TensorTransportTest, PullsStringsAndEmptyTensors) {
  const Tensor strings = Tensor::Vector(std::vector<std::string>{"a", "", "ccc"});
  const Tensor empty(DType::kFloat, Shape{0, 3});
  ASSERT_TRUE(world_->peer.values.Send(Key("s"), {.tensor = strings}).ok());
  ASSERT_TRUE(world_->peer.values.Send(Key("e"), {.tensor = empty}).ok());
  Pulled s(*world_, Key("s"));
  Pulled e(*world_, Key("e"));
  ASSERT_TRUE(s.Wait().ok()) << s.Wait().status();
  EXPECT_EQ(s.Wait()->tensor, strings);
  ASSERT_TRUE(e.Wait().ok()) << e.Wait().status();
  EXPECT_EQ(e.Wait()->tensor, empty);
}

TEST_P(TensorTransportTest, StopEndsAPullWithADerivedError) {
  StopSource source;
  Pulled pulled(*world_, Key("never"), source.get_token());
  source.request_stop();
  EXPECT_EQ(pulled.Wait().status(),
            AsDerived(Cancelled("RecvFromRemoteAsync is cancelled; {} has not come",
                                Key("never").Describe())));
}

TEST_P(TensorTransportTest, APullThatIsStoppedAlreadyEndsAtOnce) {
  StopSource source;
  source.request_stop();
  Pulled pulled(*world_, Key("never"), source.get_token());
  EXPECT_EQ(pulled.Wait().status(),
            AsDerived(Cancelled("RecvFromRemoteAsync is cancelled; {} has not come",
                                Key("never").Describe())));
}

TEST_P(TensorTransportTest, ThePeersErrorKeepsCodeTextAndPayload) {
  world_->peer.values.Abort(WithPayload(Aborted("restarted"), kWorkerRestartedPayload));
  Pulled pulled(*world_, Key("e"));
  const Status status = pulled.Wait().status();
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_TRUE(Message(status).starts_with("restarted"));
  const std::string key(kWorkerRestartedPayload);
  EXPECT_TRUE(status.GetPayload(key).has_value());
}

TEST_P(TensorTransportTest, ATaskThatTheClusterLacksIsAnError) {
  Pulled pulled(*world_, Key("e", "/job:nobody/replica:0/task:3"));
  EXPECT_EQ(pulled.Wait().status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(pulled.Wait().status())), HasSubstr("/job:nobody"));
}

TEST_P(TensorTransportTest, EachPullHasARequestIdOfItsOwn) {
  std::set<int64_t> ids;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(world_->peer.values.Send(Key("e"), {.tensor = Tensor::Scalar(1.0f)}).ok());
    Pulled pulled(*world_, Key("e"));
    ASSERT_TRUE(pulled.Wait().ok());
    ids.insert(world_->peer.worker()->recv_tensor.last_request().request_id.value);
  }
  EXPECT_EQ(ids.size(), 10u);
  EXPECT_FALSE(ids.contains(0));
}

TEST_P(TensorTransportTest, AcknowledgesWhenThePeerAsksForIt) {
  world_->peer.require_ack = true;
  ASSERT_TRUE(world_->peer.values.Send(Key("e"), {.tensor = Tensor::Scalar(1.0f)}).ok());
  Pulled pulled(*world_, Key("e"));
  ASSERT_TRUE(pulled.Wait().ok());
  world_->peer.acked.Wait();
  EXPECT_EQ(world_->peer.acked_id, world_->peer.worker()->recv_tensor.last_request().request_id);
}

TEST_P(TensorTransportTest, PushesOnlyToTasksThatTakeIt) {
  EXPECT_TRUE(world_->transport().CanPush(kPeerTask));
  EXPECT_FALSE(world_->transport().CanPush("/job:nobody/replica:0/task:3"));
}

TEST_P(TensorTransportTest, PushedTensorsArriveOnceAndThoseOfOnePushInOrder) {
  constexpr int kPushes = 200;
  std::atomic<int> left{kPushes};
  std::atomic<int> failed{0};
  Notification all;
  for (int i = 0; i < kPushes; ++i) {
    std::vector<PushedTensor> tensors;
    tensors.push_back({StepId(i), Key("a"), {.tensor = Tensor::Scalar(static_cast<float>(i))}});
    tensors.push_back({StepId(i), Key("b"), {.is_dead = true}});
    world_->transport().Push(kPeerTask, std::move(tensors), [&](Status status) {
      failed += status.ok() ? 0 : 1;
      if (--left == 0) all.Notify();
    });
  }
  all.Wait();
  EXPECT_EQ(failed, 0);
  auto pushed = world_->peer.pushed();
  ASSERT_EQ(pushed.size(), size_t{2} * kPushes);
  std::ranges::stable_sort(pushed, {}, [](const auto& entry) { return entry.step.value; });
  for (int i = 0; i < kPushes; ++i) {
    const auto& value = pushed[2 * i];
    const auto& dead = pushed[2 * i + 1];
    EXPECT_EQ(value.step, StepId(i));
    EXPECT_EQ(value.key, Key("a"));
    EXPECT_EQ(value.item.tensor, Tensor::Scalar(static_cast<float>(i)));
    EXPECT_EQ(dead.key, Key("b"));
    EXPECT_TRUE(dead.item.is_dead);
  }
}

template <typename T>
std::unique_ptr<World> Make() {
  return std::make_unique<T>();
}

INSTANTIATE_TEST_SUITE_P(All, TensorTransportTest,
                         ::testing::Values(Implementation{"Direct", &Make<DirectWorld>},
                                           Implementation{"Grpc", &Make<GrpcWorld>}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rheo
