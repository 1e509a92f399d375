// Candidates: the devices a group may lie on, best first (semantics.md 7.4).
#ifndef RHEO_PLACER_CANDIDATES_H_
#define RHEO_PLACER_CANDIDATES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/status.h"
#include "rheo/base/string_map.h"
#include "rheo/graph/graph.h"
#include "rheo/placer/groups.h"
#include "rheo/placer/kernel_support.h"
#include "rheo/placer/placer.h"
#include "rheo/placer/spec_table.h"

namespace rheo::placer {

class Candidates {
 public:
  // Indices of Request::devices.
  using List = std::vector<size_t>;

  // All arguments outlive this.
  Candidates(const Request& request, SpecTable& specs, KernelSupport& support);

  // Never empty. Ordered by the kernel's priority, the device's type (GPU before CPU), the master's
  // own task first, name. INVALID_ARGUMENT with the texts of semantics.md 7.4 when there are none;
  // `groups` describes the group of `node` in them.
  StatusOr<const List*> ForNode(const graph::Node& node, Groups& groups);

  bool Includes(const List& list, std::string_view device) const;

  // Whether a device of that full name is among the session's.
  bool Exists(std::string_view device) const { return index_.contains(device); }

 private:
  using Key = std::pair<SpecId, SupportId>;
  // Devices that match the specification and have the kernels; asked for once per pair.
  const List& Supported(SpecId spec, SupportId support);
  const List& Best(const Group& group);
  bool Before(SupportId support, size_t a, size_t b) const;
  bool AnyMatches(const device::DeviceName& spec) const;
  std::string AllNames() const;
  Status None(const graph::Node& node, const Group& group, std::string_view description);

  const Request& request_;
  SpecTable& specs_;
  KernelSupport& support_;
  std::vector<device::DeviceName> names_;  // of Request::devices
  std::vector<bool> is_master_;
  StringViewMap<size_t> index_;
  absl::flat_hash_map<Key, std::unique_ptr<List>> lists_;
};

}  // namespace rheo::placer

#endif  // RHEO_PLACER_CANDIDATES_H_
