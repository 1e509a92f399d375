// Tasks with a GPU beside tasks without: its memory, placement on it, what a trace tells of it. The
// GPU is the simulated one.
#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "case_test.h"
#include "trace_records.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::NodeStats;

constexpr int64_t kGigabyte = int64_t{1} << 30;  // what a simulated GPU has
constexpr const char* kFraction = "gpu_options.per_process_gpu_memory_fraction";

std::string GpuOf(const std::string& job) { return TaskName(job) + "/device:GPU:0"; }

class Gpu : public CaseTest {
 protected:
  // A worker with a GPU, and a ps without.
  Cluster& MakeCluster(std::vector<std::string> worker_flags = {}) {
    Cluster& cluster = Make({.ps = 1, .start = false});
    worker_flags.insert(worker_flags.begin(), {"--gpu", "1"});
    cluster.Start("ps");
    cluster.Start("worker", 0, worker_flags);
    return cluster;
  }
  Scope On(const std::string& name, const std::string& device) {
    return g_.WithName(name).WithDevice(device);
  }

  const std::string worker_gpu_ = "/job:worker/task:0/device:GPU:0";
  const Scope g_ = Scope::NewRoot();
};

// ---- Memory

class GpuMemory : public Gpu {
  static constexpr int64_t kWidth = 1000;
  const Output column_ = ops::Placeholder(g_.WithName("column"), DType::kFloat);
  const Output row_ = ops::Placeholder(g_.WithName("row"), DType::kFloat);
  const Output table_ = ops::AddV2(On("table", worker_gpu_), column_, row_);
  const Output sums_ = ops::MatMul(On("sums", worker_gpu_), table_, row_, {.transpose_b = true});

 protected:
  // Makes a table of floats on the GPU that takes num_bytes, and waits until it has been used.
  Status MakeTable(const Session& session, int64_t num_bytes) {
    const int64_t height = num_bytes / kWidth / static_cast<int64_t>(sizeof(float));
    return session
        .Run({.feeds = {{column_, Tensor(DType::kFloat, {height, 1})},
                        {row_, Tensor(DType::kFloat, {1, kWidth})}},
              .fetches = {sums_}})
        .status();
  }
  // Of each GPU that the session sees; by name.
  static std::map<std::string, int64_t> Limits(const Session& session) {
    const auto devices = session.ListDevices();
    EXPECT_TRUE(devices.ok()) << devices.status();
    std::map<std::string, int64_t> limits;
    for (const auto& device : devices.value_or(std::vector<device::DeviceInfo>())) {
      if (device.type == "GPU") limits[device.name] = device.memory_limit;
    }
    return limits;
  }
};

TEST_F(GpuMemory, Server34_TheServersShareHolds) {
  constexpr int64_t kLimit = kGigabyte * 3 / 10;
  Cluster& cluster = MakeCluster({"--gpu_memory_fraction", "0.3"});
  StatusOr<Session> session = Session::Create(g_, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Limits(*session), testing::ElementsAre(testing::Pair(GpuOf("worker"), kLimit)));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(MakeTable(*session, 400'000'000),
                AllOf(HasCode(StatusCode::kResourceExhausted), TextHas("{{node table}}"),
                      TextHas("400000000 bytes"), TextHas(std::to_string(kLimit) + " bytes")));
    // The step before has given its memory back.
    const Status ran = MakeTable(*session, 300'000'000);
    EXPECT_TRUE(ran.ok()) << ran;
  }
  EXPECT_THAT(cluster.Get("worker").Log(), Not(HasSubstr("no effect")));
}

TEST_F(GpuMemory, Server34_ASessionsShareIsNamedOnce) {
  Cluster& cluster = MakeCluster();
  SessionOptions options{.target = cluster.Target()};
  options.config.gpu_memory_fraction = 0.3;
  StatusOr<Session> session = Session::Create(g_, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Limits(*session), testing::ElementsAre(testing::Pair(GpuOf("worker"), kGigabyte)));
  for (int i = 0; i < 2; ++i) {
    const Status ran = MakeTable(*session, 400'000'000);
    EXPECT_TRUE(ran.ok()) << ran;
  }
  const std::string log = cluster.Get("worker").Log();
  const size_t warning = log.find(kFraction);
  ASSERT_NE(warning, std::string::npos) << log;
  EXPECT_EQ(log.find(kFraction, warning + 1), std::string::npos) << log;
}

TEST_F(GpuMemory, Server34_AShareThatIsNoneIsAWrongCall) {
  for (const char* share : {"1.5", "-0.5", "nan", "half"}) {
    Cluster& cluster = Make({.start = false});
    const auto server = Process::Start({BuiltProgram("rheo"), "serve", "--cluster_spec",
                                        cluster.Spec(), "--job_name", "worker", "--gpu", "1",
                                        std::string("--gpu_memory_fraction=") + share});
    EXPECT_EQ(server->WaitExit(seconds(10)), 2) << share;
    EXPECT_THAT(server->Log(), HasSubstr("memory_fraction")) << share;
  }
}

