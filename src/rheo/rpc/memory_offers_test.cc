#include "rheo/rpc/memory_offers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "rheo/rpc/memory_reader.h"
#include "rheo/rpc/method_path.h"
#include "rheo/rpc/test_server.h"

namespace rheo::rpc {
namespace {

using rendezvous::Item;
using service::RecvTensorRequest;
using service::RecvTensorResponse;
using service::WorkerService;

Tensor Large() {
  Tensor tensor(DType::kInt32, Shape{3, 100'000});
  int32_t next = 0;
  for (int32_t& value : tensor.mutable_flat<int32_t>()) value = next++;
  return tensor;
}

class MemoryOffersTest : public ::testing::Test {
 protected:
  wire::MemoryReader Reader() const { return {.host = MemoryHost(), .mark = mark_}; }

  const std::string mark_ = NewMark();
  MemoryOffers offers_;
};

TEST_F(MemoryOffersTest, AnOfferedValueIsReadWholeUntilItIsWithdrawn) {
  const Tensor value = Large();
  const auto offer = offers_.Offer(RequestId(1), Reader(), {.tensor = value});
  ASSERT_TRUE(offer.has_value());
  const StatusOr<Tensor> read = ReadOffered(*offer, mark_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, value);
  EXPECT_FALSE(read->SharesBufferWith(value));
  EXPECT_EQ(offers_.Withdraw(RequestId(1))->tensor, value);
  EXPECT_EQ(ReadOffered(*offer, mark_).status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(offers_.Withdraw(RequestId(1)).has_value());
}

TEST_F(MemoryOffersTest, OnlyLargePlainValuesForThisHostAreOffered) {
  const Item large{.tensor = Large()};
  const auto offer = [&](const wire::MemoryReader& reader, const Item& item) {
    return offers_.Offer(RequestId(1), reader, item).has_value();
  };
  EXPECT_TRUE(offer(Reader(), large));
  EXPECT_FALSE(offer({}, large));
  EXPECT_FALSE(offer({.host = "another", .mark = mark_}, large));
  EXPECT_FALSE(offer({.host = MemoryHost(), .mark = "short"}, large));
  EXPECT_FALSE(offer(Reader(), {.tensor = Tensor::Scalar(1.0f)}));
  EXPECT_FALSE(offer(Reader(), {.is_dead = true}));
  EXPECT_FALSE(offer(Reader(), {.tensor = Tensor(DType::kString, Shape{100'000})}));
}

TEST_F(MemoryOffersTest, AWrongProcessAddressOrMarkIsAnError) {
  const auto offer = offers_.Offer(RequestId(1), Reader(), {.tensor = Large()});
  ASSERT_TRUE(offer.has_value());
  EXPECT_EQ(ReadOffered(*offer, NewMark()).status().code(), StatusCode::kUnavailable);
  wire::MemoryOffer wrong = *offer;
  wrong.address = 8;
  EXPECT_EQ(ReadOffered(wrong, mark_).status().code(), StatusCode::kUnavailable);
  wrong = *offer;
  wrong.process = 0x7fffffff;
  EXPECT_EQ(ReadOffered(wrong, mark_).status().code(), StatusCode::kUnavailable);
  // Far more than there is: refused before anything of the size is allocated.
  wrong = *offer;
  wrong.shape = Shape{int64_t{1} << 40};
  EXPECT_EQ(ReadOffered(wrong, mark_).status().code(), StatusCode::kUnavailable);
}

// Over a real connection, both in this process.
class OfferedRecvTest : public ::testing::Test {
 protected:
  OfferedRecvTest() {
    RecvTensorResponse prepared;
    prepared.item.tensor = value_;
    server_.worker.recv_tensor.AnswerWith(prepared);
  }

  const Tensor value_ = Large();
  TestServer server_;
};

TEST_F(OfferedRecvTest, AnUnreadableOfferIsRedeemedAsBytes) {
  // A receiver of ours, but for the reading.
  wire::MemoryReader reader{.host = MemoryHost(), .mark = NewMark()};
  const RecvTensorRequest request{
      .step = StepId(1), .key = TestKey("e"), .request_id = NewRequestId()};
  const std::string path = std::string(kWorkerPrefixes[0]) + "RecvTensor";
  std::string body;
  ASSERT_TRUE(server_.RawCall(path, wire::Encode(request, reader).Flatten(), &body).ok());
  EXPECT_LT(body.size(), 200u);
  reader = {.redeem = true};
  ASSERT_TRUE(server_.RawCall(path, wire::Encode(request, reader).Flatten(), &body).ok());
  RecvTensorResponse response;
  wire::Source source(body);
  ASSERT_TRUE(wire::Decode(source, response).ok());
  EXPECT_EQ(response.item.tensor, value_);
  EXPECT_EQ(server_.RawCall(path, wire::Encode(request, reader).Flatten(), &body).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(OfferedRecvTest, AReceiverThatTakesBytesGetsBytes) {
  const RecvTensorRequest request{
      .step = StepId(1), .key = TestKey("e"), .request_id = NewRequestId()};
  std::string body;
  ASSERT_TRUE(server_
                  .RawCall(std::string(kWorkerPrefixes[0]) + "RecvTensor",
                           wire::Encode(request).Flatten(), &body)
                  .ok());
  EXPECT_GT(body.size(), value_.num_bytes());
}

TEST_F(OfferedRecvTest, TheStubReadsTheValueAndAsksForAnAck) {
  RecvTensorResponse response;
  const RecvTensorRequest request{
      .step = StepId(1), .key = TestKey("e"), .request_id = NewRequestId()};
  ASSERT_TRUE(
      CallAndWait(*server_.WorkerStub(), &WorkerService::RecvTensor, request, &response).ok());
  EXPECT_EQ(response.item.tensor, value_);
  EXPECT_TRUE(response.require_ack);
}

}  // namespace
}  // namespace rheo::rpc
