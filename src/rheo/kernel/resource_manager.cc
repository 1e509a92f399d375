#include "rheo/kernel/resource_manager.h"

#include <iterator>
#include <utility>

namespace rheo::kernel {

StatusOr<std::shared_ptr<Resource>> ResourceManager::LookupAny(std::string_view container,
                                                               std::type_index type,
                                                               std::string_view type_name,
                                                               std::string_view name) const {
  const std::string container_name = ContainerName(container);
  MutexLock lock(mutex_);
  const auto it = containers_.find(container_name);
  if (it == containers_.end()) {
    return NotFound("Container {} does not exist. (Could not find resource: {}/{})", container_name,
                    container_name, name);
  }
  const auto found = it->second.find(Key{type, std::string(name)});
  if (found == it->second.end()) {
    return NotFound("Resource {}/{}/{} does not exist.", container_name, name, type_name);
  }
  return found->second;
}

StatusOr<std::shared_ptr<Resource>> ResourceManager::LookupOrCreateAny(
    std::string_view container, std::type_index type, std::string_view name,
    const std::function<StatusOr<std::shared_ptr<Resource>>()>& make) {
  MutexLock lock(mutex_);
  Container& resources = containers_[ContainerName(container)];
  const auto found = resources.find(Key{type, std::string(name)});
  if (found != resources.end()) return found->second;
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<Resource> made, make());
  resources.emplace(Key{type, std::string(name)}, made);
  return made;
}

Status ResourceManager::CreateAny(std::string_view container, std::type_index type,
                                  std::string_view name, std::shared_ptr<Resource> resource) {
  MutexLock lock(mutex_);
  const std::string container_name = ContainerName(container);
  const bool added =
      containers_[container_name].emplace(Key{type, std::string(name)}, std::move(resource)).second;
  if (!added) return AlreadyExists("Resource {}/{} already exists.", container_name, name);
  return OkStatus();
}

Status ResourceManager::DeleteAny(std::string_view container, std::type_index type,
                                  std::string_view type_name, std::string_view name) {
  const std::string container_name = ContainerName(container);
  std::shared_ptr<Resource> removed;  // destroyed after the lock is released
  MutexLock lock(mutex_);
  const auto it = containers_.find(container_name);
  if (it != containers_.end()) {
    const auto found = it->second.find(Key{type, std::string(name)});
    if (found != it->second.end()) {
      removed = std::move(found->second);
      it->second.erase(found);
      lock.Unlock();
      return OkStatus();
    }
  }
  return NotFound("Resource {}/{}/{} does not exist.", container_name, name, type_name);
}

Status ResourceManager::DeleteByName(std::string_view container, std::string_view name) {
  const std::string container_name = ContainerName(container);
  std::vector<std::shared_ptr<Resource>> removed;
  {
    MutexLock lock(mutex_);
    const auto it = containers_.find(container_name);
    if (it != containers_.end()) {
      for (auto entry = it->second.begin(); entry != it->second.end();) {
        if (entry->first.name == name) {
          removed.push_back(std::move(entry->second));
          it->second.erase(entry++);
        } else {
          ++entry;
        }
      }
    }
  }
  if (removed.empty()) {
    return NotFound("Resource {}/{} does not exist.", container_name, name);
  }
  return OkStatus();
}

void ResourceManager::Clear(std::string_view container) {
  Container removed;  // destroyed after the lock is released
  MutexLock lock(mutex_);
  const auto it = containers_.find(ContainerName(container));
  if (it == containers_.end()) return;
  removed = std::move(it->second);
  containers_.erase(it);
  lock.Unlock();
}

void ResourceManager::ClearAll() {
  StringMap<Container> removed;
  MutexLock lock(mutex_);
  removed = std::move(containers_);
  containers_.clear();
  lock.Unlock();
}

size_t ResourceManager::size() const {
  MutexLock lock(mutex_);
  size_t n = 0;
  for (const auto& [name, container] : containers_) n += container.size();
  return n;
}

std::vector<BlockedOp> ResourceManager::Blocked() const {
  std::vector<std::shared_ptr<Resource>> resources;  // asked after the lock is released
  {
    MutexLock lock(mutex_);
    for (const auto& [name, container] : containers_) {
      for (const auto& [key, resource] : container) resources.push_back(resource);
    }
  }
  std::vector<BlockedOp> all;
  for (const std::shared_ptr<Resource>& resource : resources) {
    std::vector<BlockedOp> blocked = resource->Blocked();
    std::move(blocked.begin(), blocked.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace rheo::kernel
