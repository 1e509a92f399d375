// What both ends of a connection are set to.
#ifndef RHEO_RPC_LINK_LIMITS_H_
#define RHEO_RPC_LINK_LIMITS_H_

namespace rheo::rpc {

// Headers hold status texts and payloads; the default of 8 KiB is tight.
inline constexpr int kMaxMetadataBytes = 64 << 10;
// A peer that has not answered a ping for so long is gone.
inline constexpr int kPingTimeoutMs = 10'000;

}  // namespace rheo::rpc

#endif  // RHEO_RPC_LINK_LIMITS_H_
