// Placement over tasks: nodes that are tied together, operations and devices that are not there.
#include <algorithm>

#include "case_test.h"
#include "rheo/builder/op_call.h"
#include "rheo/graph/import.h"
#include "rheo/session/session.h"

namespace rheo::cluster_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Placing : public CaseTest {
 protected:
  static Output ReferenceVariable(const Scope& scope) {
    return builder::AddOp(scope, "VariableV2", {},
                          {{"dtype", DType::kFloat}, {"shape", PartialShape(Shape{})}})
        .output(0);
  }
};

// The device on which a traced step ran a node; "" when it did not.
std::string DeviceOf(const service::RunMetadata& metadata, const std::string& node) {
  for (const auto& device : metadata.step_stats.devices) {
    for (const auto& stats : device.nodes) {
      if (stats.node_name == node) return device.device;
    }
  }
  return "";
}

TEST_F(Placing, Server15_AssignFollowsItsVariable) {
  Cluster& cluster = Make({.ps = 1});
  Scope g = Scope::NewRoot();
  const Output v = ReferenceVariable(g.WithName("v").WithDevice(Device("ps")));
  const Output assign = ops::Assign(g.WithName("assign").WithDevice(Device("worker")), v, 2.0f);
  SessionOptions options{.target = cluster.Target()};
  options.config.log_device_placement = true;
  StatusOr<Session> session = Session::Create(g, options);
  ASSERT_TRUE(session.ok()) << session.status();
  service::RunMetadata metadata;
  const auto out = session->Run({.fetches = {assign},
                                 .options = {.trace = service::TraceLevel::kFull},
                                 .metadata = &metadata});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Scalar(2.0f));
  EXPECT_EQ(DeviceOf(metadata, "assign"), TaskName("ps") + "/device:CPU:0");
  const std::string log = cluster.Get("worker").Log();
  const size_t line = log.find("assign: (Assign): " + TaskName("ps"));
  ASSERT_NE(line, std::string::npos) << log;
  EXPECT_THAT(log.substr(line, log.find('\n', line) - line), HasSubstr("/job:worker/task:0"));
}

TEST_F(Placing, Server15_TieThatCannotHold) {
  Cluster& cluster = Make({.ps = 1});
  Scope g = Scope::NewRoot();
  const Output v = ReferenceVariable(g.WithName("v").WithDevice(Device("ps")));
  const Output u = ReferenceVariable(g.WithName("u").WithDevice(Device("worker")));
  u.node()->mutable_attrs().Set("_class", std::vector<std::string>{"loc:@v"});
  const Output sum = ops::Add(g, v, u);
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  Status status = session.status();
  if (session.ok()) status = session->Run({.fetches = {sum}}).status();
  EXPECT_THAT(status,
              AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("node u"), TextHas("node v"),
                    TextHas("/job:ps/task:0"), TextHas("/job:worker/task:0"), TextHas("olocat")));
}

class PartitionedInitialiser : public Placing, public testing::WithParamInterface<VariableKind> {};

