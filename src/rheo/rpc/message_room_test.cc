#include "rheo/rpc/message_room.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "rheo/async/notification.h"

namespace rheo::rpc {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr std::chrono::hours kForEver(1);

struct Guest final : RoomGuest {
  explicit Guest(std::optional<int64_t> size = std::nullopt) : declared(size) {}
  std::optional<int64_t> DeclaredBytes() const override {
    ++num_asked;
    return declared;
  }
  void OnRoom() override { is_in.Notify(); }

  std::optional<int64_t> declared;
  mutable int num_asked = 0;
  Notification is_in;
};

void ArriveAndDecode(MessageRoom& room, Guest& guest, int64_t bytes) {
  room.Decoded(room.Arrived(guest, bytes));
}

// Enters and, when in, arrives with what it declares.
bool EnterAndArrive(MessageRoom& room, Guest& guest) {
  if (!room.Enter(guest)) return false;
  ArriveAndDecode(room, guest, *guest.declared);
  return true;
}

TEST(MessageRoomTest, WhatDoesNotFitWaitsUntilOthersHaveLeftInOrder) {
  MessageRoom room(100 * kMiB, kForEver);
  Guest a(60 * kMiB);
  Guest b(60 * kMiB);
  Guest c(5 * kMiB);
  EXPECT_TRUE(EnterAndArrive(room, a));
  EXPECT_FALSE(room.Enter(b));
  EXPECT_FALSE(room.Enter(c)) << "it would fit, but another came first";
  EXPECT_EQ(room.use().num_waiting, 2);
  room.Leave(a);
  EXPECT_TRUE(b.is_in.HasBeenNotified());
  EXPECT_FALSE(c.is_in.HasBeenNotified()) << "so much arrives already";
  ArriveAndDecode(room, b, 60 * kMiB);
  EXPECT_TRUE(c.is_in.HasBeenNotified());
  EXPECT_EQ(room.use().bytes, 65 * kMiB);
  ArriveAndDecode(room, c, 5 * kMiB);
  room.Leave(b);
  room.Leave(b);  // has nothing to give back
  room.Leave(c);
  EXPECT_EQ(room.use().bytes, 0);
}

TEST(MessageRoomTest, OnlyAPartIsForWhatArrivesUnlessTheRoomIsAlmostEmpty) {
  MessageRoom room(800 * kMiB, kForEver);
  std::vector<std::unique_ptr<Guest>> guests;
  Guest first(50 * kMiB);
  EXPECT_TRUE(EnterAndArrive(room, first));  // its size is taken for that of the next
  room.Leave(first);
  const auto enter = [&] {
    guests.push_back(std::make_unique<Guest>(50 * kMiB));
    return room.Enter(*guests.back());
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(enter());
  EXPECT_FALSE(enter()) << "200 MiB are in";
  const int64_t held = room.Arrived(*guests[0], 50 * kMiB);
  room.Leave(*guests[0]);
  EXPECT_TRUE(guests[4]->is_in.HasBeenNotified()) << "less than a quarter is used";
  EXPECT_FALSE(enter());
  room.Decoded(held);
  ArriveAndDecode(room, *guests[1], 50 * kMiB);
  ArriveAndDecode(room, *guests[2], 50 * kMiB);
  EXPECT_FALSE(guests[5]->is_in.HasBeenNotified()) << "100 MiB, an eighth, arrive already";
  ArriveAndDecode(room, *guests[3], 40 * kMiB);
  EXPECT_TRUE(guests[5]->is_in.HasBeenNotified());
  EXPECT_EQ(room.use().bytes, 240 * kMiB);
}

TEST(MessageRoomTest, WhatIsLargerThanTheRoomEntersAlone) {
  MessageRoom room(10 * kMiB, kForEver);
  Guest small(5 * kMiB);
  Guest large(1000 * kMiB);
  EXPECT_TRUE(EnterAndArrive(room, small));
  EXPECT_FALSE(room.Enter(large));
  room.Leave(small);
  EXPECT_TRUE(large.is_in.HasBeenNotified());
  Guest next(5 * kMiB);
  EXPECT_FALSE(room.Enter(next));
  room.Leave(large);
  EXPECT_TRUE(next.is_in.HasBeenNotified());
}

TEST(MessageRoomTest, SmallOnesNeverWaitAndTakeNothing) {
  MessageRoom room(10 * kMiB, kForEver);
  Guest large(10 * kMiB);
  EXPECT_TRUE(EnterAndArrive(room, large));
  Guest waiting(10 * kMiB);
  EXPECT_FALSE(room.Enter(waiting));
  for (int i = 0; i < 1000; ++i) {
    Guest small(kSmallBytes);
    EXPECT_TRUE(EnterAndArrive(room, small));
  }
  EXPECT_EQ(room.use().bytes, 10 * kMiB);
  EXPECT_TRUE(room.Withdraw(waiting));
}

TEST(MessageRoomTest, WithMuchRoomNobodyIsAskedForASize) {
  MessageRoom room(1000 * kMiB, kForEver);
  Guest first(kMiB);
  Guest second(kMiB);
  EXPECT_TRUE(room.Enter(first));
  EXPECT_TRUE(room.Enter(second));
  EXPECT_EQ(first.num_asked + second.num_asked, 0);
}

TEST(MessageRoomTest, UnknownSizesAreTakenForTheLargestOfLate) {
  MessageRoom room(128 * kMiB, kForEver);
  Guest first;
  EXPECT_TRUE(room.Enter(first));
  EXPECT_EQ(room.use().bytes, 2 * kMiB);
  ArriveAndDecode(room, first, 40 * kMiB);
  Guest second;
  EXPECT_TRUE(room.Enter(second));
  EXPECT_EQ(room.use().bytes, 80 * kMiB);
  Guest third;
  EXPECT_FALSE(room.Enter(third));
  ArriveAndDecode(room, second, 1);  // a small one after all
  EXPECT_TRUE(third.is_in.HasBeenNotified());
  room.Leave(first);
  for (int i = 0; i < 1000; ++i) ArriveAndDecode(room, third, 1);
  EXPECT_EQ(room.use().bytes, 0);
  Guest fourth;
  EXPECT_TRUE(room.Enter(fourth));
  EXPECT_EQ(room.use().bytes, 2 * kMiB) << "the large one is forgotten";
}

TEST(MessageRoomTest, OneThatWithdrawsLetsThoseBehindPass) {
  MessageRoom room(10 * kMiB, kForEver);
  Guest in(6 * kMiB);
  EXPECT_TRUE(EnterAndArrive(room, in));
  Guest large(8 * kMiB);
  Guest behind(kMiB);
  EXPECT_FALSE(room.Enter(large));
  EXPECT_FALSE(room.Enter(behind));
  EXPECT_TRUE(room.Withdraw(large));
  EXPECT_TRUE(behind.is_in.HasBeenNotified());
  EXPECT_FALSE(room.Withdraw(large));
  EXPECT_FALSE(room.Withdraw(in));
}

TEST(MessageRoomTest, WhenNobodyLeavesAllGetInAfterAll) {
  MessageRoom room(kMiB, std::chrono::milliseconds(1));
  Guest in(kMiB);
  EXPECT_TRUE(EnterAndArrive(room, in));
  std::vector<std::unique_ptr<Guest>> guests;
  for (int i = 0; i < 10; ++i) {
    guests.push_back(std::make_unique<Guest>(kMiB));
    room.Enter(*guests.back());
  }
  for (const auto& guest : guests) guest->is_in.Wait();
  EXPECT_EQ(room.use().bytes, 11 * kMiB);
}

TEST(MessageRoomTest, SizesInHeaders) {
  EXPECT_EQ(ParseSize("small"), kSmallBytes);
  EXPECT_EQ(ParseSize("123456789012"), 123456789012);
  for (const char* text : {"", "-1", "12x", "99999999999999999999", "Small"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace rheo::rpc
