#include "rheo/rpc/byte_buffer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/rpc/thread_sanitizer.h"

namespace rheo::rpc {
namespace {

// gRPC moves long messages fastest in pieces of one to four megabytes.
constexpr size_t kMaxSliceBytes = size_t{2} << 20;
// Below this a copy is cheaper than an object that owns the bytes.
constexpr size_t kCopyBytes = 512;

// A slice over `bytes` that deletes `owner`, which holds them, when gRPC is done with it.
template <typename Owner>
grpc::Slice SliceOver(std::string_view bytes, Owner* owner) {
  Publish(owner);
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* data) {
        Receive(data);
        delete static_cast<Owner*>(data);
      },
      owner);
}

// Each piece holds the buffer itself: gRPC would join pieces of one owner again.
void AppendBorrowed(const wire::Slice& slice, std::vector<grpc::Slice>& slices) {
  std::string_view rest = slice.bytes();
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, kMaxSliceBytes);
    slices.push_back(SliceOver(piece, new BufferRef(slice.buffer())));
    rest.remove_prefix(piece.size());
  }
}

void AppendSlice(wire::Slice slice, std::vector<grpc::Slice>& slices) {
  const std::string_view bytes = slice.bytes();
  if (bytes.size() <= kCopyBytes) {
    if (!bytes.empty()) slices.emplace_back(bytes.data(), bytes.size());
  } else if (slice.is_borrowed()) {
    AppendBorrowed(slice, slices);
  } else {
    auto* owner = new std::string(slice.TakeOwned());
    slices.push_back(SliceOver(*owner, owner));
  }
}

}  // namespace

grpc::ByteBuffer ToByteBuffer(wire::Message message) {
  std::vector<grpc::Slice> slices;
  slices.reserve(message.slices.size());
  for (wire::Slice& slice : message.slices) AppendSlice(std::move(slice), slices);
  return grpc::ByteBuffer(slices.data(), slices.size());
}

grpc::ByteBuffer WithEndNotice(const grpc::ByteBuffer& bytes, absl::AnyInvocable<void()> on_gone) {
  struct LastSlice {
    grpc::Slice slice;
    absl::AnyInvocable<void()> on_gone;
    ~LastSlice() { on_gone(); }
  };
  std::vector<grpc::Slice> slices;
  if (!bytes.Dump(&slices).ok() || slices.empty()) {
    on_gone();
    return bytes;
  }
  auto* last = new LastSlice{std::move(slices.back()), std::move(on_gone)};
  const std::string_view view(reinterpret_cast<const char*>(last->slice.begin()),
                              last->slice.size());
  slices.back() = SliceOver(view, last);
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace rheo::rpc
