// What the recorded messages do not show.
#include "rheo/wire/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/status_codec.h"

namespace rheo::wire {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <typename T>
Status DecodeBytes(const std::string& bytes, T& value) {
  Source source(bytes);
  return Decode(source, value);
}

template <typename T>
T Again(const T& value) {
  T decoded;
  const Status status = DecodeBytes(Encode(value).Flatten(), decoded);
  EXPECT_TRUE(status.ok()) << status;
  return decoded;
}

// ---- Keys

constexpr char kSrc[] = "/job:ps/replica:0/task:0/device:CPU:0";
constexpr char kDst[] = "/job:worker/replica:0/task:1/device:CPU:0";

TEST(KeyTest, PrintsAndParses) {
  const std::string text =
      std::string(kSrc) + ";00000000000000ff;" + kDst + ";edge_7_r/Read:0;18186195969791715286:3";
  const auto key = ParseKey(text);
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(key->channel().src_incarnation, Incarnation(255));
  EXPECT_EQ(key->channel().edge, "edge_7_r/Read:0");
  EXPECT_EQ(key->frame(), 18186195969791715286u);
  EXPECT_EQ(key->iteration(), 3);
  EXPECT_EQ(KeyToString(*key), text);
}

TEST(KeyTest, AcceptsPartialDevicesAndShortNumbers) {
  EXPECT_TRUE(ParseKey("/device:CPU:0;5;/job:w/task:1;e;0").ok());
}

TEST(KeyTest, RejectsOthers) {
  const std::string a = kSrc;
  for (const std::string& text :
       {std::string(), std::string("foo"), a + ";1;" + kDst + ";e", a + ";1;" + kDst + ";e;0:0;x",
        a + ";xyz;" + kDst + ";e;0:0", a + ";;" + kDst + ";e;0:0", a + ";1;" + kDst + ";;0:0",
        a + ";1;" + kDst + ";e;", "///;1;" + std::string(kDst) + ";e;0:0", a + ";1;/job:;e;0:0",
        a + ";12345678901234567;" + kDst + ";e;0:0"}) {
    EXPECT_EQ(ParseKey(text).status(), InvalidArgument("Invalid  rendezvous key: {}", text));
  }
}

// ---- Errors

TEST(PayloadTest, NonePayloadsAreNoBytes) { EXPECT_EQ(EncodePayloads(Aborted("x")), ""); }

TEST(PayloadTest, DamagedBytesLeaveAMark) {
  const Status status = DecodePayloads(Aborted("x"), "\xff\xff");
  EXPECT_TRUE(
      status.GetPayload({kPayloadsLostPayload.data(), kPayloadsLostPayload.size()}).has_value());
}

TEST(PayloadTest, OrderIsFixed) {
  const Status one = WithPayload(WithPayload(Aborted("x"), "a"), "b");
  const Status two = WithPayload(WithPayload(Aborted("x"), "b"), "a");
  EXPECT_EQ(EncodePayloads(one), EncodePayloads(two));
}

TEST(BodyErrorTest, CodeAndTextTravel) {
  service::RunGraphResponse response;
  const std::string bytes = Encode(response, InvalidArgument("bad \xff node")).Flatten();
  tensorflow::RunGraphResponse proto;
  ASSERT_TRUE(proto.ParseFromString(bytes));  // valid UTF-8
  Source source(bytes);
  Status error;
  ASSERT_TRUE(Decode(source, response, error).ok());
  EXPECT_EQ(error, InvalidArgument("bad ? node"));
}

TEST(RunGraphTest, ValuesForTheCallerRideInTheAnswer) {
  service::RunGraphRequest request;
  request.answer_carries_for = "/job:worker/replica:0/task:0";
  const std::string request_bytes = Encode(request, {}).Flatten();
  Source request_source(request_bytes);
  service::RunGraphRequest got_request;
  BodyErrors body_errors;
  ASSERT_TRUE(Decode(request_source, got_request, body_errors).ok());
  EXPECT_EQ(got_request.answer_carries_for, request.answer_carries_for);

  service::RunGraphResponse response;
  response.step_is_over = true;
  const rendezvous::RendezvousKey key({.src_device = "/job:ps/replica:0/task:0/device:CPU:0",
                                       .src_incarnation = Incarnation(5),
                                       .dst_device = "/job:worker/replica:0/task:0/device:CPU:0",
                                       .edge = "edge_1_w"});
  response.pushed = {{StepId(3), key, {.tensor = Tensor::Scalar(2.5f)}},
                     {.step = StepId(3), .key = key.At(1, 2), .announced = true}};
  const std::string bytes = Encode(response, OkStatus()).Flatten();
  tensorflow::RunGraphResponse proto;
  ASSERT_TRUE(proto.ParseFromString(bytes));
  EXPECT_EQ(proto.rheo_pushed_size(), 2);
  Source source(bytes);
  service::RunGraphResponse got;
  Status error;
  ASSERT_TRUE(Decode(source, got, error).ok());
  EXPECT_TRUE(got.step_is_over);
  ASSERT_EQ(got.pushed.size(), 2u);
  EXPECT_EQ(got.pushed[0].key, key);
  EXPECT_EQ(got.pushed[0].item.tensor, Tensor::Scalar(2.5f));
  EXPECT_EQ(got.pushed[1].key, key.At(1, 2));
  EXPECT_TRUE(got.pushed[1].announced);
}

TEST(BodyErrorTest, UnknownCodeIsUnknown) {
  EXPECT_EQ(StatusFromBody(20, "x").code(), StatusCode::kUnknown);
  EXPECT_EQ(StatusFromBody(-1, "x").code(), StatusCode::kUnknown);
  EXPECT_TRUE(StatusFromBody(0, "x").ok());
}

TEST(ToUtf8Test, KeepsWhatIsValid) {
  EXPECT_EQ(ToUtf8("añ…😀"), "añ…😀");
  EXPECT_EQ(ToUtf8("\xc3"), "?");
  EXPECT_EQ(ToUtf8("\xed\xa0\x80"), "???");
}

// ---- Requests

TEST(RunStepTest, FlagIsReadEvenWhenAFeedIsInvalid) {
  tensorflow::RunStepRequest proto;
  proto.add_feed()->set_name("x:0");
  proto.mutable_feed(0)->mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
  proto.mutable_feed(0)->mutable_tensor()->set_tensor_content("odd");
  proto.set_store_errors_in_response_body(true);
  const std::string bytes = proto.SerializeAsString();
  Source source(bytes);
  service::RunStepRequest request;
  BodyErrors errors;
  const Status status = Decode(source, request, errors);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(rheo::Message(status)),
              StartsWith("Invalid TensorProto for feed value 0"));
  EXPECT_TRUE(errors.wanted);
}

