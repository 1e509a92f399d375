// Recorded messages of TensorFlow: read, written again, damaged.
#include "rheo/wire/golden.h"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "rheo/wire/codec.h"
#include "rheo/wire/proto/payloads.pb.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/tensor_codec.h"

namespace rheo::wire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::io::ArrayInputStream;
using ProtoMessage = google::protobuf::Message;

// Reads the message from a stream of small blocks and writes it again.
struct RoundTrip {
  Status status;
  std::string bytes;
};
using Codec = std::function<RoundTrip(Source&)>;

template <typename T>
RoundTrip Plain(Source& source) {
  T value;
  const Status status = Decode(source, value);
  return {status, status.ok() ? Encode(value).Flatten() : ""};
}

template <typename T>
RoundTrip WithFlag(Source& source) {
  T value;
  BodyErrors errors;
  const Status status = Decode(source, value, errors);
  return {status, status.ok() ? Encode(value, errors).Flatten() : ""};
}

template <typename T>
RoundTrip WithError(Source& source) {
  T value;
  Status error;
  const Status status = Decode(source, value, error);
  return {status, status.ok() ? Encode(value, error).Flatten() : ""};
}

const std::map<std::string, Codec>& Codecs() {
  static const auto* const codecs = new std::map<std::string, Codec>{
#define RHEO_PLAIN(Type) {#Type, Plain<service::Type>}
#define RHEO_METHOD(Method) RHEO_PLAIN(Method##Request), RHEO_PLAIN(Method##Response)
      RHEO_METHOD(CreateSession),
      RHEO_METHOD(ExtendSession),
      RHEO_METHOD(PartialRunSetup),
      RHEO_METHOD(CloseSession),
      RHEO_METHOD(ListDevices),
      RHEO_METHOD(Reset),
      RHEO_METHOD(MakeCallable),
      RHEO_METHOD(RunCallable),
      RHEO_METHOD(ReleaseCallable),
      RHEO_METHOD(GetStatus),
      RHEO_METHOD(CreateWorkerSession),
      RHEO_METHOD(DeleteWorkerSession),
      RHEO_METHOD(RegisterGraph),
      RHEO_METHOD(DeregisterGraph),
      RHEO_METHOD(CleanupGraph),
      RHEO_METHOD(CleanupAll),
      RHEO_METHOD(RecvTensor),
      RHEO_METHOD(PushTensors),
      RHEO_METHOD(MarkRecvFinished),
      RHEO_METHOD(RecvBuf),
      RHEO_METHOD(CompleteGroup),
      RHEO_METHOD(CompleteInstance),
      RHEO_METHOD(GetStepSequence),
      RHEO_METHOD(Logging),
#undef RHEO_METHOD
#undef RHEO_PLAIN
      {"RunStepRequest", WithFlag<service::RunStepRequest>},
      {"RunStepResponse", WithError<service::RunStepResponse>},
      {"RunGraphRequest", WithFlag<service::RunGraphRequest>},
      {"RunGraphResponse", WithError<service::RunGraphResponse>},
  };
  return *codecs;
}

RoundTrip Through(const Codec& codec, const std::string& bytes, int block_size) {
  ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()), block_size);
  Source source(&stream, static_cast<int64_t>(bytes.size()));
  return codec(source);
}

std::unique_ptr<ProtoMessage> NewMessage(const std::string& name) {
  // Naming one message of each file links them.
  tensorflow::GetStatusRequest::descriptor();
  tensorflow::distributed_runtime::GrpcPayloadContainer::descriptor();
  const auto* const descriptor =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName("tensorflow." +
                                                                                name);
  if (descriptor == nullptr) return nullptr;
  return std::unique_ptr<ProtoMessage>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
}

// Calls `visit` for the message and all messages in it, innermost first.
void ForEachMessage(ProtoMessage& message, const std::function<void(ProtoMessage&)>& visit) {
  const auto* const reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      ForEachMessage(*reflection->MutableMessage(&message, field), visit);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      ForEachMessage(*reflection->MutableRepeatedMessage(&message, field, i), visit);
    }
  }
  visit(message);
}

void Clear(ProtoMessage& message, const char* field) {
  message.GetReflection()->ClearField(&message, message.GetDescriptor()->FindFieldByName(field));
}

