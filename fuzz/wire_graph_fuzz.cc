// Graphs and server definitions of files, in text and in binary.
#include "wire_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rheo;  // NOLINT(google-build-using-namespace)
  wire::Quiet();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const StatusOr<graph::GraphDef> def = wire::ParseGraphDef(bytes); def.ok()) {
    wire::SerializeGraphDef(*def);
  }
  if (const StatusOr<service::ServerDef> def = wire::ParseServerDef(bytes); def.ok()) {
    wire::SerializeServerDef(*def);
  }
  return 0;
}