TEST(RunStepTest, RubbishIsInternal) {
  service::RunStepRequest request;
  BodyErrors errors;
  const std::string bytes = "rubbish";
  Source source(bytes);
  EXPECT_EQ(Decode(source, request, errors), Internal("Unable to parse request"));
}

TEST(RunStepTest, OptionsKeepWhatIsNotInterpreted) {
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(5);
  options.mutable_experimental()->set_use_run_handler_pool(true);
  service::RunStepRequest request;
  request.options.raw = options.SerializeAsString();
  request.options.timeout_ms = 7;
  tensorflow::RunStepRequest proto;
  ASSERT_TRUE(proto.ParseFromString(Encode(request, BodyErrors()).Flatten()));
  EXPECT_EQ(proto.options().timeout_in_ms(), 7);
  EXPECT_TRUE(proto.options().experimental().use_run_handler_pool());
}

TEST(RecvTensorTest, AnswerWithoutATensorIsInternal) {
  service::RecvTensorResponse response;
  EXPECT_EQ(DecodeBytes("", response), Internal("could not parse rpc response"));
}

TEST(RecvTensorTest, InvalidTensorIsInternal) {
  service::RecvTensorResponse response;
  const Status status = DecodeBytes(std::string("\x0a\x05\x08\x01\x22\x01\x00", 7), response);
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(rheo::Message(status)), StartsWith("could not parse rpc response"));
}

TEST(RecvTensorTest, DeadValueNeedsNoTensor) {
  service::RecvTensorResponse response;
  ASSERT_TRUE(DecodeBytes("\x10\x01", response).ok());
  EXPECT_TRUE(response.item.is_dead);
}

