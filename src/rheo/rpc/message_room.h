// MessageRoom: lets a server read large requests only while there is room for them.
//
// A call that is not read yet holds next to nothing: its bytes stay with the sender, whom HTTP/2's
// flow control holds back. So calls that may be large enter the room before they are read, and
// leave it when they are answered; those that do not fit wait in the order in which they came.
//
// The bytes as they arrive and the tensors that are made of them lie in different pools of free
// memory, neither of which goes back to the system. So that the pools together stay within the
// limit, only a part of the room is for requests that arrive, once it is not almost empty.
//
// How large a request is shows only once it is read, unless its sender tells: Rheo's clients do, in
// kSizeHeader. For the others room is taken for the largest that came lately. Small requests take
// none: they never wait when they are known to be small. A request larger than the whole room
// enters when the room is empty.
//
// What holds the room may itself wait for a call outside (an enqueue of a large tensor for a
// dequeue). So when nobody has left for kPatience, some enter though there is no room for them:
// one, then two, then four …, until somebody leaves.
#ifndef RHEO_RPC_MESSAGE_ROOM_H_
#define RHEO_RPC_MESSAGE_ROOM_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <string_view>
#include <vector>

#include "rheo/async/timer.h"
#include "rheo/base/mutex.h"

namespace rheo::rpc {

// The request's size in bytes, as a decimal number, or kSmallSize.
inline constexpr char kSizeHeader[] = "rheo-size";
inline constexpr char kSmallSize[] = "small";
// Up to so many bytes a request is small.
inline constexpr int64_t kSmallBytes = 64 << 10;

// "small" is kSmallBytes; nullopt when the text is neither that nor a number.
std::optional<int64_t> ParseSize(std::string_view text);

// A call, as the room sees it.
class RoomGuest {
 public:
  // What the sender says of the request's size. Asked in Enter, only when there is little room.
  virtual std::optional<int64_t> DeclaredBytes() const = 0;
  // The guest is in after all; on any thread.
  virtual void OnRoom() = 0;

 protected:
  ~RoomGuest() = default;

 private:
  friend class MessageRoom;
  // Room that it has taken, or, while it waits, that it wants. The room's while it waits, else the
  // guest's.
  int64_t bytes_ = 0;
  int64_t arriving_ = 0;                                  // of them, for bytes that still come
  std::optional<std::list<RoomGuest*>::iterator> place_;  // in the line; the room's
};

// Thread-safe. Guests live until they have left.
class MessageRoom {
 public:
  static constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(5);

  // Precondition: limit > 0, bytes.
  explicit MessageRoom(int64_t limit, std::chrono::milliseconds patience = kPatience);

  // True: the guest is in, so that its request may be read. False: it waits, until OnRoom is called
  // or Withdraw gives true.
  bool Enter(RoomGuest& guest);
  // The request was read; it has so many bytes. They count as arriving until Decoded is called with
  // the result, once, even if the guest has left by then; 0: it need not be.
  [[nodiscard]] int64_t Arrived(RoomGuest& guest, int64_t bytes);
  void Decoded(int64_t bytes);
  // The guest, if it is in, gives back what it has.
  void Leave(RoomGuest& guest);
  // True when the guest was waiting: it does so no longer, and is not in.
  bool Withdraw(RoomGuest& guest);

  struct Use {
    int64_t bytes = 0;
    int num_waiting = 0;
  };
  Use use() const { return {used_.load(std::memory_order_relaxed), num_waiting_.load()}; }

 private:
  using Clock = std::chrono::steady_clock;
  using Guests = std::vector<RoomGuest*>;

  // How much a request of unknown size takes.
  int64_t Estimate() const { return estimate_.load(std::memory_order_relaxed); }
  void Learn(int64_t bytes);
  // Takes room for a request that is to arrive if there is any.
  bool TryEnter(int64_t bytes);
  void Change(int64_t bytes, int64_t arriving);
  // Moves those who fit out of the line, or at least `at_least` of them.
  Guests TakeFromLine(size_t at_least) RHEO_REQUIRES(mutex_);
  void WatchLine() RHEO_REQUIRES(mutex_);
  void LookAtLine();

  const int64_t limit_;
  const std::chrono::milliseconds patience_;
  const int64_t least_estimate_;
  // Relaxed: it is a guess.
  std::atomic<int64_t> estimate_;
  // Sequentially consistent with num_waiting_: whoever gives back sees those who wait, or they see
  // what was given back.
  std::atomic<int64_t> used_{0};
  std::atomic<int64_t> arriving_{0};
  std::atomic<int> num_waiting_{0};  // the size of line_

  Mutex mutex_;
  std::list<RoomGuest*> line_ RHEO_GUARDED_BY(mutex_);
  // When a request last arrived or left while others waited.
  Clock::time_point last_moved_ RHEO_GUARDED_BY(mutex_);
  Clock::time_point last_logged_ RHEO_GUARDED_BY(mutex_);
  size_t num_squeezed_in_ RHEO_GUARDED_BY(mutex_) = 1;
  bool is_watched_ RHEO_GUARDED_BY(mutex_) = false;
  TimerQueue timers_;  // goes first
};

}  // namespace rheo::rpc

#endif  // RHEO_RPC_MESSAGE_ROOM_H_
