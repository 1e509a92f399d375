// Trains a classifier of handwritten digits on a cluster: between-graph replication with
// asynchronous gradient descent. Every process of the cluster runs this program:
//
//   rheo launch --ps 1 --workers 2 -- digits
//
// The parameter servers hold the variables; each worker builds the same graph, computes gradients
// on its own batches and applies them. The first worker initializes and, at the end, evaluates.

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "data.h"
#include "rheo/server.h"
#include "rheo/train.h"

namespace rheo::digits {
namespace {

constexpr int64_t kSteps = 4000;  // of all workers together
constexpr int64_t kBatch = 32;
constexpr int64_t kHidden = 64;
constexpr int64_t kReportEvery = 500;
constexpr float kRate = 0.2f;
constexpr float kRequiredAccuracy = 0.95f;
constexpr auto kInitTimeout = std::chrono::seconds(60);

using Clock = std::chrono::steady_clock;

struct Model {
  Output images, labels;  // placeholders
  Output loss, accuracy;
  Variable global_step;
  Operation train;
  Operation initialize;
  std::vector<Output> initialized;  // one bool per variable
};

Output Dense(const Scope& g, const std::string& name, const Output& x, int64_t in, int64_t out) {
  const Scope layer = g.SubScope(name);
  // Glorot's scale keeps the variance of activations and gradients alike (Glorot and Bengio 2010).
  const float scale = std::sqrt(2.0f / static_cast<float>(in + out));
  Variable weights(
      layer.WithName("weights"),
      ops::TruncatedNormal(layer, {static_cast<int32_t>(in), static_cast<int32_t>(out)},
                           DType::kFloat, {.seed = 1, .seed2 = in}) *
          scale);
  Variable bias(layer.WithName("bias"), ops::Fill(layer, {static_cast<int32_t>(out)}, 0.0f));
  return ops::BiasAdd(layer, ops::MatMul(layer, x, weights), bias);
}

Model Build(const Scope& g) {
  Model m;
  m.images = ops::Placeholder(g.WithName("images"), DType::kFloat, {.shape = {-1, 64}});
  m.labels = ops::Placeholder(g.WithName("labels"), DType::kInt32, {.shape = {-1}});
  const Output hidden = ops::Relu(g, Dense(g, "hidden", m.images, 64, kHidden));
  const Output logits = Dense(g, "logits", hidden, kHidden, 10);
  m.loss = ops::Mean(g, ops::SparseSoftmaxCrossEntropyWithLogits(g, logits, m.labels).loss, {0});
  const Output guess = ops::ArgMax(g, logits, 1, {.output_type = DType::kInt32});
  m.accuracy = ops::Mean(g, ops::Cast(g, ops::Equal(g, guess, m.labels), DType::kFloat), {0});
  m.global_step = train::GlobalStep(g);
  m.train = train::GradientDescent{.rate = kRate}.Minimize(g, m.loss, m.global_step);
  m.initialize = InitializeVariables(g);
  for (const Variable& v : Variables(g)) {
    m.initialized.push_back(ops::VarIsInitializedOp(g.ColocateWith(v.handle().op()), v.handle()));
  }
  return m;
}

// The chief initializes; the others look until it has.
Status Initialize(const Session& session, const Model& model, bool is_chief) {
  if (is_chief) return session.Run({.targets = {model.initialize}}).status();
  const auto deadline = Clock::now() + kInitTimeout;
  while (Clock::now() < deadline) {
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> flags,
                          session.Run({.fetches = model.initialized}));
    bool all = true;
    for (const Tensor& flag : flags) all &= flag.scalar<bool>();
    if (all) return OkStatus();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return DeadlineExceeded("the chief has not initialized the variables within {} s",
                          kInitTimeout.count());
}

Status Train(const Session& session, const Model& model, const Data& data,
             const train::Task& task) {
  RHEO_ASSIGN_OR_RETURN(const Callable step,
                        session.Prepare({model.images, model.labels},
                                        {model.loss, model.global_step}, {model.train}));
  const auto start = Clock::now();
  int64_t done = 0;
  int64_t next_report = 0;
  // Workers start at different places, so that they do not repeat each other's batches.
  int64_t position = task.index() * data.train.size() / 2;
  for (int64_t global = 0; global < kSteps; ++done, position += kBatch) {
    const Examples batch = data.train.Batch(position, kBatch);
    const Tensor feeds[] = {batch.images, batch.labels};
    RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> out, step.Run(feeds));
    global = out[1].scalar<int64_t>();
    if (task.is_chief() && global >= next_report) {
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      fmt::print("step {:5}  loss {:.4f}  {:7.0f} examples/s on this worker\n", global,
                 out[0].scalar<float>(),
                 seconds > 0 ? static_cast<double>((done + 1) * kBatch) / seconds : 0.0);
      next_report += kReportEvery;
    }
  }
  fmt::print("{} steps of {} were done here\n", done, kSteps);
  return OkStatus();
}

Status Evaluate(const Session& session, const Model& model, const Data& data) {
  RHEO_ASSIGN_OR_RETURN(
      const std::vector<Tensor> out,
      session.Run({.feeds = {{model.images, data.test.images}, {model.labels, data.test.labels}},
                   .fetches = {model.accuracy}}));
  const float accuracy = out[0].scalar<float>();
  fmt::print("test accuracy {:.4f} on {} images\n", accuracy, data.test.size());
  if (accuracy >= kRequiredAccuracy) return OkStatus();
  return Internal("the accuracy {:.4f} is below {}", accuracy, kRequiredAccuracy);
}

Status RunWorker(const train::Task& task) {
  RHEO_ASSIGN_OR_RETURN(const Data data, Load(RHEO_DIGITS_FILE));
  const Scope g = Scope::NewRoot().WithDevice(train::ReplicaDeviceSetter(task.cluster(), task));
  const Model model = Build(g);
  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g, {.target = task.target()}));
  RHEO_RETURN_IF_ERROR(Initialize(session, model, task.is_chief()));
  RHEO_RETURN_IF_ERROR(Train(session, model, data, task));
  if (task.is_chief()) RHEO_RETURN_IF_ERROR(Evaluate(session, model, data));
  return session.Close();
}

