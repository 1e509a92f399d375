// Messages of MasterService.
#include "wire_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rheo;           // NOLINT(google-build-using-namespace)
  using namespace rheo::service;  // NOLINT(google-build-using-namespace)
  wire::Quiet();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wire::Try<CreateSessionRequest>(bytes);
  wire::Try<ExtendSessionRequest>(bytes);
  wire::Try<PartialRunSetupRequest>(bytes);
  wire::Try<RunStepRequest, wire::BodyErrors>(bytes);
  wire::Try<RunStepResponse, Status>(bytes);
  wire::Try<ListDevicesResponse>(bytes);
  wire::Try<ResetRequest>(bytes);
  wire::Try<MakeCallableRequest>(bytes);
  wire::Try<RunCallableRequest>(bytes);
  wire::Try<RunCallableResponse>(bytes);
  return 0;
}
