// The algorithms: each runs one member's part over an Exchange.
#ifndef RHEO_COLLECTIVE_ALGORITHMS_H_
#define RHEO_COLLECTIVE_ALGORITHMS_H_

#include <cstring>
#include <memory>
#include <string>

#include "rheo/collective/exchange.h"

namespace rheo::collective {

// All take the run's group from `exchange`, give it the result, and fail it when they cannot.
// `rank` is this member's; `instance` the first part of all keys,
// "<group>:<instance>:<frame>:<iteration>".

// Ring all-reduce (Patarasuk and Yuan 2009): the value is cut into as many pieces as there are
// members; a piece goes round once and is merged, and once more to tell the sum. Each member sends
// and receives 2 (n - 1) / n of the value, whatever n is.
void ReduceInRings(std::shared_ptr<Exchange> exchange, int rank, const std::string& instance);

// Down a binary tree of tasks, and in each task down one of its members: the value crosses at most
// log2 of both numbers of links, and each member sends it at most twice in a tree.
void BroadcastInTrees(std::shared_ptr<Exchange> exchange, int rank, int source_rank,
                      const std::string& instance);

// Once round a ring: each member sends its own value and those that come to it. A member sends and
// receives n - 1 values; the result has them in the order of ranks.
void GatherInRing(std::shared_ptr<Exchange> exchange, int rank, const std::string& instance);

// In place of both where a member has no elements, and so nothing to exchange: it hears from each
// other member that it has none either. TensorFlow's members do not tell: with one in the group
// this one is done at once.
void MeetWithoutElements(std::shared_ptr<Exchange> exchange, int rank, const std::string& instance);

// Of plain data. RESOURCE_EXHAUSTED when there is no memory for it.
inline StatusOr<Tensor> CopyOf(const Tensor& piece) {
  RHEO_ASSIGN_OR_RETURN(Tensor copy, Tensor::Create(HostAllocator(), piece.dtype(), piece.shape()));
  if (piece.num_bytes() > 0) std::memcpy(copy.mutable_data(), piece.data(), piece.num_bytes());
  return copy;
}

}  // namespace rheo::collective

#endif  // RHEO_COLLECTIVE_ALGORITHMS_H_
