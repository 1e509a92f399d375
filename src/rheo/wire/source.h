// Source: the bytes of one serialized message, wherever they lie.
#ifndef RHEO_WIRE_SOURCE_H_
#define RHEO_WIRE_SOURCE_H_

#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <optional>
#include <string_view>

#include "rheo/wire/variant_decoders.h"

namespace rheo::wire {

// A stream with the number of bytes that it gives: sizes inside a message are believed only as far
// as there are bytes. Read once, by one thread; neither stream nor bytes nor decoders are owned.
class Source {
 public:
  Source(google::protobuf::io::ZeroCopyInputStream* stream, int64_t num_bytes,
         const VariantDecoders* variants = nullptr)
      : stream_(stream), num_bytes_(num_bytes), variants_(variants) {}
  explicit Source(std::string_view bytes, const VariantDecoders* variants = nullptr)
      : array_(std::in_place, bytes.data(), static_cast<int>(bytes.size())),
        stream_(&*array_),
        num_bytes_(static_cast<int64_t>(bytes.size())),
        variants_(variants) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  google::protobuf::io::ZeroCopyInputStream* stream() const { return stream_; }
  int64_t num_bytes() const { return num_bytes_; }
  // Null: every variant becomes an OpaqueVariant.
  const VariantDecoders* variants() const { return variants_; }

 private:
  std::optional<google::protobuf::io::ArrayInputStream> array_;
  google::protobuf::io::ZeroCopyInputStream* const stream_;
  const int64_t num_bytes_;
  const VariantDecoders* const variants_;
};

}  // namespace rheo::wire

#endif  // RHEO_WIRE_SOURCE_H_
