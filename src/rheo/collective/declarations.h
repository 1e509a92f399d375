// Declarations: whether the members of an instance want the same, as far as they have said.
#ifndef RHEO_COLLECTIVE_DECLARATIONS_H_
#define RHEO_COLLECTIVE_DECLARATIONS_H_

#include <map>
#include <set>
#include <utility>

#include "rheo/base/status.h"
#include "rheo/service/worker_service.h"

namespace rheo::collective {

// Compares what is declared. Once all members have agreed later runs may be of another shape, which
// members that keep the leader's answer do not declare, but not of another type or dtype. Not
// thread-safe.
class Declarations {
 public:
  // INTERNAL when another member declared another type or dtype, INVALID_ARGUMENT for another
  // shape; the instance is then forgotten. A member that declares something new before all have
  // agreed replaces what was said.
  Status Add(int group_size, int rank, const service::CompleteInstanceRequest& request);
  // A collective of the group failed: its instances begin anew.
  void Forget(int32_t group_key);

  // Instances that are kept; the ones beyond are the oldest and are forgotten.
  static constexpr size_t kMaxInstances = 100'000;

 private:
  using Key = std::pair<int32_t, int32_t>;  // of the group and of the instance
  struct Declared {
    int32_t type = 0;
    DType dtype = DType::kInvalid;
    Shape shape;
    std::set<int> ranks;  // of those who said so; all of them: they agree
    uint64_t number = 0;
  };
  static bool SaysSame(const Declared& declared, const service::CompleteInstanceRequest& request);
  void Erase(std::map<Key, Declared>::iterator it);

  std::map<Key, Declared> instances_;
  std::map<uint64_t, Key> by_age_;
  uint64_t last_number_ = 0;
};

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_DECLARATIONS_H_
