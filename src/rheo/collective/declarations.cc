#include "rheo/collective/declarations.h"

#include <limits>

namespace rheo::collective {

using service::CompleteInstanceRequest;

namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();

Status OtherType(const CompleteInstanceRequest& request, int32_t type, DType dtype) {
  return Internal(
      "Collective instance {} expected type {} and data_type {} but got type {} and "
      "data_type {}",
      request.instance_key, type, DTypeName(dtype), request.type, DTypeName(request.dtype));
}

Status OtherShape(const CompleteInstanceRequest& request, const Shape& shape) {
  return InvalidArgument(
      "Shape mismatch in the collective instance {}. Op at device {} expected shape {} but another "
      "member in the group expected shape {}",
      request.instance_key, request.device, request.shape.ToString(), shape.ToString());
}

}  // namespace

bool Declarations::SaysSame(const Declared& declared, const CompleteInstanceRequest& request) {
  return declared.type == request.type && declared.dtype == request.dtype &&
         declared.shape == request.shape;
}

Status Declarations::Add(int group_size, int rank, const CompleteInstanceRequest& request) {
  const Key key(request.group_key, request.instance_key);
  auto it = instances_.find(key);
  if (it != instances_.end() && !SaysSame(it->second, request)) {
    const Declared& other = it->second;
    const bool is_agreed = static_cast<int>(other.ranks.size()) == group_size;
    const bool is_other_shape = other.type == request.type && other.dtype == request.dtype;
    if (is_agreed && is_other_shape) return OkStatus();
    const bool is_renewed = !is_agreed && other.ranks.contains(rank);
    Status status = is_other_shape ? OtherShape(request, other.shape)
                                   : OtherType(request, other.type, other.dtype);
    Erase(it);
    if (!is_renewed) return status;
    it = instances_.end();
  }
  if (it == instances_.end()) {
    it = instances_.emplace(key, Declared{request.type, request.dtype, request.shape}).first;
    it->second.number = ++last_number_;
    by_age_.emplace(last_number_, key);
  }
  it->second.ranks.insert(rank);
  if (instances_.size() > kMaxInstances) Erase(instances_.find(by_age_.begin()->second));
  return OkStatus();
}

void Declarations::Forget(int32_t group_key) {
  auto it = instances_.lower_bound({group_key, kLeast});
  while (it != instances_.end() && it->first.first == group_key) Erase(it++);
}

void Declarations::Erase(std::map<Key, Declared>::iterator it) {
  by_age_.erase(it->second.number);
  instances_.erase(it);
}

}  // namespace rheo::collective
