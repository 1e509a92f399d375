// Messages of WorkerService.
#include "wire_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rheo;           // NOLINT(google-build-using-namespace)
  using namespace rheo::service;  // NOLINT(google-build-using-namespace)
  wire::Quiet();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wire::Try<GetStatusResponse>(bytes);
  wire::Try<CreateWorkerSessionRequest>(bytes);
  wire::Try<RegisterGraphRequest>(bytes);
  wire::Try<RunGraphRequest, wire::BodyErrors>(bytes);
  wire::Try<RunGraphResponse, Status>(bytes);
  wire::Try<LoggingRequest>(bytes);
  wire::Try<LoggingResponse>(bytes);
  return 0;
}
