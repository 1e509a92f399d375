// Tensors alone, and the messages that carry them between workers.
#include "wire_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rheo;           // NOLINT(google-build-using-namespace)
  using namespace rheo::service;  // NOLINT(google-build-using-namespace)
  wire::Quiet();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wire::Try<RecvTensorRequest>(bytes);
  wire::Try<RecvTensorResponse>(bytes);
  wire::Try<PushTensorsRequest>(bytes);
  if (const StatusOr<Tensor> tensor = wire::DecodeTensor(bytes); tensor.ok()) {
    if (!wire::DecodeTensor(wire::EncodeTensor(*tensor).Flatten()).ok()) std::abort();
  }
  return 0;
}
