// Philox: a counter-based generator of random 32-bit words (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), of ten rounds over four words.
#ifndef RHEO_OPS_RANDOM_PHILOX_H_
#define RHEO_OPS_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

namespace rheo::ops {

class Philox {
 public:
  using Key = std::array<uint32_t, 2>;
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  // The counter is a number of 128 bits, its lowest word first.
  Philox(Key key, Block counter) : key_(key), counter_(counter) {}
  // Key and counter as 64-bit halves.
  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : key_{Low(key), High(key)},
        counter_{Low(counter_low), High(counter_low), Low(counter_high), High(counter_high)} {}

  static constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  // The block of the present counter, which then moves on by one.
  Block Next() {
    const Block block = Rounds();
    Skip(1);
    return block;
  }

  // Leaves out `blocks` blocks.
  void Skip(uint64_t blocks) {
    unsigned __int128 counter = 0;
    for (size_t i = 4; i-- > 0;) counter = counter << 32 | counter_[i];
    counter += blocks;
    for (uint32_t& word : counter_) {
      word = static_cast<uint32_t>(counter);
      counter >>= 32;
    }
  }
  Philox Skipped(uint64_t blocks) const {
    Philox other = *this;
    other.Skip(blocks);
    return other;
  }

 private:
  Block Rounds() const {
    Block c = counter_;
    Key k = key_;
    for (int round = 0; round < 10; ++round) {
      const uint64_t p = uint64_t{0xD2511F53} * c[0];
      const uint64_t q = uint64_t{0xCD9E8D57} * c[2];
      c = {High(q) ^ c[1] ^ k[0], Low(q), High(p) ^ c[3] ^ k[1], Low(p)};
      k[0] += 0x9E3779B9;
      k[1] += 0xBB67AE85;
    }
    return c;
  }

  Key key_{};
  Block counter_{};
};

// The words of the blocks, one after the other.
class PhiloxWords {
 public:
  explicit PhiloxWords(Philox philox) : philox_(philox) {}
  uint32_t Next() {
    if (used_ == 4) {
      block_ = philox_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox philox_;
  Philox::Block block_{};
  size_t used_ = 4;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_RANDOM_PHILOX_H_
