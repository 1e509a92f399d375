#include "rheo/rpc/byte_buffer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rheo::rpc {
namespace {

// gRPC moves long messages fastest in pieces of one to four megabytes.
constexpr size_t kMaxSliceBytes = size_t{2} << 20;
// Below this a copy is cheaper than an object that owns the bytes.
constexpr size_t kCopyBytes = 512;

// A slice over `bytes` that deletes `owner`, which holds them, when gRPC is done with it.
template <typename Owner>
grpc::Slice SliceOver(std::string_view bytes, Owner* owner) {
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* data) { delete static_cast<Owner*>(data); }, owner);
}

grpc::Slice ToSlice(wire::Slice slice) {
  const std::string_view bytes = slice.bytes();
  if (bytes.size() <= kCopyBytes) return grpc::Slice(bytes.data(), bytes.size());
  if (slice.is_borrowed()) return SliceOver(bytes, new BufferRef(slice.buffer()));
  auto* owner = new std::string(slice.TakeOwned());
  return SliceOver(*owner, owner);
}

void AppendPieces(const grpc::Slice& slice, std::vector<grpc::Slice>& pieces) {
  for (size_t begin = 0; begin < slice.size(); begin += kMaxSliceBytes) {
    pieces.push_back(slice.sub(begin, std::min(slice.size(), begin + kMaxSliceBytes)));
  }
}

}  // namespace

grpc::ByteBuffer ToByteBuffer(wire::Message message) {
  std::vector<grpc::Slice> slices;
  slices.reserve(message.slices.size());
  for (wire::Slice& piece : message.slices) {
    if (piece.bytes().empty()) continue;
    grpc::Slice slice = ToSlice(std::move(piece));
    if (slice.size() > kMaxSliceBytes) {
      AppendPieces(slice, slices);
    } else {
      slices.push_back(std::move(slice));
    }
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace rheo::rpc