TEST_P(PartitionedInitialiser, Server15_Concatenates) {
  Cluster& cluster = Make({.ps = 1});
  Scope g = Scope::NewRoot();
  const VariableOptions options{.kind = GetParam()};
  std::vector<Output> parts;
  std::vector<Operation> part_inits;
  for (int i = 0; i < 3; ++i) {
    const Variable part(g.WithName("part_" + std::to_string(i)).WithDevice(Device("ps")),
                        ops::Fill(g.WithDevice(Device("ps")), {2}, static_cast<float>(i)), options);
    parts.push_back(part.Read(g));
    part_inits.push_back(part.initializer());
  }
  const Scope worker = g.WithDevice(Device("worker"));
  const Variable whole(worker.WithName("whole"), ops::ConcatV2(worker, parts, 0), options);
  const Output read = whole.Read(g);
  StatusOr<Session> session = Session::Create(g, {.target = cluster.Target()});
  ASSERT_TRUE(session.ok()) << session.status();
  Status ran = session->Run({.targets = part_inits}).status();
  ASSERT_TRUE(ran.ok()) << ran;
  ran = session->Run({.targets = {whole.initializer()}}).status();
  ASSERT_TRUE(ran.ok()) << ran;
  const auto out = session->Run({.fetches = {read}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Of<float>({6}, {0, 0, 1, 1, 2, 2}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, PartitionedInitialiser,
                         testing::Values(VariableKind::kReference, VariableKind::kResource),
                         [](const auto& info) {
                           return info.param == VariableKind::kReference ? "Reference" : "Resource";
                         });

// A program of which one constant has been run, as a client without an op registry has it.
class Unknown : public Placing {
 protected:
  Unknown() {
    const Scope g = Scope::NewRoot();
    const Output one = ops::Identity(g.WithName("one").WithDevice(Device("ps")), 1.0f);
    const auto master = runtime::Connect(cluster_.Target());
    auto session = session::Session::Create(master.value(), graph::Export(g.graph(), {}));
    session_.emplace(*std::move(session));
    ExpectOne("one:0");
  }
  void ExpectOne(const std::string& fetch) {
    const auto out = session_->Run({.fetches = {fetch}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0), Tensor::Scalar(1.0f));
  }
  Status Extend(graph::NodeDef node) {
    graph::GraphDef added;
    added.nodes.push_back(std::move(node));
    added.versions.producer = graph::kProducerVersion;
    return session_->Extend(added);
  }

  Cluster& cluster_ = Make({.ps = 1});
  std::optional<session::Session> session_;
};

TEST_F(Unknown, Server16_Op) {
  EXPECT_THAT(Extend({.name = "strange", .op = "NoSuchOp"}),
              AllOf(HasCode(StatusCode::kNotFound), TextHas("NoSuchOp"), TextHas("strange")));
  ExpectOne("one:0");
  ASSERT_TRUE(Extend({.name = "n", .op = "NoOp"}).ok());  // the version did not change
  ExpectOne("one:0");
}

TEST_F(Unknown, Server16_AttributesAreTolerated) {
  ASSERT_TRUE(Extend({.name = "more",
                      .op = "Identity",
                      .inputs = {"one"},
                      .attrs = {{"T", DType::kFloat}, {"fancy", int64_t{3}}, {"_x", int64_t{1}}}})
                  .ok());
  ExpectOne("more:0");
  const std::string log = cluster_.Get("worker").Log();
  const size_t line = log.find("fancy");
  EXPECT_NE(line, std::string::npos) << log;
  EXPECT_EQ(log.find("fancy", log.find('\n', line)), std::string::npos) << log;
}

TEST_F(Unknown, Server16_DefaultsMayBeLeftOut) {
  graph::GraphDef added;
  added.versions.producer = graph::kProducerVersion;
  added.nodes.push_back({.name = "m", .op = "Placeholder", .attrs = {{"dtype", DType::kFloat}}});
  // transpose_a and transpose_b are missing.
  added.nodes.push_back(
      {.name = "mm", .op = "MatMul", .inputs = {"m", "m"}, .attrs = {{"T", DType::kFloat}}});
  ASSERT_TRUE(session_->Extend(added).ok());
  const auto out =
      session_->Run({.feeds = {{"m:0", Tensor::Of<float>({1, 1}, {3})}}, .fetches = {"mm:0"}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Of<float>({1, 1}, {9}));
}

TEST_F(Unknown, Server16_OpWithoutKernel) {
  ASSERT_TRUE(Extend({.name = "python",
                      .op = "PyFunc",
                      .device = Device("ps"),
                      .attrs = {{"token", "pyfunc_0"},
                                {"Tin", std::vector<DType>{}},
                                {"Tout", std::vector<DType>{DType::kFloat}}}})
                  .ok());
  EXPECT_THAT(session_->Run({.fetches = {"python:0"}}).status(),
              AllOf(HasCode(StatusCode::kNotFound), TextHas("PyFunc"), TextHas("python"),
                    TextHas(TaskName("ps"))));
  ExpectOne("one:0");
}

// A device that no task has.
class NoGpu : public Placing {
 protected:
  StatusOr<std::vector<Tensor>> Run(bool soft) {
    const Scope worker = g_.WithDevice("/job:worker/task:0/device:GPU:0");
    const Output m = ops::MatMul(worker.WithName("m"), Tensor::Of<float>({1, 1}, {2}),
                                 Tensor::Of<float>({1, 1}, {3}));
    SessionOptions options{.target = cluster_.Target()};
    options.config.allow_soft_placement = soft;
    options.config.log_device_placement = true;
    StatusOr<Session> session = Session::Create(g_, options);
    if (!session.ok()) return session.status();
    return session->Run({.fetches = {m}});
  }
  Cluster& cluster_ = Make({.workers = 2});
  Scope g_ = Scope::NewRoot();
};

TEST_F(NoGpu, Server17_SoftPlacementTakesTheTasksCpu) {
  const auto out = Run(true);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0), Tensor::Of<float>({1, 1}, {6}));
  EXPECT_THAT(cluster_.Get("worker").Log(),
              HasSubstr("m: (MatMul): " + TaskName("worker") + "/device:CPU:0"));
}

TEST_F(NoGpu, Server17_OtherwiseItIsAnError) {
  EXPECT_THAT(Run(false).status(), AllOf(HasCode(StatusCode::kInvalidArgument), TextHas("{{node m"),
                                         TextHas("/job:worker/task:0/device:GPU:0"),
                                         TextHas(TaskName("worker", 0) + "/device:CPU:0"),
                                         TextHas(TaskName("worker", 1) + "/device:CPU:0")));
}

}  // namespace
}  // namespace rheo::cluster_test
