// The two hashes whose values travel between tasks (frame ids of loops, StringToHashBucket).
// For tables inside the process use absl's containers.
#ifndef RHEO_BASE_HASH_H_
#define RHEO_BASE_HASH_H_

#include <cstdint>
#include <string_view>

namespace rheo {

// The MurmurHash64A variant of TensorFlow's Hash64; `seed` defaults to the one used on the wire.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0xDECAFCAFFE);

// Order-dependent combination of two hashes, as TensorFlow's Hash64Combine.
constexpr uint64_t Hash64Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800ULL + (a << 10) + (a >> 4));
}

}  // namespace rheo

#endif  // RHEO_BASE_HASH_H_
