// Rendezvous keys and the payloads of errors.
#include "wire_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rheo;  // NOLINT(google-build-using-namespace)
  wire::Quiet();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto key = wire::ParseKey(bytes); key.ok()) {
    const auto again = wire::ParseKey(wire::KeyToString(*key));
    if (!again.ok() || !(*again == *key)) std::abort();
  }
  const Status status = wire::DecodePayloads(Aborted("x"), bytes);
  if (!(wire::DecodePayloads(Aborted("x"), wire::EncodePayloads(status)) == status)) std::abort();
  return 0;
}
