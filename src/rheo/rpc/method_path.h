// The paths under which methods are called (wire.md 2).
#ifndef RHEO_RPC_METHOD_PATH_H_
#define RHEO_RPC_METHOD_PATH_H_

#include <array>
#include <string_view>

namespace rheo::rpc {

// The first is what clients call; servers answer to all.
inline constexpr std::array<std::string_view, 2> kMasterPrefixes = {
    "/tensorflow.MasterService/", "/tensorflow.grpc.MasterService/"};
inline constexpr std::array<std::string_view, 2> kWorkerPrefixes = {
    "/tensorflow.WorkerService/", "/tensorflow.grpc.WorkerService/"};
// Methods that only Rheo tasks have.
inline constexpr std::string_view kPushTensorsPath = "/rheo.WorkerService/PushTensors";
inline constexpr std::string_view kStatusPagePath = "/rheo.TaskService/Status";
inline constexpr std::string_view kHealthCheckPath = "/grpc.health.v1.Health/Check";
inline constexpr std::string_view kHealthWatchPath = "/grpc.health.v1.Health/Watch";

// Whether callers tell the size of their requests to `path`; see message_room.h.
inline bool TellsSize(std::string_view path) { return path.starts_with(kMasterPrefixes[0]); }

}  // namespace rheo::rpc

#endif  // RHEO_RPC_METHOD_PATH_H_
