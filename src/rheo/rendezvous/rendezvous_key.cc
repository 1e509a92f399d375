#include "rheo/rendezvous/rendezvous_key.h"

#include <fmt/format.h>

#include "rheo/base/hash.h"

namespace rheo::rendezvous {
namespace {

uint64_t HashOf(const Channel& channel) {
  uint64_t h = Hash64(channel.edge);
  h = Hash64Combine(h, Hash64(channel.src_device));
  h = Hash64Combine(h, Hash64(channel.dst_device));
  return Hash64Combine(h, channel.src_incarnation.value);
}

// 0:0, by far the most common, leaves the channel's hash as it is.
uint64_t WithFrame(uint64_t channel_hash, uint64_t frame, int64_t iteration) {
  if (frame == 0 && iteration == 0) return channel_hash;
  return Hash64Combine(channel_hash, Hash64Combine(frame, static_cast<uint64_t>(iteration)));
}

}  // namespace

RendezvousKey::RendezvousKey(Channel channel, uint64_t frame, int64_t iteration)
    : channel_(std::make_shared<const Channel>(std::move(channel))),
      channel_hash_(HashOf(*channel_)),
      frame_(frame),
      iteration_(iteration),
      hash_(WithFrame(channel_hash_, frame, iteration)) {}

RendezvousKey RendezvousKey::At(uint64_t frame, int64_t iteration) const {
  RendezvousKey key = *this;
  key.frame_ = frame;
  key.iteration_ = iteration;
  key.hash_ = WithFrame(channel_hash_, frame, iteration);
  return key;
}

std::string RendezvousKey::Describe() const {
  if (channel_ == nullptr) return "no key";
  return fmt::format("{} from {} to {}", channel_->edge, channel_->src_device,
                     channel_->dst_device);
}

}  // namespace rheo::rendezvous