// ---- Placement

class MasterWithoutGpu : public Gpu, public testing::WithParamInterface<bool> {};

// Lines of the level Error.
std::vector<std::string> ErrorLines(const std::string& log) {
  std::vector<std::string> lines;
  std::istringstream text(log);
  for (std::string line; std::getline(text, line);) {
    const bool is_error =
        line.size() > 1 && line[0] == 'E' && std::isdigit(static_cast<unsigned char>(line[1])) != 0;
    if (is_error) lines.push_back(line);
  }
  return lines;
}

TEST_P(MasterWithoutGpu, Server35_RunsOnTheWorkersGpu) {
  Cluster& cluster = MakeCluster();
  const Output x = ops::Placeholder(g_.WithName("x"), DType::kFloat);
  const Output m = ops::MatMul(On("m", worker_gpu_), x, x);
  SessionOptions options{.target = cluster.Target("ps")};
  options.config.allow_soft_placement = GetParam();
  StatusOr<Session> session = Session::Create(g_, options);
  ASSERT_TRUE(session.ok()) << session.status();
  service::RunMetadata metadata;
  const auto out = session->Run({.feeds = {{x, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})}},
                                 .fetches = {m},
                                 .options = {.trace = service::TraceLevel::kFull},
                                 .metadata = &metadata});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Of<float>({2, 2}, {7, 10, 15, 22}));
  EXPECT_NE(Find(metadata.step_stats, GpuOf("worker"), "m"), nullptr);
  EXPECT_NE(Find(metadata.step_stats, GpuOf("worker") + "/stream:all", "m:MatMul"), nullptr);
  ASSERT_TRUE(session->Close().ok());
  EXPECT_THAT(ErrorLines(cluster.Logs()), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(SoftPlacement, MasterWithoutGpu, testing::Bool(),
                         [](const auto& info) { return info.param ? "On" : "Off"; });

// ---- Traces

// A training step: the worker's GPU takes the weights from the ps and gives a gradient back. Layers
// that need no weights keep it busy meanwhile: the ps gives the weights away only when it has the
// first layer's output.
class GpuTrace : public Gpu {
 protected:
  static constexpr int64_t kSize = 1024;
  static constexpr int64_t kBytes = kSize * kSize * static_cast<int64_t>(sizeof(float));
  static constexpr int kNumLayers = 40;

  void SetUp() override {
    cluster_ = &MakeCluster();
    const Scope gpu = g_.WithDevice(worker_gpu_);
    const Scope ps = g_.WithDevice(Device("ps"));
    x_ = ops::Placeholder(g_.WithName("x"), DType::kFloat);
    const Variable w(ps.WithName("w"), ops::Fill(ps, {kSize, kSize}, 1.0f / kSize));
    Output hidden = ops::MatMul(gpu.WithName("layer0"), x_, x_);
    const Output seen = ops::Identity(ps.WithName("seen"), hidden);
    const Output weights = w.Read(ps.WithName("weights").WithControlInputs({seen.op()}));
    for (int i = 1; i < kNumLayers; ++i) {
      hidden = ops::MatMul(gpu.WithName("layer" + std::to_string(i)), hidden, x_);
    }
    const Output y = ops::MatMul(gpu.WithName("y"), hidden, weights);
    const Output gradient = ops::MatMul(gpu.WithName("gradient"), hidden, y, {.transpose_a = true});
    train_ = w.AssignSub(g_.WithName("train"), gradient);
    StatusOr<Session> session = Session::Create(g_, {.target = cluster_->Target()});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::make_unique<Session>(*std::move(session));
    const Status ran = session_->Run({.targets = {w.initializer()}}).status();
    ASSERT_TRUE(ran.ok()) << ran;
    Train();
    // The first gradient was as large as the weights, the second nothing.
    const auto left = session_->Run({.fetches = {w}});
    ASSERT_TRUE(left.ok()) << left.status();
    EXPECT_EQ(left->at(0), Filled(0));
  }
  // Two steps, the second traced.
  void Train() {
    for (const auto trace : {service::TraceLevel::kNone, service::TraceLevel::kFull}) {
      service::RunMetadata metadata;
      const auto out = session_->Run({.feeds = {{x_, Filled(1.0f / kSize)}},
                                      .targets = {train_},
                                      .options = {.trace = trace},
                                      .metadata = &metadata});
      ASSERT_TRUE(out.ok()) << out.status();
      stats_ = std::move(metadata.step_stats);
    }
  }
  static Tensor Filled(float value) {
    Tensor tensor(DType::kFloat, {kSize, kSize});
    std::ranges::fill(tensor.mutable_flat<float>(), value);
    return tensor;
  }
  // The records of the devices whose names begin so, with names that end so.
  std::vector<NodeStats> Named(const std::string& device, const std::string& end) const {
    std::vector<NodeStats> records;
    for (const trace::DeviceStats& d : stats_.devices) {
      if (!d.device.starts_with(device)) continue;
      std::ranges::copy_if(d.nodes, std::back_inserter(records),
                           [&](const NodeStats& n) { return n.node_name.ends_with(end); });
    }
    return records;
  }
  static int64_t BytesOf(const NodeStats& node) {
    return node.outputs.size() == 1 ? node.outputs[0].num_bytes : 0;
  }

  const std::string gpu_ = GpuOf("worker");
  Cluster* cluster_ = nullptr;
  Output x_;
  Operation train_;
  std::unique_ptr<Session> session_;
  trace::StepStats stats_;
};

TEST_F(GpuTrace, Server36_KernelsCopiesAndTransfers) {
  // On the way there: from the ps to the host of the worker, to the GPU, through its kernels.
  const auto pulled = Named(gpu_, "RecvTensor");
  ASSERT_EQ(pulled.size(), 1U);
  EXPECT_EQ(BytesOf(pulled[0]), kBytes);
  const auto there = Named(gpu_ + "/memcpy", ":MEMCPYHtoD");
  ASSERT_EQ(there.size(), 2U);  // the feed, the weights
  const NodeStats* const y = Find(stats_, gpu_ + "/stream:all", "y:MatMul");
  const NodeStats* const gradient = Find(stats_, gpu_ + "/stream:all", "gradient:MatMul");
  ASSERT_NE(y, nullptr);
  ASSERT_NE(gradient, nullptr);
  for (const NodeStats& copy : there) {
    EXPECT_EQ(BytesOf(copy), kBytes);
    EXPECT_LE(EndOf(copy), y->start_nanos);
  }
  EXPECT_LE(EndOf(pulled[0]), std::max(there[0].start_nanos, there[1].start_nanos));
  EXPECT_LE(EndOf(*y), gradient->start_nanos);
  // And back.
  const auto back = Named(gpu_ + "/memcpy", ":MEMCPYDtoH");
  ASSERT_EQ(back.size(), 2U);  // the first layer's output, the gradient
  const auto last = std::ranges::max(back, {}, &NodeStats::start_nanos);
  EXPECT_EQ(BytesOf(last), kBytes);
  EXPECT_LE(EndOf(*gradient), last.start_nanos);
  const auto pushed = Named(TaskName("ps"), "RecvTensor");
  ASSERT_EQ(pushed.size(), 2U);
  const auto arrived = std::ranges::max(pushed, {}, &EndOf);
  EXPECT_EQ(BytesOf(arrived), kBytes);
  EXPECT_LE(EndOf(last), EndOf(arrived));
  const NodeStats* const train = Find(stats_, TaskName("ps") + "/device:CPU:0", "train");
  ASSERT_NE(train, nullptr);
  EXPECT_LE(EndOf(arrived), EndOf(*train));
  // Each piece of the device's work once more under its own queue.
  for (const auto& [queue, count] :
       std::map<std::string, size_t>{{"0", kNumLayers + 2}, {"1", 2}, {"2", 2}}) {
    EXPECT_EQ(Named(gpu_ + "/stream:" + queue, "").size(), count) << queue;
  }
}

// The weights come when the layers run already, and are there before these are done: they have
// overtaken kernels that the device was given before. (What goes to the host runs beside kernels
// too: devices/sim/sim_test.cc.)
TEST_F(GpuTrace, Server36_CopiesOverlapOtherWork) {
  const auto copies = Named(gpu_ + "/memcpy", ":MEMCPYHtoD");
  ASSERT_EQ(copies.size(), 2U);
  const auto weights = std::ranges::max(copies, {}, &NodeStats::start_nanos);
  const NodeStats* const first = Find(stats_, gpu_ + "/stream:all", "layer0:MatMul");
  const NodeStats* const last =
      Find(stats_, gpu_ + "/stream:all", "layer" + std::to_string(kNumLayers - 1) + ":MatMul");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(last, nullptr);
  EXPECT_LT(last->scheduled_nanos, weights.scheduled_nanos);
  EXPECT_LT(first->start_nanos, weights.start_nanos);
  EXPECT_LT(EndOf(weights), EndOf(*last));
}

TEST_F(GpuTrace, Server36_NoGapsWithoutAnEntry) {
  // What the device itself did, from the copy of the feed to that of the gradient: it has work all
  // the time, since nothing of the step waits for anything else.
  std::vector<NodeStats> work = Named(gpu_ + "/", "");
  std::ranges::sort(work, {}, &NodeStats::start_nanos);
  ASSERT_FALSE(work.empty());
  const int64_t begin = work.front().start_nanos;
  int64_t end = begin;
  int64_t uncovered = 0;
  for (const NodeStats& piece : work) {
    uncovered += std::max<int64_t>(piece.start_nanos - end, 0);
    end = std::max(end, EndOf(piece));
  }
  // What is left is waking up threads. Without an entry for the kernels it would be nearly all.
  EXPECT_LT(uncovered, (end - begin) / 10);
}

}  // namespace
}  // namespace rheo::cluster_test
