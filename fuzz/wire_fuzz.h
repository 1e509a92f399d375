// What the fuzzers of the wire share. Each tries its input as every message of its family, so that
// the recorded messages of tests/golden/wire serve all of them as seeds.
#ifndef RHEO_FUZZ_WIRE_FUZZ_H_
#define RHEO_FUZZ_WIRE_FUZZ_H_

#include <google/protobuf/stubs/logging.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>

#include "rheo/wire/codec.h"

namespace rheo::wire {

// Keeps protobuf from printing each message that it refuses.
inline void Quiet() {
  static const auto* const silencer = new google::protobuf::LogSilencer;
  (void)silencer;
}

// Reads the bytes from blocks of `block_size`; `extra` is BodyErrors or Status where Decode has
// one.
template <typename T, typename... Extra>
Status DecodeInBlocks(std::string_view bytes, int block_size, T& value, Extra&... extra) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()),
                                                block_size);
  Source source(&stream, static_cast<int64_t>(bytes.size()));
  return Decode(source, value, extra...);
}

// What was read must be writable, and readable again.
template <typename T, typename... Extra>
void Try(std::string_view bytes) {
  T value;
  std::tuple<Extra...> extra;
  const auto decode = [&](std::string_view from, int block_size, T& to) {
    return std::apply([&](auto&... e) { return DecodeInBlocks(from, block_size, to, e...); },
                      extra);
  };
  if (!decode(bytes, bytes.size() % 2 == 0 ? -1 : 7, value).ok()) return;
  const std::string again =
      std::apply([&](auto&... e) { return Encode(value, e...); }, extra).Flatten();
  T second;
  if (const Status status = decode(again, -1, second); !status.ok()) {
    std::fprintf(stderr, "written but not read again: %s\n", status.ToString().c_str());
    std::abort();
  }
}

}  // namespace rheo::wire

#endif  // RHEO_FUZZ_WIRE_FUZZ_H_
