// Buffer: reference-counted memory behind one or more tensors.
#ifndef RHEO_TENSOR_BUFFER_H_
#define RHEO_TENSOR_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <utility>

#include "rheo/tensor/allocator.h"

namespace rheo {

// Created with one reference. Immutable once shared, except by the owner of a variable's lock.
class Buffer {
 public:
  Buffer(void* data, size_t num_bytes) : data_(data), num_bytes_(num_bytes) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  size_t num_bytes() const { return num_bytes_; }

  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    // The last reference needs no atomic decrement: nobody else can see the buffer.
    if (refs_.load(std::memory_order_acquire) == 1 ||
        refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Destroy();
    }
  }
  bool HasOneRef() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  virtual ~Buffer() = default;
  // Releases the memory and the object itself.
  virtual void Destroy() const = 0;

 private:
  mutable std::atomic<int> refs_{1};
  void* const data_;
  const size_t num_bytes_;
};

// Owns one reference, or none.
class BufferRef {
 public:
  BufferRef() = default;
  // Takes over the reference that `buffer` was created with.
  explicit BufferRef(const Buffer* buffer) : buffer_(buffer) {}
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  const Buffer* get() const { return buffer_; }
  const Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  const Buffer* buffer_ = nullptr;
};

// `num_bytes` uninitialised bytes of `allocator`; null when it has none left. num_bytes == 0 gives
// a buffer without memory.
BufferRef AllocateBuffer(Allocator& allocator, size_t num_bytes);

}  // namespace rheo

#endif  // RHEO_TENSOR_BUFFER_H_
