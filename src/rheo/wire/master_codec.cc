// MasterService but for the messages that carry tensors.
#include "rheo/wire/codec.h"
#include "rheo/wire/config_codec.h"
#include "rheo/wire/device_codec.h"
#include "rheo/wire/graph_codec.h"
#include "rheo/wire/message_builder.h"
#include "rheo/wire/message_reader.h"
#include "rheo/wire/proto/service.pb.h"
#include "rheo/wire/proto_codec.h"

namespace rheo::wire {
namespace {

using google::protobuf::RepeatedPtrField;

void AddAll(const std::vector<std::string>& from, RepeatedPtrField<std::string>& to) {
  for (const std::string& s : from) *to.Add() = s;
}

void TakeAll(const RepeatedPtrField<std::string>& from, std::vector<std::string>& to) {
  to.assign(from.begin(), from.end());
}

}  // namespace

Message Encode(const service::CreateSessionRequest& value) {
  tensorflow::ConfigProto config;
  ConfigToProto(value.config, config);
  MessageBuilder builder;
  builder.PutMessage(1, SerializeGraph(value.graph));
  builder.PutString(2, config.SerializeAsString());
  builder.AddString(3, value.target);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::CreateSessionRequest& value) {
  value = {};
  tensorflow::ConfigProto config;
  MessageReader reader(source);
  RHEO_RETURN_IF_ERROR(reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return reader.ReadGraphField(value.graph);
      case BytesField(2):
        return ReadMessage(reader.in(), config);
      case BytesField(3):
        return ReadBytes(reader.in(), value.target);
      default:
        return SkipField(reader.in(), tag);
    }
  }));
  RHEO_ASSIGN_OR_RETURN(value.config, ConfigFromProto(config));
  return OkStatus();
}

Message Encode(const service::CreateSessionResponse& value) {
  return EncodeProto<tensorflow::CreateSessionResponse>([&](auto& p) {
    p.set_session_handle(value.session.value);
    p.set_graph_version(value.graph_version);
    p.set_rheo(value.is_rheo);
  });
}

Status Decode(Source& source, service::CreateSessionResponse& value) {
  return DecodeProto<tensorflow::CreateSessionResponse>(source, BadResponse(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    value.graph_version = p.graph_version();
    value.is_rheo = p.rheo();
    return OkStatus();
  });
}

Message Encode(const service::ExtendSessionRequest& value) {
  MessageBuilder builder;
  builder.AddString(1, value.session.value);
  builder.PutMessage(2, SerializeGraph(value.graph));
  builder.AddInt(3, value.current_graph_version);
  return std::move(builder).Finish();
}

Status Decode(Source& source, service::ExtendSessionRequest& value) {
  value = {};
  MessageReader reader(source);
  return reader.Read(BadRequest(), [&](uint32_t tag) {
    switch (tag) {
      case BytesField(1):
        return ReadBytes(reader.in(), value.session.value);
      case BytesField(2):
        return reader.ReadGraphField(value.graph);
      case IntField(3):
        return ReadInt(reader.in(), value.current_graph_version);
      default:
        return SkipField(reader.in(), tag);
    }
  });
}

Message Encode(const service::ExtendSessionResponse& value) {
  return EncodeProto<tensorflow::ExtendSessionResponse>(
      [&](auto& p) { p.set_new_graph_version(value.new_graph_version); });
}

Status Decode(Source& source, service::ExtendSessionResponse& value) {
  return DecodeProto<tensorflow::ExtendSessionResponse>(source, BadResponse(), [&](auto& p) {
    value.new_graph_version = p.new_graph_version();
    return OkStatus();
  });
}

Message Encode(const service::PartialRunSetupRequest& value) {
  return EncodeProto<tensorflow::PartialRunSetupRequest>([&](auto& p) {
    p.set_session_handle(value.session.value);
    AddAll(value.feeds, *p.mutable_feed());
    AddAll(value.fetches, *p.mutable_fetch());
    AddAll(value.targets, *p.mutable_target());
    p.set_request_id(value.request_id.value);
  });
}

