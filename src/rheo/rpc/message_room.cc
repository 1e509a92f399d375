#include "rheo/rpc/message_room.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "rheo/base/log.h"

namespace rheo::rpc {
namespace {

// A request of unknown size takes so much of the room, or kMostAtFirst if that is less.
constexpr int64_t kShare = 64;
constexpr int64_t kMostAtFirst = 16 << 20;
// While no more than a sixteenth is used nobody is asked for the size.
constexpr int64_t kUnaskedShare = 16;
// While more than a quarter is used requests arrive in an eighth only.
constexpr int64_t kRoomyShare = 4;
constexpr int64_t kArrivingShare = 8;
// Large requests are forgotten over so many small ones.
constexpr int kForgetting = 64;
constexpr auto kSqueezeEvery = std::chrono::seconds(1);
constexpr auto kLogEvery = std::chrono::minutes(1);

}  // namespace

std::optional<int64_t> ParseSize(std::string_view text) {
  if (text == kSmallSize) return kSmallBytes;
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < 0) return std::nullopt;
  return size;
}

MessageRoom::MessageRoom(int64_t limit, std::chrono::milliseconds patience)
    : limit_(limit),
      patience_(patience),
      least_estimate_(std::clamp<int64_t>(limit / kShare, 1, kMostAtFirst)),
      estimate_(least_estimate_),
      last_moved_(Clock::now()) {}

void MessageRoom::Learn(int64_t bytes) {
  const int64_t before = Estimate();
  const int64_t now = std::max(bytes, before - before / kForgetting);
  estimate_.store(std::clamp(now, least_estimate_, limit_), std::memory_order_relaxed);
}

bool MessageRoom::TryEnter(int64_t bytes) {
  const int64_t most_arriving = limit_ / kArrivingShare;
  int64_t used = used_.load();
  do {
    // What arrives may be more than that by what enters at the same moment.
    const int64_t arriving = arriving_.load();
    const bool has_little_beside = used + bytes <= limit_ / kRoomyShare;
    const bool fits = used + bytes <= limit_ - most_arriving &&
                      (arriving == 0 || arriving + bytes <= most_arriving);
    if (used != 0 && !has_little_beside && !fits) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes));
  arriving_.fetch_add(bytes);
  return true;
}

bool MessageRoom::Enter(RoomGuest& guest) {
  int64_t wanted = Estimate();
  const bool is_empty = num_waiting_.load() == 0 && used_.load() + wanted <= limit_ / kUnaskedShare;
  if (!is_empty) {
    wanted = guest.DeclaredBytes().value_or(wanted);
    if (wanted <= kSmallBytes) return true;
  }
  guest.bytes_ = wanted;
  guest.arriving_ = wanted;
  if (is_empty && TryEnter(wanted)) return true;
  Guests entering;
  {
    MutexLock lock(mutex_);
    guest.place_ = line_.insert(line_.end(), &guest);
    num_waiting_.fetch_add(1);
    entering = TakeFromLine(/*at_least=*/0);
    if (!line_.empty()) WatchLine();
  }
  const bool is_in = std::erase(entering, &guest) > 0;
  for (RoomGuest* other : entering) other->OnRoom();
  return is_in;
}

int64_t MessageRoom::Arrived(RoomGuest& guest, int64_t bytes) {
  Learn(bytes);
  if (bytes <= kSmallBytes) bytes = 0;
  const int64_t taken = std::exchange(guest.bytes_, bytes);
  const int64_t expected = std::exchange(guest.arriving_, 0);
  Change(bytes - taken, bytes - expected);
  return bytes;
}

void MessageRoom::Decoded(int64_t bytes) { Change(0, -bytes); }

void MessageRoom::Leave(RoomGuest& guest) {
  Change(-std::exchange(guest.bytes_, 0), -std::exchange(guest.arriving_, 0));
}

void MessageRoom::Change(int64_t bytes, int64_t arriving) {
  if (bytes != 0) used_.fetch_add(bytes);
  if (arriving != 0) arriving_.fetch_add(arriving);
  if ((bytes == 0 && arriving == 0) || num_waiting_.load() == 0) return;
  Guests entering;
  {
    MutexLock lock(mutex_);
    last_moved_ = Clock::now();
    num_squeezed_in_ = 1;
    entering = TakeFromLine(/*at_least=*/0);
  }
  for (RoomGuest* guest : entering) guest->OnRoom();
}

bool MessageRoom::Withdraw(RoomGuest& guest) {
  Guests entering;
  {
    MutexLock lock(mutex_);
    if (!guest.place_) return false;
    line_.erase(*guest.place_);
    guest.place_.reset();
    guest.bytes_ = 0;
    guest.arriving_ = 0;
    num_waiting_.fetch_sub(1);
    entering = TakeFromLine(/*at_least=*/0);  // those behind may be smaller
  }
  for (RoomGuest* other : entering) other->OnRoom();
  return true;
}

MessageRoom::Guests MessageRoom::TakeFromLine(size_t at_least) {
  Guests entering;
  while (!line_.empty()) {
    RoomGuest& first = *line_.front();
    if (!TryEnter(first.bytes_)) {
      if (entering.size() >= at_least) break;
      used_.fetch_add(first.bytes_);
      arriving_.fetch_add(first.bytes_);
    }
    line_.pop_front();
    num_waiting_.fetch_sub(1);
    first.place_.reset();
    entering.push_back(&first);
  }
  return entering;
}

void MessageRoom::WatchLine() {
  if (is_watched_) return;
  is_watched_ = true;
  const Clock::time_point now = Clock::now();
  last_moved_ = now;
  if (now - last_logged_ > kLogEvery) {
    last_logged_ = now;
    RHEO_LOG(Warning,
             "calls wait to be read: requests of {} bytes are in flight, the limit is {} "
             "(--max_bytes_in_flight)",
             used_.load(), limit_);
  }
  timers_.Add(now + patience_, [this] { LookAtLine(); });
}

void MessageRoom::LookAtLine() {
  Guests entering;
  {
    MutexLock lock(mutex_);
    is_watched_ = false;
    if (line_.empty()) return;
    is_watched_ = true;
    const Clock::time_point now = Clock::now();
    Clock::time_point next_look = last_moved_ + patience_;
    if (next_look <= now) {
      entering = TakeFromLine(num_squeezed_in_);
      num_squeezed_in_ = std::min(2 * num_squeezed_in_, line_.size() + 1);
      next_look = now + std::min<Clock::duration>(kSqueezeEvery, patience_);
    }
    timers_.Add(next_look, [this] { LookAtLine(); });
  }
  if (!entering.empty()) {
    RHEO_LOG(Warning,
             "no call has ended for a while; {} that waited are read beyond the limit of bytes in "
             "flight, since those that hold the room may wait for them",
             entering.size());
  }
  for (RoomGuest* guest : entering) guest->OnRoom();
}

}  // namespace rheo::rpc
