// Configurations, clusters, options and statistics in protobuf's form.
#ifndef RHEO_WIRE_CONFIG_CODEC_H_
#define RHEO_WIRE_CONFIG_CODEC_H_

#include <google/protobuf/io/coded_stream.h>

#include <string>

#include "rheo/base/status.h"
#include "rheo/service/cluster_spec.h"
#include "rheo/service/master_service.h"
#include "rheo/service/session_config.h"
#include "rheo/trace/step_stats.h"
#include "rheo/wire/decode_context.h"
#include "rheo/wire/proto/config.pb.h"

namespace rheo::wire {

// INVALID_ARGUMENT for a cluster that makes no sense.
StatusOr<service::SessionConfig> ConfigFromProto(const tensorflow::ConfigProto& proto);
// What `raw` holds, with those fields changed that say something else in the struct.
void ConfigToProto(const service::SessionConfig& config, tensorflow::ConfigProto& proto);

// INVALID_ARGUMENT as ClusterSpec::AddJob.
StatusOr<service::ClusterSpec> ClusterFromProto(const tensorflow::ClusterDef& proto);
void ClusterToProto(const service::ClusterSpec& cluster, tensorflow::ClusterDef& proto);

StatusOr<service::ServerDef> ServerFromProto(const tensorflow::ServerDef& proto);
void ServerToProto(const service::ServerDef& def, tensorflow::ServerDef& proto);

service::RunOptions RunOptionsFromProto(const tensorflow::RunOptions& proto);
// As ConfigToProto.
void RunOptionsToProto(const service::RunOptions& options, tensorflow::RunOptions& proto);

service::CallableOptions CallableFromProto(const tensorflow::CallableOptions& proto);
void CallableToProto(const service::CallableOptions& options, tensorflow::CallableOptions& proto);

trace::StepStats StatsFromProto(const tensorflow::StepStats& proto);
void StatsToProto(const trace::StepStats& stats, tensorflow::StepStats& proto);

// A serialized CostGraphDef.
std::string SerializeCosts(const trace::CostGraph& costs);

// A RunMetadata; as ReadGraph (graph_codec.h).
bool ReadMetadata(google::protobuf::io::CodedInputStream& in, DecodeContext& context,
                  service::RunMetadata& metadata, Status& error);
std::string SerializeMetadata(const service::RunMetadata& metadata);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_CONFIG_CODEC_H_
