// WorkerService but for the messages that carry tensors.
#include "rheo/wire/catalog_codec.h"
#include "rheo/wire/codec.h"
#include "rheo/wire/config_codec.h"
#include "rheo/wire/device_codec.h"
#include "rheo/wire/graph_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/proto_codec.h"

namespace rheo::wire {

Message Encode(const service::GetStatusRequest& value) {
  return EncodeProto<tensorflow::GetStatusRequest>(
      [&](auto& p) { p.set_rheo_known_kernels(value.known_kernels); });
}

Status Decode(Source& source, service::GetStatusRequest& value) {
  return DecodeProto<tensorflow::GetStatusRequest>(source, BadRequest(), [&](auto& p) {
    value.known_kernels = p.rheo_known_kernels();
    return OkStatus();
  });
}

Message Encode(const service::GetStatusResponse& value) {
  return EncodeProto<tensorflow::GetStatusResponse>([&](auto& p) {
    DevicesToProto(value.devices, *p.mutable_device_attributes());
    if (!value.is_rheo) return;
    p.mutable_rheo()->set_kernels_are_known(value.kernels_are_known);
    if (value.kernels) CatalogToProto(*value.kernels, *p.mutable_rheo());
    if (value.cluster) ClusterToProto(*value.cluster, *p.mutable_rheo()->mutable_cluster());
  });
}

Status Decode(Source& source, service::GetStatusResponse& value) {
  return DecodeProto<tensorflow::GetStatusResponse>(source, BadResponse(), [&](auto& p) {
    value.devices = DevicesFromProto(p.device_attributes());
    value.is_rheo = p.has_rheo();
    value.kernels_are_known = p.rheo().kernels_are_known();
    if (p.rheo().has_cluster()) {
      RHEO_ASSIGN_OR_RETURN(service::ClusterSpec cluster, ClusterFromProto(p.rheo().cluster()));
      value.cluster = std::make_shared<const service::ClusterSpec>(std::move(cluster));
    }
    if (!p.rheo().has_kernels()) return OkStatus();
    DecodeContext context{source.variants()};
    RHEO_ASSIGN_OR_RETURN(op::KernelCatalog catalog, CatalogFromProto(*p.mutable_rheo(), context));
    value.kernels = std::make_shared<const op::KernelCatalog>(std::move(catalog));
    return OkStatus();
  });
}

Message Encode(const service::CreateWorkerSessionRequest& value) {
  return EncodeProto<tensorflow::CreateWorkerSessionRequest>([&](auto& p) {
    p.set_session_handle(value.session.value);
    ServerToProto(value.server_def, *p.mutable_server_def());
    p.set_isolate_session_state(value.isolate_session_state);
    DevicesToProto(value.cluster_devices, *p.mutable_cluster_device_attributes());
    p.set_master_task(value.master_task);
    p.set_master_incarnation(value.master_incarnation);
  });
}

Status Decode(Source& source, service::CreateWorkerSessionRequest& value) {
  return DecodeProto<tensorflow::CreateWorkerSessionRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    RHEO_ASSIGN_OR_RETURN(value.server_def, ServerFromProto(p.server_def()));
    value.isolate_session_state = p.isolate_session_state();
    value.cluster_devices = DevicesFromProto(p.cluster_device_attributes());
    value.master_task = p.master_task();
    value.master_incarnation = p.master_incarnation();
    return OkStatus();
  });
}

Message Encode(const service::DeleteWorkerSessionRequest& value) {
  return EncodeProto<tensorflow::DeleteWorkerSessionRequest>(
      [&](auto& p) { p.set_session_handle(value.session.value); });
}

Status Decode(Source& source, service::DeleteWorkerSessionRequest& value) {
  return DecodeProto<tensorflow::DeleteWorkerSessionRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    return OkStatus();
  });
}

// graph_options repeats what config_proto holds, for workers that read only the former.
Message Encode(const service::RegisterGraphRequest& value) {
  tensorflow::ConfigProto config;
  ConfigToProto(value.config, config);
  MessageBuilder builder;
  builder.AddString(1, value.session.value);
  builder.PutMessage(2, SerializeGraph(value.graph));
  builder.PutString(4, config.graph_options().SerializeAsString());
  builder.AddBool(6, value.create_worker_session_called);
  builder.AddInt(7, value.collective_graph_key);
  builder.PutString(8, config.SerializeAsString());
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::RegisterGraphRequest& value) {
  value = {};
  value.create_worker_session_called = false;
  tensorflow::ConfigProto config;
  tensorflow::GraphOptions graph_options;
  MessageReader reader(source);
  CodedInputStream& in = reader.in();
  RHEO_RETURN_IF_ERROR(reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return ReadBytes(in, value.session.value);
      case BytesField(2):
        return reader.ReadGraphField(value.graph);
      case BytesField(4):
        return ReadMessage(in, graph_options);
      case IntField(6):
        return ReadBool(in, value.create_worker_session_called);
      case IntField(7):
        return ReadInt(in, value.collective_graph_key);
      case BytesField(8):
        return ReadMessage(in, config);
      default:
        return SkipField(in, tag);
    }
  }));
  if (graph_options.ByteSizeLong() > 0 && !config.has_graph_options()) {
    *config.mutable_graph_options() = graph_options;
  }
  RHEO_ASSIGN_OR_RETURN(value.config, ConfigFromProto(config));
  return OkStatus();
}