TEST(PushTensorsTest, LiveAndDeadValuesTravel) {
  service::PushTensorsRequest request;
  const auto key = ParseKey(std::string(kSrc) + ";1;" + kDst + ";e;0:0").value();
  request.tensors.push_back({StepId(7), key, {Tensor::Scalar("text"), false}});
  request.tensors.push_back({StepId(-1), key.At(3, 4), {Tensor(), true}});
  request.tensors.push_back({StepId(0), key, {Tensor::Of<float>({2}, {1, 2}), false}});
  request.tensors.push_back({StepId(8), key, {}, true});
  const service::PushTensorsRequest got = Again(request);
  ASSERT_EQ(got.tensors.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(got.tensors[i].announced, request.tensors[i].announced);
    EXPECT_EQ(got.tensors[i].step, request.tensors[i].step);
    EXPECT_EQ(got.tensors[i].key, request.tensors[i].key);
    EXPECT_EQ(got.tensors[i].item.is_dead, request.tensors[i].item.is_dead);
    EXPECT_EQ(got.tensors[i].item.tensor, request.tensors[i].item.tensor);
  }
  tensorflow::PushTensorsRequest proto;
  EXPECT_TRUE(proto.ParseFromString(Encode(request).Flatten()));
}

TEST(GetStatusTest, KernelsTravelBetweenRheoTasks) {
  op::KernelCatalog catalog;
  catalog.Add({.op = "Add",
               .device_type = "GPU",
               .constraints = {{"T", {DType::kFloat, DType::kInt32}}, {"mode", {"fast"}}},
               .host_memory_args = {"x"},
               .label = "special",
               .priority = 3});
  service::GetStatusResponse response;
  response.is_rheo = true;
  response.kernels = std::make_shared<op::KernelCatalog>(std::move(catalog));
  const service::GetStatusResponse got = Again(response);
  EXPECT_TRUE(got.is_rheo);
  ASSERT_NE(got.kernels, nullptr);
  ASSERT_EQ(got.kernels->All().size(), 1u);
  const op::KernelRow& row = *got.kernels->All()[0];
  EXPECT_EQ(row.op, "Add");
  EXPECT_EQ(row.device_type, "GPU");
  ASSERT_EQ(row.constraints.size(), 2u);
  EXPECT_EQ(row.constraints[0].allowed, (std::vector<op::AttrValue>{DType::kFloat, DType::kInt32}));
  EXPECT_EQ(row.constraints[1].allowed, (std::vector<op::AttrValue>{"fast"}));
  EXPECT_EQ(row.host_memory_args, std::vector<std::string>{"x"});
  EXPECT_EQ(row.label, "special");
  EXPECT_EQ(row.priority, 3);
}

TEST(GetStatusTest, TheClusterAsThePeerKnowsItTravels) {
  const service::ClusterSpec cluster{{"ps", {"h:1"}}, {"worker", {"h:2", "h:3"}}};
  service::GetStatusResponse response;
  response.is_rheo = true;
  response.cluster = std::make_shared<service::ClusterSpec>(cluster);
  const service::GetStatusResponse got = Again(response);
  ASSERT_NE(got.cluster, nullptr);
  EXPECT_EQ(*got.cluster, cluster);
}

TEST(GetStatusTest, KnownKernelsAreNotSent) {
  EXPECT_EQ(Again(service::GetStatusRequest{.known_kernels = 17}).known_kernels, 17u);
  service::GetStatusResponse response;
  response.is_rheo = true;
  response.kernels_are_known = true;
  const service::GetStatusResponse got = Again(response);
  EXPECT_TRUE(got.is_rheo);
  EXPECT_TRUE(got.kernels_are_known);
  EXPECT_EQ(got.kernels, nullptr);
}

TEST(GetStatusTest, OthersAreNotRheo) {
  service::GetStatusResponse response;
  response.devices.push_back({.name = kSrc, .type = "CPU", .incarnation = Incarnation(9)});
  const service::GetStatusResponse got = Again(response);
  EXPECT_FALSE(got.is_rheo);
  EXPECT_EQ(got.kernels, nullptr);
  EXPECT_EQ(got.devices, response.devices);
}

TEST(RegisterGraphTest, GraphOptionsAloneAreHeeded) {
  tensorflow::RegisterGraphRequest proto;
  proto.mutable_graph_options()->set_build_cost_model(4);
  service::RegisterGraphRequest request;
  ASSERT_TRUE(DecodeBytes(proto.SerializeAsString(), request).ok());
  EXPECT_EQ(request.config.build_cost_model, 4);
}

// ---- Configurations

service::SessionConfig ConfigAgain(const service::SessionConfig& config) {
  service::CreateSessionRequest request;
  request.config = config;
  return Again(request).config;
}

