#include "rheo/rpc/byte_buffer.h"

#include <gtest/gtest.h>

#include <vector>

#include "rheo/tensor/tensor.h"

namespace rheo::rpc {
namespace {

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string all;
  for (const grpc::Slice& s : slices)
    all.append(reinterpret_cast<const char*>(s.begin()), s.size());
  return all;
}

wire::Slice Borrowed(const Tensor& t) {
  return wire::Slice(t.buffer(), std::string_view(t.bytes().data(), t.bytes().size()));
}

TEST(ByteBufferTest, KeepsTheBytesOfOwnedAndBorrowedSlicesInOrder) {
  const Tensor t = Tensor::Vector(std::vector<float>(1000, 1.5f));
  wire::Message message;
  message.slices.emplace_back("head");
  message.slices.push_back(Borrowed(t));
  message.slices.emplace_back(std::string(5000, 'x'));
  const std::string expected = message.Flatten();
  EXPECT_EQ(Bytes(ToByteBuffer(std::move(message))), expected);
}

TEST(ByteBufferTest, BorrowedBytesAreNotCopied) {
  const Tensor t = Tensor::Vector(std::vector<float>(1 << 20));  // 4 MB: two pieces
  wire::Message message;
  message.slices.push_back(Borrowed(t));
  const grpc::ByteBuffer buffer = ToByteBuffer(std::move(message));
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(buffer.Dump(&slices).ok());
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(static_cast<const void*>(slices[0].begin()), t.data());
  EXPECT_EQ(slices[1].begin(), slices[0].end());
}

TEST(ByteBufferTest, HoldsTheTensorsBufferUntilItIsGone) {
  const Tensor t = Tensor::Vector(std::vector<float>(1000));
  {
    wire::Message message;
    message.slices.push_back(Borrowed(t));
    const grpc::ByteBuffer buffer = ToByteBuffer(std::move(message));
    EXPECT_FALSE(t.buffer()->HasOneRef());
  }
  EXPECT_TRUE(t.buffer()->HasOneRef());
}

TEST(ByteBufferTest, ANoticeComesWhenTheBytesAreGone) {
  wire::Message message;
  message.slices.emplace_back(std::string(5000, 'x'));
  message.slices.emplace_back(std::string(5000, 'y'));
  const std::string expected = message.Flatten();
  int notices = 0;
  {
    grpc::ByteBuffer outer;
    {
      const grpc::ByteBuffer bytes =
          WithEndNotice(ToByteBuffer(std::move(message)), [&] { ++notices; });
      EXPECT_EQ(Bytes(bytes), expected);
      outer = bytes;
    }
    EXPECT_EQ(notices, 0);
  }
  EXPECT_EQ(notices, 1);
}

TEST(ByteBufferTest, AnEmptyMessageIsAMessage) {
  grpc::ByteBuffer buffer = ToByteBuffer({});
  EXPECT_TRUE(buffer.Valid());
  ByteSource source(buffer);
  const void* data = nullptr;
  int size = 0;
  EXPECT_EQ(source.source().num_bytes(), 0);
  EXPECT_FALSE(source.source().stream()->Next(&data, &size));
}

}  // namespace
}  // namespace rheo::rpc
