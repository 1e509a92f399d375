#include "rheo/tensor/buffer.h"

#include <new>

namespace rheo {
namespace {

// Header and data in one block of the allocator: small tensors cost one allocation.
constexpr size_t kHeaderBytes = kTensorAlignment;

class AllocatedBuffer final : public Buffer {
 public:
  AllocatedBuffer(Allocator& allocator, void* data, size_t num_bytes)
      : Buffer(data, num_bytes), allocator_(allocator) {}

 private:
  ~AllocatedBuffer() override = default;
  void Destroy() const override {
    Allocator& allocator = allocator_;
    const size_t block_bytes = kHeaderBytes + num_bytes();
    auto* const self = const_cast<AllocatedBuffer*>(this);
    self->~AllocatedBuffer();
    allocator.Deallocate(self, block_bytes);
  }

  Allocator& allocator_;
};
static_assert(sizeof(AllocatedBuffer) <= kHeaderBytes);

// For memory that the host cannot write a header into.
class DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(Allocator& allocator, void* data, size_t num_bytes)
      : Buffer(data, num_bytes), allocator_(allocator) {}

 private:
  ~DeviceBuffer() override {
    if (data() != nullptr) allocator_.Deallocate(data(), num_bytes());
  }
  void Destroy() const override { delete this; }

  Allocator& allocator_;
};

BufferRef AllocateDeviceBuffer(Allocator& allocator, size_t num_bytes) {
  void* const data = num_bytes == 0 ? nullptr : allocator.Allocate(num_bytes);
  if (data == nullptr && num_bytes > 0) return BufferRef();
  return BufferRef(new DeviceBuffer(allocator, data, num_bytes));
}

}  // namespace

BufferRef AllocateBuffer(Allocator& allocator, size_t num_bytes) {
  if (!allocator.is_host_memory()) return AllocateDeviceBuffer(allocator, num_bytes);
  if (num_bytes > SIZE_MAX - kHeaderBytes) return BufferRef();
  void* const block = allocator.Allocate(kHeaderBytes + num_bytes);
  if (block == nullptr) return BufferRef();
  return BufferRef(
      new (block) AllocatedBuffer(allocator, static_cast<char*>(block) + kHeaderBytes, num_bytes));
}

}  // namespace rheo