Status Decode(Source& source, service::PartialRunSetupRequest& value) {
  return DecodeProto<tensorflow::PartialRunSetupRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    TakeAll(p.feed(), value.feeds);
    TakeAll(p.fetch(), value.fetches);
    TakeAll(p.target(), value.targets);
    value.request_id = RequestId(p.request_id());
    return OkStatus();
  });
}

Message Encode(const service::PartialRunSetupResponse& value) {
  return EncodeProto<tensorflow::PartialRunSetupResponse>(
      [&](auto& p) { p.set_partial_run_handle(value.partial_run_handle); });
}

Status Decode(Source& source, service::PartialRunSetupResponse& value) {
  return DecodeProto<tensorflow::PartialRunSetupResponse>(source, BadResponse(), [&](auto& p) {
    value.partial_run_handle = p.partial_run_handle();
    return OkStatus();
  });
}

Message Encode(const service::CloseSessionRequest& value) {
  return EncodeProto<tensorflow::CloseSessionRequest>(
      [&](auto& p) { p.set_session_handle(value.session.value); });
}

Status Decode(Source& source, service::CloseSessionRequest& value) {
  return DecodeProto<tensorflow::CloseSessionRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    return OkStatus();
  });
}

Message Encode(const service::ListDevicesRequest& value) {
  return EncodeProto<tensorflow::ListDevicesRequest>(
      [&](auto& p) { p.set_session_handle(value.session.value); });
}

Status Decode(Source& source, service::ListDevicesRequest& value) {
  return DecodeProto<tensorflow::ListDevicesRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    return OkStatus();
  });
}

Message Encode(const service::ListDevicesResponse& value) {
  return EncodeProto<tensorflow::ListDevicesResponse>([&](auto& p) {
    DevicesToProto(value.local_devices, *p.mutable_local_device());
    DevicesToProto(value.remote_devices, *p.mutable_remote_device());
  });
}

Status Decode(Source& source, service::ListDevicesResponse& value) {
  return DecodeProto<tensorflow::ListDevicesResponse>(source, BadResponse(), [&](auto& p) {
    value.local_devices = DevicesFromProto(p.local_device());
    value.remote_devices = DevicesFromProto(p.remote_device());
    return OkStatus();
  });
}

Message Encode(const service::ResetRequest& value) {
  return EncodeProto<tensorflow::ResetRequest>([&](auto& p) {
    AddAll(value.containers, *p.mutable_container());
    AddAll(value.device_filters, *p.mutable_device_filters());
  });
}

Status Decode(Source& source, service::ResetRequest& value) {
  return DecodeProto<tensorflow::ResetRequest>(source, BadRequest(), [&](auto& p) {
    TakeAll(p.container(), value.containers);
    TakeAll(p.device_filters(), value.device_filters);
    return OkStatus();
  });
}

Message Encode(const service::MakeCallableRequest& value) {
  return EncodeProto<tensorflow::MakeCallableRequest>([&](auto& p) {
    p.set_session_handle(value.session.value);
    CallableToProto(value.options, *p.mutable_options());
    p.set_request_id(value.request_id.value);
  });
}

Status Decode(Source& source, service::MakeCallableRequest& value) {
  return DecodeProto<tensorflow::MakeCallableRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    value.options = CallableFromProto(p.options());
    value.request_id = RequestId(p.request_id());
    return OkStatus();
  });
}

Message Encode(const service::MakeCallableResponse& value) {
  return EncodeProto<tensorflow::MakeCallableResponse>(
      [&](auto& p) { p.set_handle(value.handle); });
}

Status Decode(Source& source, service::MakeCallableResponse& value) {
  return DecodeProto<tensorflow::MakeCallableResponse>(source, BadResponse(), [&](auto& p) {
    value.handle = p.handle();
    return OkStatus();
  });
}

Message Encode(const service::ReleaseCallableRequest& value) {
  return EncodeProto<tensorflow::ReleaseCallableRequest>([&](auto& p) {
    p.set_session_handle(value.session.value);
    p.set_handle(value.handle);
  });
}

Status Decode(Source& source, service::ReleaseCallableRequest& value) {
  return DecodeProto<tensorflow::ReleaseCallableRequest>(source, BadRequest(), [&](auto& p) {
    value.session = SessionHandle(p.session_handle());
    value.handle = p.handle();
    return OkStatus();
  });
}

}  // namespace rheo::wire