// Clears a submessage that is there but empty.
void ClearEmpty(ProtoMessage& message, const char* name) {
  const auto* const field = message.GetDescriptor()->FindFieldByName(name);
  const auto* const reflection = message.GetReflection();
  if (reflection->GetMessage(message, field).ByteSizeLong() == 0) Clear(message, name);
}

// Brings to one form what the plain structs do not tell apart, and drops what they do not hold.
void Normalize(ProtoMessage& whole) {
  ForEachMessage(whole, [](ProtoMessage& m) {
    const std::string& name = m.GetDescriptor()->name();
    if (name == "TensorProto") {
      auto& proto = static_cast<tensorflow::TensorProto&>(m);
      DecodeContext context;
      const StatusOr<Tensor> tensor = TensorFromProto(proto, context);
      ASSERT_TRUE(tensor.ok()) << tensor.status() << proto.DebugString();
      proto.Clear();
      TensorToProto(*tensor, proto);
    } else if (name == "Dim") {
      auto& dim = static_cast<tensorflow::TensorShapeProto::Dim&>(m);
      dim.set_size(std::max(dim.size(), kUnknownDim));
    } else if (name == "RunStepResponse") {
      ClearEmpty(m, "metadata");
    } else if (name == "RunCallableResponse") {
      ClearEmpty(m, "metadata");
    } else if (name == "RunGraphResponse") {
      ClearEmpty(m, "cost_graph");
    } else if (name == "RunGraphRequest") {
      ClearEmpty(m, "exec_opts");
    } else if (name == "RunStepRequest") {
      ClearEmpty(m, "options");
    } else if (name == "RegisterGraphRequest") {
      auto& request = static_cast<tensorflow::RegisterGraphRequest&>(m);
      if (request.has_graph_options() && !request.config_proto().has_graph_options()) {
        *request.mutable_config_proto()->mutable_graph_options() = request.graph_options();
      }
      ClearEmpty(*request.mutable_config_proto(), "graph_options");
      ClearEmpty(m, "debug_options");
      ClearEmpty(m, "graph_options");
      ClearEmpty(m, "config_proto");
      ClearEmpty(m, "graph_def");
      Clear(m, "has_control_flow");
    } else if (name == "RecvBufRequest") {
      Clear(m, "buf_ptr");  // of no meaning to the receiver
      ClearEmpty(m, "client_locality");
      ClearEmpty(m, "server_locality");
    } else if (name == "GraphDef") {
      ClearEmpty(m, "library");
      ClearEmpty(m, "versions");
    } else if (name == "NodeExecStats") {
      Clear(m, "memory");
      Clear(m, "memory_stats");
      Clear(m, "referenced_tensor");
      // TensorFlow rounds the microseconds on its own, and writes some statistics without others.
      auto& stats = static_cast<tensorflow::NodeExecStats&>(m);
#define RHEO_NANOS(Name)                                                                 \
  if (stats.Name##_nanos() == 0) stats.set_##Name##_nanos(stats.Name##_micros() * 1000); \
  stats.clear_##Name##_micros();
      RHEO_NANOS(all_start)
      RHEO_NANOS(op_start_rel)
      RHEO_NANOS(op_end_rel)
      RHEO_NANOS(all_end_rel)
      RHEO_NANOS(scheduled)
#undef RHEO_NANOS
    } else if (name == "TensorDescription") {
      ClearEmpty(m, "shape");
      ClearEmpty(m, "allocation_description");
    } else if (name == "AllocationDescription") {
      for (const char* field :
           {"allocated_bytes", "allocator_name", "allocation_id", "has_single_reference", "ptr"}) {
        Clear(m, field);
      }
    }
  });
}

TEST(GoldenTest, FilesAreThere) { EXPECT_GE(AllGolden().size(), 100u); }

TEST(GoldenTest, EveryFileParsesWithoutUnknownFields) {
  for (const Golden& golden : AllGolden()) {
    SCOPED_TRACE(golden.file);
    const auto message = NewMessage(golden.message);
    ASSERT_NE(message, nullptr) << golden.message;
    ASSERT_FALSE(golden.bytes.empty());
    ASSERT_TRUE(message->ParseFromString(golden.bytes));
    ForEachMessage(*message, [](ProtoMessage& m) {
      EXPECT_TRUE(m.GetReflection()->GetUnknownFields(m).empty()) << m.DebugString();
    });
  }
}

TEST(GoldenTest, ReencodingGivesEqualMessages) {
  int num_compared = 0;
  for (const Golden& golden : AllGolden()) {
    const auto codec = Codecs().find(golden.message);
    if (codec == Codecs().end() || golden.file.starts_with("err_RecvTensor_bad_key")) continue;
    SCOPED_TRACE(golden.file);
    const RoundTrip result = Through(codec->second, golden.bytes, 13);
    ASSERT_TRUE(result.status.ok()) << result.status;
    const auto expected = NewMessage(golden.message);
    const auto actual = NewMessage(golden.message);
    ASSERT_TRUE(expected->ParseFromString(golden.bytes));
    ASSERT_TRUE(actual->ParseFromString(result.bytes));
    Normalize(*expected);
    Normalize(*actual);
    google::protobuf::util::MessageDifferencer differencer;
    std::string differences;
    differencer.ReportDifferencesToString(&differences);
    EXPECT_TRUE(differencer.Compare(*expected, *actual)) << differences;
    ++num_compared;
  }
  EXPECT_GE(num_compared, 100);
}

TEST(GoldenTest, RecvTensorAnswersAreWrittenByteByByte) {
  int num_compared = 0;
  for (const Golden& golden : AllGolden()) {
    if (golden.message != "RecvTensorResponse") continue;
    SCOPED_TRACE(golden.file);
    const RoundTrip result = Through(Codecs().at(golden.message), golden.bytes, 5);
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(result.bytes, golden.bytes);
    ++num_compared;
  }
  EXPECT_GE(num_compared, 30);
}

TEST(GoldenTest, TruncatedMessagesAreErrorsOrShorterMessages) {
  const google::protobuf::LogSilencer silencer;
  for (const Golden& golden : AllGolden()) {
    const auto codec = Codecs().find(golden.message);
    if (codec == Codecs().end()) continue;
    const size_t step = golden.bytes.size() / 300 + 1;
    for (size_t n = 0; n < golden.bytes.size(); n += step) {
      Through(codec->second, golden.bytes.substr(0, n), -1);
    }
  }
}

TEST(GoldenTest, MessagesWithFlippedBitsDoNoHarm) {
  const google::protobuf::LogSilencer silencer;
  std::mt19937 random(20240613);
  for (const Golden& golden : AllGolden()) {
    const auto codec = Codecs().find(golden.message);
    if (codec == Codecs().end()) continue;
    for (int round = 0; round < 200; ++round) {
      std::string damaged = golden.bytes;
      for (int i = 0; i <= round % 4; ++i) {
        damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
      }
      Through(codec->second, damaged, round % 2 == 0 ? -1 : 11);
    }
  }
}

TEST(GoldenTest, PayloadsOfFailedCallsComeBackAsTheyWere) {
  for (const Golden& golden : AllGolden()) {
    if (!golden.file.ends_with(".details.pb")) continue;
    SCOPED_TRACE(golden.file);
    const Status status = DecodePayloads(Aborted("gone"), golden.bytes);
    EXPECT_FALSE(status.GetPayload({kPayloadsLostPayload.data(), kPayloadsLostPayload.size()}));
    tensorflow::distributed_runtime::GrpcPayloadContainer expected, actual;
    ASSERT_TRUE(expected.ParseFromString(golden.bytes));
    ASSERT_TRUE(actual.ParseFromString(EncodePayloads(status)));
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(expected, actual));
    if (expected.payloads_size() == 1) {
      EXPECT_EQ(EncodePayloads(status), golden.bytes);
    }
  }
}

