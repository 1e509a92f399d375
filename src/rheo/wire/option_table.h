// What becomes of each field of ConfigProto, RunOptions and CallableOptions. docs/options.md tells
// the same in prose; a test keeps both complete and equal.
#ifndef RHEO_WIRE_OPTION_TABLE_H_
#define RHEO_WIRE_OPTION_TABLE_H_

#include <google/protobuf/message.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rheo::wire {

enum class OptionUse {
  kApplied,
  kServerWide,        // heeded in a server's own configuration, not in a session's
  kRefused,           // set, it is an error
  kNothingToDo,       // what it asks for holds in any case
  kIgnored,           // named in a warning when set
  kIgnoredUnlessOff,  // as kIgnored, but OFF and DISABLED hold in any case
  kParts,             // a message whose fields have rows of their own
};

struct OptionRow {
  std::string_view field;  // "GPUOptions.Experimental.node_id"
  OptionUse use;
};

std::span<const OptionRow> OptionTable();

// "GPUOptions.Experimental.node_id" of a field, as in the table.
std::string OptionName(const google::protobuf::FieldDescriptor& field);

// The paths of the fields that `options` sets and that have no effect on a session or step, such as
// "gpu_options.allow_growth"; in order of field numbers.
std::vector<std::string> OptionsWithoutEffect(const google::protobuf::Message& options);

}  // namespace rheo::wire

#endif  // RHEO_WIRE_OPTION_TABLE_H_
