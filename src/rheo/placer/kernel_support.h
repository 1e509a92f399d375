// KernelSupport: on which kinds of device the kernels of a node exist. A kind is one device type of
// tasks that share a kernel catalog. Answers are numbered sets, so that groups intersect cheaply.
#ifndef RHEO_PLACER_KERNEL_SUPPORT_H_
#define RHEO_PLACER_KERNEL_SUPPORT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/string_map.h"
#include "rheo/device/device_name.h"
#include "rheo/graph/graph.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/placer/placer.h"

namespace rheo::placer {

// The number of a set of kinds.
using SupportId = int;

class KernelSupport {
 public:
  // `request` outlives this; its devices are named by their index.
  explicit KernelSupport(const Request& request);

  // The kinds that have a kernel for the node. All of them for calls of functions, and for an op
  // without any kernel that asks for a task other than the master's, which may know better.
  SupportId ForNode(const graph::Node& node, const device::DeviceName& requested,
                    bool is_function_call);

  // Kinds in both. Priorities of kernels count while both sides rank the kinds alike or one side
  // has no opinion.
  SupportId Intersect(SupportId a, SupportId b);

  bool empty(SupportId set) const;
  bool Includes(SupportId set, size_t device) const;
  // Of the kernel on that device; precondition: Includes().
  int Priority(SupportId set, size_t device) const;
  // "CPU, GPU", without repetition.
  std::string Types(SupportId set) const;
  // The set without the kinds of other types.
  SupportId OnlyType(SupportId set, std::string_view type);

  // What kernels the master's task has for the op, for messages.
  std::string Describe(std::string_view op) const;

 private:
  struct Kind {
    const op::KernelCatalog* catalog = nullptr;
    std::string type;
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  static constexpr int kUnsupported = -1'000'000;
  using Set = std::vector<int>;  // priority by kind, or kUnsupported

  SupportId Intern(const Set& set);
  const Set& Get(SupportId id) const { return *sets_[static_cast<size_t>(id)]; }
  size_t AddKind(Kind kind);
  // Remembers which attrs decide about kernels of each op.
  void IndexAttrs(const op::KernelCatalog& catalog);
  // Equal for nodes that the same kernels fit; false when there are no kernels of the op.
  std::string Signature(const graph::Node& node) const;
  Set Lookup(const graph::Node& node) const;

  device::DeviceName master_;
  const op::KernelCatalog* master_catalog_ = nullptr;
  std::vector<Kind> kinds_;
  std::vector<size_t> kind_of_device_;
  StringMap<std::vector<std::string>> deciding_attrs_;  // by op
  std::map<Set, SupportId> ids_;
  std::vector<const Set*> sets_;  // keys of ids_
  StringMap<SupportId> by_signature_;
  absl::flat_hash_map<std::pair<SupportId, SupportId>, SupportId> intersections_;
};

}  // namespace rheo::placer

#endif  // RHEO_PLACER_KERNEL_SUPPORT_H_
