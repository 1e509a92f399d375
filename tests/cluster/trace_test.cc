// What a traced step tells about values that travel.
#include "case_test.h"
#include "trace_records.h"

namespace rheo::cluster_test {
namespace {

using trace::NodeStats;

class Trace : public CaseTest {};

TEST_F(Trace, Server30_TransferFillsTheGap) {
  constexpr int64_t kBytes = 100'000'000;
  Cluster& cluster = Make({.ps = 1});
  Scope g = Scope::NewRoot();
  Tensor shape(DType::kInt64, {1});
  shape.mutable_flat<int64_t>()[0] = kBytes / static_cast<int64_t>(sizeof(float));
  const Output made =
      ops::RandomUniform(g.WithName("made").WithDevice(Device("ps")), shape, DType::kFloat);
  const Output used = ops::Sum(g.WithName("used").WithDevice(Device("worker")), made, {0});
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  service::RunMetadata metadata;
  auto out = session->Run(
      {.fetches = {used}, .options = {.trace = service::TraceLevel::kFull}, .metadata = &metadata});
  ASSERT_TRUE(out.ok()) << out.status();
  const std::string ps = TaskName("ps") + "/device:CPU:0";
  const std::string worker = TaskName("worker") + "/device:CPU:0";
  const NodeStats* const producer = Find(metadata.step_stats, ps, "made");
  const NodeStats* const consumer = Find(metadata.step_stats, worker, "used");
  const NodeStats* const transfer = Find(metadata.step_stats, worker, "RecvTensor");
  ASSERT_NE(producer, nullptr);
  ASSERT_NE(consumer, nullptr);
  ASSERT_NE(transfer, nullptr);
  // From before the value was there until it could be used.
  EXPECT_LE(transfer->start_nanos, EndOf(*producer));
  EXPECT_GT(EndOf(*transfer), EndOf(*producer));
  EXPECT_LE(EndOf(*transfer), EndOf(*consumer));
  ASSERT_EQ(transfer->outputs.size(), 1U);
  EXPECT_EQ(transfer->outputs[0].num_bytes, kBytes);
  EXPECT_NE(transfer->label.find(TaskName("ps")), std::string::npos) << transfer->label;
  EXPECT_NE(transfer->label.find(TaskName("worker")), std::string::npos) << transfer->label;

  // The next step is recorded no more.
  service::RunMetadata plain;
  out = session->Run({.fetches = {used}, .metadata = &plain});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(plain.step_stats.devices.empty());
}

}  // namespace
}  // namespace rheo::cluster_test
