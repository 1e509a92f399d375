// RendezvousKey: the identity of a value on its way from one node to another within a step.
// Its string form is parsed and printed in wire/ only.
#ifndef RHEO_RENDEZVOUS_RENDEZVOUS_KEY_H_
#define RHEO_RENDEZVOUS_RENDEZVOUS_KEY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rheo/base/ids.h"

namespace rheo::rendezvous {

// The part of a key that is fixed when a graph is registered: one pair of Send and Recv nodes.
struct Channel {
  std::string src_device;  // full names
  Incarnation src_incarnation;
  std::string dst_device;
  std::string edge;  // the nodes' tensor_name

  friend bool operator==(const Channel&, const Channel&) = default;
};

// Cheap to copy: shares the channel. Equal when channel (by value), frame and iteration are.
class RendezvousKey {
 public:
  RendezvousKey() = default;
  explicit RendezvousKey(Channel channel, uint64_t frame = 0, int64_t iteration = 0);

  // The same channel in another frame and iteration of a loop.
  RendezvousKey At(uint64_t frame, int64_t iteration) const;

  const Channel& channel() const { return *channel_; }
  uint64_t frame() const { return frame_; }  // 0 outside loops
  int64_t iteration() const { return iteration_; }
  uint64_t hash() const { return hash_; }

  // For messages: "edge_3_w from /job:ps/…/device:CPU:0 to /job:worker/…".
  std::string Describe() const;

  friend bool operator==(const RendezvousKey& a, const RendezvousKey& b) {
    return a.hash_ == b.hash_ && a.frame_ == b.frame_ && a.iteration_ == b.iteration_ &&
           (a.channel_ == b.channel_ ||
            (a.channel_ != nullptr && b.channel_ != nullptr && *a.channel_ == *b.channel_));
  }
  template <typename H>
  friend H AbslHashValue(H h, const RendezvousKey& key) {
    return H::combine(std::move(h), key.hash_);
  }

 private:
  std::shared_ptr<const Channel> channel_;
  uint64_t channel_hash_ = 0;
  uint64_t frame_ = 0;
  int64_t iteration_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace rheo::rendezvous

#endif  // RHEO_RENDEZVOUS_RENDEZVOUS_KEY_H_
