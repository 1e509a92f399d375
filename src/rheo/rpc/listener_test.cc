#include "rheo/rpc/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "rheo/async/notification.h"

namespace rheo::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Listener> BindOrDie(const std::string& address, bool look_for_tls = false) {
  auto bound = Listener::Bind({.address = address, .look_for_tls = look_for_tls});
  EXPECT_TRUE(bound.ok()) << bound.status();
  return bound.ok() ? *std::move(bound) : nullptr;
}

// A connection to a port of 127.0.0.<last>; no descriptor when it is refused.
FileDescriptor ConnectTo(int port, uint8_t last = 1) {
  FileDescriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(0x7f000000u + last);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

// Keeps the connections that come.
struct Taker {
  Notification came;
  std::optional<Connection> connection;
  auto Function() {
    return [this](Connection c) {
      connection = std::move(c);
      came.Notify();
    };
  }
};

TEST(ListenerTest, BindsToTheAddressAskedForAndNoOther) {
  const auto listener = BindOrDie("127.0.0.1:0");
  EXPECT_THAT(listener->bound(), ElementsAre("127.0.0.1:" + std::to_string(listener->port())));
  EXPECT_GE(ConnectTo(listener->port(), 1).get(), 0);
  EXPECT_LT(ConnectTo(listener->port(), 2).get(), 0);
}

TEST(ListenerTest, AWildcardTakesAllAddresses) {
  const auto listener = BindOrDie("0.0.0.0:0");
  EXPECT_GE(ConnectTo(listener->port(), 2).get(), 0);
}

TEST(ListenerTest, ANameIsBoundOnAllItsAddressesWithOnePort) {
  const auto listener = BindOrDie("localhost:0");
  for (const std::string& bound : listener->bound()) {
    EXPECT_THAT(bound, HasSubstr(":" + std::to_string(listener->port())));
  }
  EXPECT_GE(ConnectTo(listener->port()).get(), 0);
}

TEST(ListenerTest, AnIpv6AddressIsBoundInBrackets) {
  auto listener = Listener::Bind({.address = "[::1]:0"});
  if (!listener.ok()) {
    // This machine has no IPv6: the reason must say so.
    EXPECT_THAT(std::string(Message(listener.status())),
                testing::AnyOf(HasSubstr("family"), HasSubstr("address")));
    return;
  }
  EXPECT_THAT((*listener)->bound(), ElementsAre("[::1]:" + std::to_string((*listener)->port())));
}

TEST(ListenerTest, ATakenPortIsUnavailableWithTheSystemsReason) {
  const auto first = BindOrDie("127.0.0.1:0");
  const auto second = Listener::Bind({.address = "127.0.0.1:" + std::to_string(first->port())});
  EXPECT_EQ(second.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(second.status())), HasSubstr("Address already in use"));
}

TEST(ListenerTest, AnAddressOfAnotherMachineIsAnError) {
  const auto bound = Listener::Bind({.address = "192.0.2.1:0"});
  EXPECT_THAT(std::string(Message(bound.status())), HasSubstr("Cannot assign requested address"));
}

TEST(ListenerTest, HandsOverConnectionsWithTheirPeer) {
  const auto listener = BindOrDie("127.0.0.1:0");
  Taker taker;
  listener->Start(taker.Function());
  const FileDescriptor client = ConnectTo(listener->port());
  taker.came.Wait();
  EXPECT_EQ(taker.connection->peer.ToString(), "127.0.0.1");
  EXPECT_NE(fcntl(taker.connection->socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(ListenerTest, TellsTlsFromPlainByTheFirstByteAndLeavesItThere) {
  for (const bool is_tls : {false, true}) {
    const auto listener = BindOrDie("127.0.0.1:0", /*look_for_tls=*/true);
    Taker taker;
    listener->Start(taker.Function());
    const FileDescriptor silent = ConnectTo(listener->port());
    const FileDescriptor client = ConnectTo(listener->port());
    const char first = is_tls ? '\x16' : 'P';
    ASSERT_EQ(write(client.get(), &first, 1), 1);
    taker.came.Wait();
    EXPECT_EQ(taker.connection->is_tls, is_tls);
    char read_again = 0;
    EXPECT_EQ(read(taker.connection->socket.get(), &read_again, 1), 1);
    EXPECT_EQ(read_again, first);
  }
}

TEST(ListenerTest, ThePortIsFreeOnceClosed) {
  auto first = BindOrDie("127.0.0.1:0");
  first->Start([](Connection) {});
  first->Close();
  EXPECT_NE(BindOrDie("127.0.0.1:" + std::to_string(first->port())), nullptr);
}

TEST(PeerAddressTest, KnowsLoopbackInAllForms) {
  for (const char* text : {"127.0.0.1", "127.3.2.1", "::1", "[::1]", "::ffff:127.0.0.1"}) {
    ASSERT_TRUE(PeerAddress::Parse(text).has_value()) << text;
    EXPECT_TRUE(PeerAddress::Parse(text)->is_loopback()) << text;
  }
  for (const char* text : {"10.0.0.1", "::2", "::", "fe80::1", "128.0.0.1"}) {
    ASSERT_TRUE(PeerAddress::Parse(text).has_value()) << text;
    EXPECT_FALSE(PeerAddress::Parse(text)->is_loopback()) << text;
  }
  EXPECT_FALSE(PeerAddress::Parse("localhost").has_value());
}

TEST(PeerAddressTest, ReadsGrpcsNamesOfPeers) {
  EXPECT_EQ(PeerAddress::FromGrpcPeer("ipv4:10.0.0.7:4711"), PeerAddress::Parse("10.0.0.7"));
  EXPECT_EQ(PeerAddress::FromGrpcPeer("ipv6:%5Bfd00::1%5D:4711"), PeerAddress::Parse("fd00::1"));
  EXPECT_EQ(PeerAddress::FromGrpcPeer("ipv6:[::1]:4711"), PeerAddress::Parse("::1"));
  EXPECT_FALSE(PeerAddress::FromGrpcPeer("unix:/tmp/x").has_value());
  EXPECT_FALSE(PeerAddress::FromGrpcPeer("").has_value());
}

TEST(AddressRangeTest, ContainsWhatSharesItsFirstBits) {
  const auto contains = [](const char* range, const char* address) {
    const auto parsed = AddressRange::Parse(range);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return parsed.ok() && parsed->Contains(*PeerAddress::Parse(address));
  };
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(contains("10.1.16.0/20", "10.1.31.255"));
  EXPECT_FALSE(contains("10.1.16.0/20", "10.1.32.0"));
  EXPECT_TRUE(contains("10.0.0.7", "::ffff:10.0.0.7"));
  EXPECT_FALSE(contains("10.0.0.7", "10.0.0.8"));
  EXPECT_TRUE(contains("fd00::/8", "fd12::1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(contains("0.0.0.0/0", "fd12::1"));
}

TEST(AddressRangeTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "host", "fd00::/129"}) {
    EXPECT_EQ(AddressRange::Parse(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace rheo::rpc
