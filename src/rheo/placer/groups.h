// Groups: which nodes must share a device, and what the members together ask for. A union-find by
// rank with path halving, so building it is near-linear in nodes and edges.
#ifndef RHEO_PLACER_GROUPS_H_
#define RHEO_PLACER_GROUPS_H_

#include <string>
#include <vector>

#include "rheo/base/status.h"
#include "rheo/graph/graph.h"
#include "rheo/placer/kernel_support.h"
#include "rheo/placer/placer.h"
#include "rheo/placer/spec_table.h"

namespace rheo::placer {

// What a group asks for. `requested` is always at least as narrow as the two others.
struct Group {
  SpecId assigned = kAnyDevice;         // of members that have a device already
  SpecId resource = kAnyDevice;         // asked for by members that make a resource or a reference
  SpecId requested = kAnyDevice;        // of all members together
  SupportId support = 0;                // kinds of device that can run every member
  const graph::Node* binder = nullptr;  // the first member whose request counts
};

class Groups {
 public:
  // All arguments outlive this.
  Groups(const Request& request, const graph::Graph& graph, SpecTable& specs,
         KernelSupport& support);

  // Joins nodes by references and resources, datasets and `_class`. INVALID_ARGUMENT with the texts
  // of semantics.md 7.2 and 7.3.
  Status Build();

  // Any node of a group finds it; the number tells groups apart.
  int Find(const graph::Node& node) { return Root(node.id()); }
  Group& Get(int group) { return groups_[static_cast<size_t>(group)]; }
  // The whole group stays on the device of a member. INTERNAL when that contradicts another member.
  Status Fix(const graph::Node& node, std::string_view device);

  // Members with what they ask for and the device types they support, for messages.
  std::string Describe(int group);

 private:
  int Root(int id);
  Status AddNode(const graph::Node& node);
  Status JoinEdges();
  Status JoinOverEdge(const graph::Node& src, const graph::Node& dst);
  Status JoinClasses();
  Status JoinClass(const graph::Node& node, std::string_view label);
  Status Join(const graph::Node& x, const graph::Node& y);
  // `into` with what `other` asks for; unchanged on error.
  Status MergeRequests(Group& into, const Group& other);
  void Link(int winner, int loser);
  Status NoKernel(const graph::Node& node, const device::DeviceName& requested) const;

  const Request& request_;
  const graph::Graph& graph_;
  SpecTable& specs_;
  KernelSupport& support_;
  std::vector<int> parents_;  // by node id, as all below; -1: no such node
  std::vector<int> ranks_;
  std::vector<int> next_;      // members of a group form a ring
  std::vector<Group> groups_;  // valid at roots
  StringViewMap<const graph::Node*> class_roots_;
};

}  // namespace rheo::placer

#endif  // RHEO_PLACER_GROUPS_H_