Message Encode(const service::RegisterGraphResponse& value) {
  return EncodeProto<tensorflow::RegisterGraphResponse>(
      [&](auto& p) { p.set_graph_handle(value.graph.value); });
}

Status Decode(Source& source, service::RegisterGraphResponse& value) {
  return DecodeProto<tensorflow::RegisterGraphResponse>(source, BadResponse(), [&](auto& p) {
    value.graph = GraphHandle(p.graph_handle());
    return OkStatus();
  });
}

Message Encode(const service::DeregisterGraphRequest& value) {
  return EncodeProto<tensorflow::DeregisterGraphRequest>([&](auto& p) {
    p.set_session_handle(value.session.value);
    p.set_create_worker_session_called(value.create_worker_session_called);
    p.set_graph_handle(value.graph.value);
  });
}

Status Decode(Source& source, service::DeregisterGraphRequest& value) {
  return DecodeProto<tensorflow::DeregisterGraphRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    value.create_worker_session_called = p.create_worker_session_called();
    value.graph = GraphHandle(p.graph_handle());
    return OkStatus();
  });
}

Message Encode(const service::CleanupGraphRequest& value) {
  return EncodeProto<tensorflow::CleanupGraphRequest>(
      [&](auto& p) { p.set_step_id(value.step.value); });
}

Status Decode(Source& source, service::CleanupGraphRequest& value) {
  return DecodeProto<tensorflow::CleanupGraphRequest>(source, BadRequest(), [&](auto& p) {
    value.step = StepId(p.step_id());
    return OkStatus();
  });
}

Message Encode(const service::CleanupAllRequest& value) {
  return EncodeProto<tensorflow::CleanupAllRequest>([&](auto& p) {
    for (const std::string& container : value.containers) p.add_container(container);
  });
}

Status Decode(Source& source, service::CleanupAllRequest& value) {
  return DecodeProto<tensorflow::CleanupAllRequest>(source, BadRequest(), [&](auto& p) {
    value.containers.assign(p.container().begin(), p.container().end());
    return OkStatus();
  });
}

Message Encode(const service::MarkRecvFinishedRequest& value) {
  return EncodeProto<tensorflow::MarkRecvFinishedRequest>(
      [&](auto& p) { p.set_request_id(value.request_id.value); });
}

Status Decode(Source& source, service::MarkRecvFinishedRequest& value) {
  return DecodeProto<tensorflow::MarkRecvFinishedRequest>(source, BadRequest(), [&](auto& p) {
    value.request_id = RequestId(p.request_id());
    return OkStatus();
  });
}

Message Encode(const service::LoggingRequest& value) {
  return EncodeProto<tensorflow::LoggingRequest>([&](auto& p) {
    p.set_enable_rpc_logging(value.enable_rpc_logging);
    p.set_disable_rpc_logging(value.disable_rpc_logging);
    p.set_clear(value.clear);
    for (const StepId step : value.fetch_steps) p.add_fetch_step_id(step.value);
  });
}

Status Decode(Source& source, service::LoggingRequest& value) {
  return DecodeProto<tensorflow::LoggingRequest>(source, BadRequest(), [&](auto& p) {
    value.enable_rpc_logging = p.enable_rpc_logging();
    value.disable_rpc_logging = p.disable_rpc_logging();
    value.clear = p.clear();
    value.fetch_steps.clear();
    for (const int64_t step : p.fetch_step_id()) value.fetch_steps.emplace_back(step);
    return OkStatus();
  });
}

Message Encode(const service::LoggingResponse& value) {
  return EncodeProto<tensorflow::LoggingResponse>([&](auto& p) {
    for (const auto& [step, stats] : value.steps) {
      auto* const entry = p.add_step();
      entry->set_step_id(step.value);
      StatsToProto(stats, *entry->mutable_step_stats());
    }
  });
}

Status Decode(Source& source, service::LoggingResponse& value) {
  return DecodeProto<tensorflow::LoggingResponse>(source, BadResponse(), [&](auto& p) {
    value.steps.clear();
    for (const auto& entry : p.step()) {
      value.steps.emplace_back(StepId(entry.step_id()), StatsFromProto(entry.step_stats()));
    }
    return OkStatus();
  });
}

}  // namespace rheo::wire