TEST(ConfigTest, FieldsTravelWithoutRaw) {
  service::SessionConfig config;
  config.device_count = {{"CPU", 2}};
  config.device_filters = {"/job:ps"};
  config.intra_op_threads = 3;
  config.operation_timeout_ms = 900;
  config.isolate_session_state = true;
  config.share_cluster_devices = true;
  config.constant_folding = false;
  config.function_inlining = false;
  config.collective_group_leader = "/job:worker/replica:0/task:0";
  config.gpu_memory_fraction = 0.25;
  config.cluster = std::make_shared<service::ClusterSpec>(
      service::ClusterSpec({{"ps", {"h:1"}}, {"worker", {"h:2", "h:3"}}}));
  const service::SessionConfig got = ConfigAgain(config);
  EXPECT_EQ(got.device_count, config.device_count);
  EXPECT_EQ(got.device_filters, config.device_filters);
  EXPECT_EQ(got.intra_op_threads, 3);
  EXPECT_EQ(got.operation_timeout_ms, 900);
  EXPECT_TRUE(got.isolate_session_state);
  EXPECT_TRUE(got.share_cluster_devices);
  EXPECT_FALSE(got.constant_folding);
  EXPECT_TRUE(got.common_subexpressions);
  EXPECT_FALSE(got.function_inlining);
  EXPECT_EQ(got.collective_group_leader, config.collective_group_leader);
  EXPECT_EQ(got.gpu_memory_fraction, 0.25);
  ASSERT_NE(got.cluster, nullptr);
  EXPECT_EQ(*got.cluster, *config.cluster);
}

TEST(ConfigTest, ChangedFieldsOverrideRaw) {
  tensorflow::ConfigProto proto;
  proto.mutable_gpu_options()->set_allow_growth(true);
  proto.set_isolate_session_state(true);
  proto.mutable_graph_options()->mutable_rewrite_options()->set_disable_meta_optimizer(true);
  tensorflow::CreateSessionRequest request;
  *request.mutable_config() = proto;
  service::CreateSessionRequest decoded;
  ASSERT_TRUE(DecodeBytes(request.SerializeAsString(), decoded).ok());
  EXPECT_FALSE(decoded.config.constant_folding);
  decoded.config.isolate_session_state = false;
  decoded.config.constant_folding = true;
  const std::string bytes = Encode(decoded).Flatten();
  ASSERT_TRUE(request.ParseFromString(bytes));
  EXPECT_TRUE(request.config().gpu_options().allow_growth());
  EXPECT_FALSE(request.config().isolate_session_state());
  EXPECT_TRUE(Again(decoded).config.constant_folding);
}

TEST(ConfigTest, BadClusterIsInvalid) {
  tensorflow::CreateSessionRequest proto;
  auto* const job = proto.mutable_config()->mutable_cluster_def()->add_job();
  job->set_name("ps");
  (*job->mutable_tasks())[0] = "nonsense";
  service::CreateSessionRequest request;
  EXPECT_EQ(DecodeBytes(proto.SerializeAsString(), request).code(), StatusCode::kInvalidArgument);
}

// ---- Files

constexpr char kServerText[] = R"(
  cluster { job { name: "ps" tasks { key: 0 value: "h:1" } } }
  job_name: "ps"
  protocol: "grpc"
  default_session_config { device_count { key: "CPU" value: 2 } }
)";

TEST(FileTest, ServerDefInTextAndBinary) {
  const auto text = ParseServerDef(kServerText);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->job_name, "ps");
  EXPECT_EQ(text->cluster, service::ClusterSpec({{"ps", {"h:1"}}}));
  EXPECT_EQ(text->default_session_config.device_count.at("CPU"), 2);
  const auto binary = ParseServerDef(SerializeServerDef(*text));
  ASSERT_TRUE(binary.ok()) << binary.status();
  EXPECT_EQ(binary->cluster, text->cluster);
  EXPECT_EQ(binary->default_session_config.device_count.at("CPU"), 2);
}

TEST(FileTest, GraphDefInText) {
  const auto def =
      ParseGraphDef(R"(node { name: "a" op: "NoOp" input: "^b" } versions { producer: 9 })");
  ASSERT_TRUE(def.ok()) << def.status();
  ASSERT_EQ(def->nodes.size(), 1u);
  EXPECT_EQ(def->nodes[0].inputs, std::vector<std::string>{"^b"});
  EXPECT_EQ(def->versions.producer, 9);
}

TEST(FileTest, MistakesAreNamedWithTheirPlace) {
  const Status status = ParseServerDef("job_name: \"ps\"\nnonsense: 1\n").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(rheo::Message(status)), HasSubstr("line 2"));
}

TEST(FileTest, BinaryRubbishIsInvalid) {
  EXPECT_EQ(ParseGraphDef(std::string("\x01\x02\xff", 3)).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rheo::wire
