// The grammar of node names and of the references to them in a GraphDef.
#ifndef RHEO_GRAPH_NODE_NAMES_H_
#define RHEO_GRAPH_NODE_NAMES_H_

#include <optional>
#include <string_view>

namespace rheo::graph {

// [A-Za-z0-9.][A-Za-z0-9_>./\-]*; a leading '_' too where `allow_internal`.
bool IsLegalNodeName(std::string_view name, bool allow_internal);

struct InputRef {
  std::string_view node;  // a part of the parsed text
  int index = 0;          // kControlSlot for "^node"
};
// "node", "node:k" (k without leading zeros) or "^node"; nullopt for anything else. Nodes that a
// runtime made may be named.
std::optional<InputRef> ParseInputRef(std::string_view text);

}  // namespace rheo::graph

#endif  // RHEO_GRAPH_NODE_NAMES_H_
