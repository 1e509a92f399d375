// ResourceManager: the state that outlives a step (variables, queues, tables, …) of one device, by
// container, class and name.
#ifndef RHEO_KERNEL_RESOURCE_MANAGER_H_
#define RHEO_KERNEL_RESOURCE_MANAGER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rheo/base/ids.h"
#include "rheo/base/mutex.h"
#include "rheo/base/status.h"
#include "rheo/base/string_map.h"

namespace rheo::kernel {

// An op of a running step that waits for something of a resource, for lists of blocked steps.
struct BlockedOp {
  StepId step;
  std::string node;
  std::string waits_for;  // "1 element of FIFOQueue 'q'"
  std::chrono::steady_clock::time_point since;
};

// Base of everything that a ResourceManager holds. Owned by shared_ptr: a step that uses a resource
// keeps it alive although its container is cleared meanwhile.
class Resource {
 public:
  virtual ~Resource() = default;
  // For messages and lists: "variable w float[3,4]".
  virtual std::string Describe() const = 0;
  // The ops that wait for it now; only queues and their like ever have any.
  virtual std::vector<BlockedOp> Blocked() const { return {}; }
};

// Thread-safe. Names are those of the ops' container and shared_name attrs; "" as container means
// the default one.
class ResourceManager {
 public:
  explicit ResourceManager(std::string default_container)
      : default_container_(std::move(default_container)) {}

  const std::string& default_container() const { return default_container_; }

  // NOT_FOUND "Resource <container>/<name>/<type> does not exist." INVALID_ARGUMENT when the name
  // holds a resource of another class and `T` may not share it.
  template <typename T>
  StatusOr<std::shared_ptr<T>> Lookup(std::string_view container, std::string_view name) const {
    RHEO_ASSIGN_OR_RETURN(std::shared_ptr<Resource> found,
                          LookupAny(container, std::type_index(typeid(T)), T::kTypeName, name));
    return std::static_pointer_cast<T>(std::move(found));
  }

  // The existing resource, or the one that `make` gives, atomically. `make` runs under the
  // manager's lock and must not call it.
  template <typename T>
  StatusOr<std::shared_ptr<T>> LookupOrCreate(
      std::string_view container, std::string_view name,
      const std::function<StatusOr<std::shared_ptr<T>>()>& make) {
    RHEO_ASSIGN_OR_RETURN(std::shared_ptr<Resource> found,
                          LookupOrCreateAny(container, std::type_index(typeid(T)), name,
                                            [&make]() -> StatusOr<std::shared_ptr<Resource>> {
                                              RHEO_ASSIGN_OR_RETURN(std::shared_ptr<T> made,
                                                                    make());
                                              return made;
                                            }));
    return std::static_pointer_cast<T>(std::move(found));
  }

  // ALREADY_EXISTS when the name is taken.
  template <typename T>
  Status Create(std::string_view container, std::string_view name, std::shared_ptr<T> resource) {
    return CreateAny(container, std::type_index(typeid(T)), name, std::move(resource));
  }

  // NOT_FOUND as Lookup.
  template <typename T>
  Status Delete(std::string_view container, std::string_view name) {
    return DeleteAny(container, std::type_index(typeid(T)), T::kTypeName, name);
  }

  // Deletes whatever class the name has; NOT_FOUND when there is none.
  Status DeleteByName(std::string_view container, std::string_view name);

  // Forgets all resources of the container; it need not exist.
  void Clear(std::string_view container);
  void ClearAll();

  size_t size() const;

  // Whoever waits for any of the resources, in no order.
  std::vector<BlockedOp> Blocked() const;

 private:
  struct Key {
    std::type_index type;
    std::string name;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.type.hash_code(), k.name);
    }
  };
  using Container = absl::flat_hash_map<Key, std::shared_ptr<Resource>>;

  StatusOr<std::shared_ptr<Resource>> LookupAny(std::string_view container, std::type_index type,
                                                std::string_view type_name,
                                                std::string_view name) const;
  StatusOr<std::shared_ptr<Resource>> LookupOrCreateAny(
      std::string_view container, std::type_index type, std::string_view name,
      const std::function<StatusOr<std::shared_ptr<Resource>>()>& make);
  Status CreateAny(std::string_view container, std::type_index type, std::string_view name,
                   std::shared_ptr<Resource> resource);
  Status DeleteAny(std::string_view container, std::type_index type, std::string_view type_name,
                   std::string_view name);
  std::string ContainerName(std::string_view container) const {
    return container.empty() ? default_container_ : std::string(container);
  }

  const std::string default_container_;
  mutable Mutex mutex_;
  StringMap<Container> containers_ RHEO_GUARDED_BY(mutex_);
};

}  // namespace rheo::kernel

#endif  // RHEO_KERNEL_RESOURCE_MANAGER_H_
