// Graphs, attrs and op signatures in protobuf's form.
//
// Nodes and their attrs are read and written without generated messages in between, which takes a
// third of the time and spares large constants a copy; the rarer parts go over generated messages.
#ifndef RHEO_WIRE_GRAPH_CODEC_H_
#define RHEO_WIRE_GRAPH_CODEC_H_

#include <google/protobuf/io/coded_stream.h>

#include <string>

#include "rheo/base/status.h"
#include "rheo/graph/graph_def.h"
#include "rheo/op/attr_value.h"
#include "rheo/op/op_schema.h"
#include "rheo/wire/decode_context.h"
#include "rheo/wire/proto/graph.pb.h"

namespace rheo::wire {

// Reads a GraphDef up to the current limit of `in`. False when the bytes are no such message;
// otherwise `error` says whether the content makes sense: INVALID_ARGUMENT naming node and attr (or
// function). Fields that are not interpreted go to `extra`.
bool ReadGraph(google::protobuf::io::CodedInputStream& in, DecodeContext& context,
               graph::GraphDef& def, Status& error);
std::string SerializeGraph(const graph::GraphDef& def);

// An AttrValue, likewise.
bool ReadAttr(google::protobuf::io::CodedInputStream& in, DecodeContext& context,
              op::AttrValue& value, Status& error);
void AppendAttr(const op::AttrValue& value, std::string& to);

// ---- Over generated messages. …FromProto takes what it can out of the message, which is of no use
// afterwards.

using ProtoAttrs = google::protobuf::Map<std::string, tensorflow::AttrValue>;

// INVALID_ARGUMENT for a tensor, shape or dtype that makes no sense.
StatusOr<op::AttrValue> AttrFromProto(tensorflow::AttrValue& proto, DecodeContext& context);
void AttrToProto(const op::AttrValue& value, tensorflow::AttrValue& proto);
// As AttrFromProto, naming the attr.
Status AttrsFromProto(ProtoAttrs& proto, DecodeContext& context, op::AttrMap& attrs);
void AttrsToProto(const op::AttrMap& attrs, ProtoAttrs& proto);

// Clears what OpSchema holds; documentation and type annotations are left in `proto`.
// INVALID_ARGUMENT for an attr of unknown kind.
Status SchemaFromProto(tensorflow::OpDef& proto, DecodeContext& context, op::OpSchema& schema);
// Merges into `proto`, which may hold what SchemaFromProto left.
void SchemaToProto(const op::OpSchema& schema, tensorflow::OpDef& proto);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_GRAPH_CODEC_H_