TEST(GoldenTest, PayloadsTellDerivedErrorsAndRestarts) {
  const Status cleanup =
      DecodePayloads(Aborted("x"), GoldenBytes("err_RecvTensor_cleanup.details.pb"));
  EXPECT_TRUE(IsDerived(cleanup));
  const Status incarnation =
      DecodePayloads(Aborted("x"), GoldenBytes("err_RecvTensor_incarnation.details.pb"));
  EXPECT_FALSE(IsDerived(incarnation));
  EXPECT_TRUE(
      incarnation.GetPayload({kWorkerRestartedPayload.data(), kWorkerRestartedPayload.size()}));
}

template <typename T>
T DecodeGolden(const std::string& file) {
  const std::string bytes = GoldenBytes(file);
  Source source(bytes);
  T value;
  const Status status = Decode(source, value);
  EXPECT_TRUE(status.ok()) << file << ": " << status;
  return value;
}

TEST(GoldenTest, RecvTensorValues) {
  const auto value = [](const char* name) {
    return DecodeGolden<service::RecvTensorResponse>("RecvTensor_" + std::string(name) + ".resp.pb")
        .item;
  };
  EXPECT_EQ(value("float32").tensor, Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(value("int64").tensor, Tensor::Of<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(value("uint16").tensor, Tensor::Of<uint16_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(value("bool").tensor, Tensor::Of<bool>({3}, {true, false, true}));
  EXPECT_EQ(value("complex64").tensor, Tensor::Of<std::complex<float>>({2}, {{1, 2}, {3, -4}}));
  const Tensor text = value("string").tensor;
  ASSERT_EQ(text.shape(), Shape({3}));
  EXPECT_EQ(text.flat<std::string>()[0], "");
  EXPECT_EQ(text.flat<std::string>()[1].size(), 2u);
  EXPECT_EQ(text.flat<std::string>()[2].size(), 180u);
  EXPECT_EQ(value("scalar").tensor.rank(), 0);
  EXPECT_EQ(value("empty").tensor.shape(), Shape({0, 3}));
  EXPECT_EQ(value("control_edge").tensor.shape(), Shape({0}));
  EXPECT_TRUE(value("dead").is_dead);
  EXPECT_FALSE(value("dead").tensor.has_value());
  EXPECT_EQ(value("variant").tensor.flat<Variant>()[0].value()->type_name(),
            "tensorflow::TensorList");
  EXPECT_FALSE(value("resource").tensor.flat<ResourceHandle>()[0].name.empty());
}

TEST(GoldenTest, OpaqueVariantCanBeTakenApart) {
  const Tensor list =
      DecodeGolden<service::RecvTensorResponse>("RecvTensor_variant.resp.pb").item.tensor;
  const auto* const opaque = list.flat<Variant>()[0].As<OpaqueVariant>();
  ASSERT_NE(opaque, nullptr);
  const StatusOr<VariantParts> parts = opaque->ToParts();
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->tensors.size(), 2u);
  EXPECT_EQ(parts->tensors[0].shape(), Shape({2}));
}

TEST(GoldenTest, KeysOfRecvTensorRequests) {
  for (const Golden& golden : AllGolden()) {
    if (golden.message != "RecvTensorRequest") continue;
    SCOPED_TRACE(golden.file);
    tensorflow::RecvTensorRequest proto;
    ASSERT_TRUE(proto.ParseFromString(golden.bytes));
    const auto key = ParseKey(proto.rendezvous_key());
    if (golden.file.starts_with("err_RecvTensor_bad_key")) {
      EXPECT_EQ(rheo::Message(key.status()), "Invalid  rendezvous key: foo");
    } else {
      ASSERT_TRUE(key.ok()) << key.status();
      EXPECT_EQ(KeyToString(*key), proto.rendezvous_key());
    }
  }
}

TEST(GoldenTest, BadKeyIsInvalidArgument) {
  const std::string bytes = GoldenBytes("err_RecvTensor_bad_key.req.pb");
  Source source(bytes);
  service::RecvTensorRequest request;
  EXPECT_EQ(Decode(source, request), InvalidArgument("Invalid  rendezvous key: foo"));
}

TEST(GoldenTest, ErrorInTheBody) {
  const std::string bytes = GoldenBytes("RunStep_unknown_session.resp.pb");
  Source source(bytes);
  service::RunStepResponse response;
  Status error;
  ASSERT_TRUE(Decode(source, response, error).ok());
  EXPECT_EQ(error.code(), StatusCode::kAborted);
  EXPECT_TRUE(rheo::Message(error).starts_with("Session "));
}

}  // namespace
}  // namespace rheo::wire
