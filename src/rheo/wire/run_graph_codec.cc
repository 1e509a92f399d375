// RunGraph: fed and fetched values are borrowed, or read into place.
#include "rheo/wire/codec.h"
#include "rheo/wire/config_codec.h"
#include "rheo/wire/graph_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/pushed_codec.h"
#include "rheo/wire/status_codec.h"

namespace rheo::wire {
namespace {

// Fields that only Rheo tasks know; TensorFlow's skip them.
constexpr int kAnswerCarriesFor = 1000;  // of the request
constexpr int kPushed = 1000;            // of the response
constexpr int kStepIsOver = 1001;

std::string Serialized(const service::ExecOptions& exec) {
  tensorflow::ExecutorOpts proto;
  proto.set_record_costs(exec.record_costs);
  proto.set_record_timeline(exec.record_timeline);
  proto.set_record_partition_graphs(exec.record_partition_graphs);
  proto.set_report_tensor_allocations_upon_oom(exec.report_allocations_upon_oom);
  return proto.SerializeAsString();
}

std::string Serialized(const trace::StepStats& stats) {
  tensorflow::StepStats proto;
  StatsToProto(stats, proto);
  return proto.SerializeAsString();
}

// A NamedTensorProto whose name is a rendezvous key.
bool ReadKeyedTensor(MessageReader& reader, std::string_view kind,
                     std::vector<service::KeyedTensor>& tensors) {
  const size_t i = tensors.size();
  service::KeyedTensor& entry = tensors.emplace_back();
  std::string text;
  if (!reader.ReadNamedTensor(text, entry.tensor,
                              [&] { return fmt::format("{} value {}", kind, i); })) {
    return false;
  }
  if (StatusOr<rendezvous::RendezvousKey> key = ParseKey(text); key.ok()) {
    entry.key = *std::move(key);
  } else {
    reader.Keep(key.status());
  }
  return true;
}

bool ReadRecvKey(MessageReader& reader, service::RunGraphRequest& value) {
  std::string text;
  if (!ReadBytes(reader.in(), text)) return false;
  if (StatusOr<rendezvous::RendezvousKey> key = ParseKey(text); key.ok()) {
    value.recv_keys.push_back(*std::move(key));
  } else {
    reader.Keep(Internal("Failed to fetch outputs for step {}. (Original error message: {})",
                         value.step.value, key.status().ToString()));
  }
  return true;
}

bool ReadExecOptions(MessageReader& reader, service::ExecOptions& exec) {
  tensorflow::ExecutorOpts proto;
  if (!ReadMessage(reader.in(), proto)) return false;
  exec.record_costs = proto.record_costs();
  exec.record_timeline = proto.record_timeline();
  exec.record_partition_graphs = proto.record_partition_graphs();
  exec.report_allocations_upon_oom = proto.report_tensor_allocations_upon_oom();
  return true;
}

bool ReadStats(MessageReader& reader, trace::StepStats& stats) {
  tensorflow::StepStats proto;
  if (!ReadMessage(reader.in(), proto)) return false;
  stats = StatsFromProto(proto);
  return true;
}

}  // namespace

Message Encode(const service::RunGraphRequest& value, BodyErrors body_errors) {
  MessageBuilder builder;
  builder.AddString(1, value.graph.value);
  builder.AddInt(2, value.step.value);
  for (const service::KeyedTensor& send : value.sends) {
    PutNamedTensor(3, KeyToString(send.key), send.tensor, builder);
  }
  for (const rendezvous::RendezvousKey& key : value.recv_keys) {
    builder.PutString(4, KeyToString(key));
  }
  builder.PutString(5, Serialized(value.exec));
  builder.AddBool(6, value.is_partial);
  builder.AddBool(7, value.is_last_partial_run);
  builder.AddString(8, value.session.value);
  builder.AddBool(9, body_errors.wanted);
  builder.AddBool(10, value.create_worker_session_called);
  builder.AddInt(11, value.request_id.value);
  builder.AddString(kAnswerCarriesFor, value.answer_carries_for);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RunGraphRequest& value, BodyErrors& body_errors) {
  value = {};
  value.create_worker_session_called = false;
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  return reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return ReadBytes(in, value.graph.value);
      case IntField(2):
        return ReadInt(in, value.step.value);
      case BytesField(3):
        return ReadKeyedTensor(reader, "feed", value.sends);
      case BytesField(4):
        return ReadRecvKey(reader, value);
      case BytesField(5):
        return ReadExecOptions(reader, value.exec);
      case IntField(6):
        return ReadBool(in, value.is_partial);
      case IntField(7):
        return ReadBool(in, value.is_last_partial_run);
      case BytesField(8):
        return ReadBytes(in, value.session.value);
      case IntField(9):
        return ReadBool(in, body_errors.wanted);
      case IntField(10):
        return ReadBool(in, value.create_worker_session_called);
      case IntField(11):
        return ReadInt(in, value.request_id.value);
      case BytesField(kAnswerCarriesFor):
        return ReadBytes(in, value.answer_carries_for);
      default:
        return SkipField(in, tag);
    }
  });
}

Message Encode(const service::RunGraphResponse& value, const Status& error) {
  MessageBuilder builder;
  for (const service::KeyedTensor& recv : value.recvs) {
    PutNamedTensor(1, KeyToString(recv.key), recv.tensor, builder);
  }
  if (!value.step_stats.devices.empty()) builder.PutString(2, Serialized(value.step_stats));
  // Present even when empty. Messages merge by concatenation.
  if (value.costs.empty()) {
    builder.PutString(3, value.cost_graph);
  } else {
    builder.PutString(3, value.cost_graph + SerializeCosts(value.costs));
  }
  for (const graph::GraphDef& graph : value.partition_graphs) {
    builder.PutMessage(4, SerializeGraph(graph));
  }
  builder.AddInt(5, static_cast<int>(error.code()));
  builder.AddString(6, ToUtf8(rheo::Message(error)));
  for (const auto& pushed : value.pushed) PutPushed(kPushed, pushed, builder);
  builder.AddBool(kStepIsOver, value.step_is_over);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RunGraphResponse& value, Status& error) {
  value = {};
  int64_t code = 0;
  std::string text;
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  Status status = reader.Read(BadResponse(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return ReadKeyedTensor(reader, "fetch", value.recvs);
      case BytesField(2):
        return ReadStats(reader, value.step_stats);
      case BytesField(3):
        return ReadBytes(in, value.cost_graph);
      case BytesField(4):
        return reader.ReadGraphField(value.partition_graphs.emplace_back());
      case IntField(5):
        return ReadInt(in, code);
      case BytesField(6):
        return ReadBytes(in, text);
      case BytesField(kPushed):
        return ReadPushed(reader, value.pushed);
      case IntField(kStepIsOver):
        return ReadBool(in, value.step_is_over);
      default:
        return SkipField(in, tag);
    }
  });
  error = StatusFromBody(code, text);
  return status;
}

}  // namespace rheo::wire