// What this process was in the cluster, for the reader of the job's output.
void PrintSummary(const Server& server) {
  std::string devices;
  for (const device::DeviceInfo& device : server.devices()) devices += ' ' + device.name;
  const runtime::Traffic traffic = server.traffic();
  fmt::print("pid {} at {}:{}; {:.2f} MB sent, {:.2f} MB received\n", getpid(), server.target(),
             devices, static_cast<double>(traffic.bytes_sent) / 1e6,
             static_cast<double>(traffic.bytes_received) / 1e6);
}

// A parameter server serves until it is told to stop.
void ServeUntilSigterm(Server& server, const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  PrintSummary(server);
  server.Stop(std::chrono::seconds(1));
}

int Main() {
  // Before any thread starts, so that only sigwait sees these.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  const StatusOr<train::Task> task = train::Task::FromEnvironment();
  if (!task.ok() || task->cluster().empty()) {
    fmt::print(stderr, "digits: {}\n",
               task.ok() ? "run it as `rheo launch --ps 1 --workers 2 -- digits`"
                         : Message(task.status()));
    return 2;
  }
  if (task->job() == "ps") pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  StatusOr<std::unique_ptr<Server>> server =
      Server::Start({.cluster = task->cluster(), .job = task->job(), .task = task->index()});
  if (!server.ok()) {
    fmt::print(stderr, "digits: {}\n", Message(server.status()));
    return 1;
  }
  if (task->job() == "ps") {
    ServeUntilSigterm(**server, signals);
    return 0;
  }
  const Status status = RunWorker(*task);
  PrintSummary(**server);
  if (!status.ok()) {
    fmt::print(stderr, "digits: {}\n", Message(status));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace rheo::digits

int main() { return rheo::digits::Main(); }
