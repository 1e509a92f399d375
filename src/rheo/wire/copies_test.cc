// That tensors pass through the codecs without copies: counts what is allocated.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "rheo/base/sanitizers.h"
#include "rheo/wire/codec.h"

namespace {
std::atomic<int64_t> g_allocated{0};
}  // namespace

#ifdef RHEO_THREAD_SANITIZER  // which has operators of its own
#include <sanitizer/allocator_interface.h>

namespace {
void Count(const volatile void*, size_t num_bytes) {
  g_allocated.fetch_add(static_cast<int64_t>(num_bytes), std::memory_order_relaxed);
}
void CountNothing(const volatile void*) {}
[[maybe_unused]] const int g_hooks = __sanitizer_install_malloc_and_free_hooks(Count, CountNothing);
}  // namespace
#else
// Not inlined: the compiler would take malloc and free for a mismatch.
[[gnu::noinline]] void* operator new(size_t num_bytes, const std::nothrow_t&) noexcept {
  g_allocated.fetch_add(static_cast<int64_t>(num_bytes), std::memory_order_relaxed);
  return std::malloc(num_bytes == 0 ? 1 : num_bytes);
}
[[gnu::noinline]] void* operator new(size_t num_bytes) {
  void* const block = operator new(num_bytes, std::nothrow);
  if (block == nullptr) std::abort();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, const std::nothrow_t&) noexcept {
  std::free(block);
}
#endif

namespace rheo::wire {
namespace {

constexpr int64_t kBig = int64_t{64} << 20;
constexpr int64_t kLittle = int64_t{1} << 20;

// Bytes allocated since it was made, on the heap and for tensors.
class Allocations {
 public:
  int64_t heap() const { return g_allocated.load() - heap_; }
  int64_t tensors() const { return HostAllocator().stats().bytes_allocated - tensors_; }

 private:
  const int64_t heap_ = g_allocated.load();
  const int64_t tensors_ = HostAllocator().stats().bytes_allocated;
};

Tensor BigTensor() {
  Tensor tensor(DType::kUint8, Shape{kBig});
  tensor.mutable_flat<uint8_t>()[kBig - 1] = 77;
  return tensor;
}

rendezvous::RendezvousKey Key() {
  return rendezvous::RendezvousKey({"/job:ps/replica:0/task:0/device:CPU:0", Incarnation(5),
                                    "/job:worker/replica:0/task:1/device:CPU:0", "edge_1_w"});
}

// Encodes without copying, decodes with one copy into the tensor.
template <typename T, typename Get, typename... Extra>
void ExpectNoCopies(const T& value, Get tensor_of, Extra&... extra) {
  const Allocations encoding;
  const Message message = Encode(value, extra...);
  EXPECT_LT(encoding.heap(), kLittle);
  EXPECT_EQ(encoding.tensors(), 0);
  EXPECT_GT(message.size(), static_cast<size_t>(kBig));

  const std::string bytes = message.Flatten();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()),
                                                1 << 16);
  Source source(&stream, static_cast<int64_t>(bytes.size()));
  T decoded;
  const Allocations decoding;
  const Status status = Decode(source, decoded, extra...);
  EXPECT_LT(decoding.heap(), kLittle);
  EXPECT_LT(decoding.tensors(), kBig + kLittle);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(tensor_of(decoded), tensor_of(value));
}

TEST(CopiesTest, RecvTensorResponse) {
  service::RecvTensorResponse value;
  value.item.tensor = BigTensor();
  ExpectNoCopies(value, [](const auto& v) { return v.item.tensor; });
}

TEST(CopiesTest, PushTensorsRequest) {
  service::PushTensorsRequest value;
  value.tensors.push_back({StepId(1), Key(), {BigTensor(), false}});
  ExpectNoCopies(value, [](const auto& v) { return v.tensors[0].item.tensor; });
}

TEST(CopiesTest, RunStepRequest) {
  service::RunStepRequest value;
  value.feeds.push_back({"x:0", BigTensor()});
  BodyErrors errors;
  ExpectNoCopies(
      value, [](const auto& v) { return v.feeds[0].tensor; }, errors);
}

TEST(CopiesTest, RunStepResponse) {
  service::RunStepResponse value;
  value.tensors.push_back({"y:0", BigTensor()});
  Status error;
  ExpectNoCopies(
      value, [](const auto& v) { return v.tensors[0].tensor; }, error);
}

TEST(CopiesTest, RunGraphRequest) {
  service::RunGraphRequest value;
  value.sends.push_back({Key(), BigTensor()});
  BodyErrors errors;
  ExpectNoCopies(
      value, [](const auto& v) { return v.sends[0].tensor; }, errors);
}

TEST(CopiesTest, RunGraphResponse) {
  service::RunGraphResponse value;
  value.recvs.push_back({Key(), BigTensor()});
  Status error;
  ExpectNoCopies(
      value, [](const auto& v) { return v.recvs[0].tensor; }, error);
}

TEST(CopiesTest, RunCallable) {
  service::RunCallableRequest request;
  request.feeds.push_back(BigTensor());
  ExpectNoCopies(request, [](const auto& v) { return v.feeds[0]; });
  service::RunCallableResponse response;
  response.fetches.push_back(BigTensor());
  ExpectNoCopies(response, [](const auto& v) { return v.fetches[0]; });
}

// A length that claims more than there is must not be believed.
TEST(CopiesTest, ClaimedSizesAllocateNothing) {
  // tensor { dtype 4, shape [2^30], content of 2^30 bytes } of which four are there.
  std::string tensor("\x08\x04\x12\x08\x12\x06\x08\x80\x80\x80\x80\x04\x22\x80\x80\x80\x80\x04",
                     18);
  tensor += "1234";
  std::string bytes("\x0a", 1);
  bytes += static_cast<char>(tensor.size());
  bytes += tensor;
  const Allocations decoding;
  Source source(bytes);
  service::RecvTensorResponse response;
  EXPECT_EQ(Decode(source, response), Internal("could not parse rpc response"));
  EXPECT_LT(decoding.heap(), kLittle);
  EXPECT_EQ(decoding.tensors(), 0);
}

}  // namespace
}  // namespace rheo::wire
