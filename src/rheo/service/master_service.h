// MasterService: what a client asks of a master. Implemented by master/ directly and by rpc/ as a
// stub; tests/conformance/master_service_test holds what both must do.
//
// Codes and texts: wire.md 6, semantics.md 1–2. Common to all methods with a session handle:
// ABORTED "Session <h> is not found." for an unknown one, FAILED_PRECONDITION "Session is closed."
// when it closes meanwhile.
#ifndef RHEO_SERVICE_MASTER_SERVICE_H_
#define RHEO_SERVICE_MASTER_SERVICE_H_

#include <string>
#include <utility>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/device/device.h"
#include "rheo/graph/graph_def.h"
#include "rheo/service/call.h"
#include "rheo/service/session_config.h"
#include "rheo/tensor/tensor.h"

namespace rheo::service {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

struct CreateSessionRequest {
  graph::GraphDef graph;
  SessionConfig config;
  std::string target;  // as typed by the client
};
struct CreateSessionResponse {
  SessionHandle session;
  int64_t graph_version = 0;
  bool is_rheo = false;  // what a Rheo master adds, invisible to TensorFlow
};

struct ExtendSessionRequest {
  SessionHandle session;
  graph::GraphDef graph;
  int64_t current_graph_version = 0;
};
struct ExtendSessionResponse {
  int64_t new_graph_version = 0;
};

struct RunStepRequest {
  SessionHandle session;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
  std::string partial_run_handle;
  RequestId request_id;
};
struct RunStepResponse {
  std::vector<NamedTensor> tensors;  // one per distinct fetch, named as asked
  RunMetadata metadata;
};

struct PartialRunSetupRequest {
  SessionHandle session;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RequestId request_id;
};
struct PartialRunSetupResponse {
  std::string partial_run_handle;
};

struct CloseSessionRequest {
  SessionHandle session;
};
struct CloseSessionResponse {};

struct ListDevicesRequest {
  SessionHandle session;  // empty: of the whole cluster
};
struct ListDevicesResponse {
  std::vector<device::DeviceInfo> local_devices;
  std::vector<device::DeviceInfo> remote_devices;
};

struct ResetRequest {
  std::vector<std::string> containers;  // empty: the default container of each task
  std::vector<std::string> device_filters;
};
struct ResetResponse {};

struct CallableOptions {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions run_options;
  std::vector<std::pair<std::string, std::string>> tensor_connections;  // from → to
  bool has_feed_or_fetch_devices = false;
};
struct MakeCallableRequest {
  SessionHandle session;
  CallableOptions options;
  RequestId request_id;
};
struct MakeCallableResponse {
  int64_t handle = 0;
};
struct RunCallableRequest {
  SessionHandle session;
  int64_t handle = 0;
  std::vector<Tensor> feeds;  // in order of CallableOptions::feeds
  RequestId request_id;
};
struct RunCallableResponse {
  std::vector<Tensor> fetches;  // in order of CallableOptions::fetches
  RunMetadata metadata;
};
struct ReleaseCallableRequest {
  SessionHandle session;
  int64_t handle = 0;
};
struct ReleaseCallableResponse {};

// Thread-safe; call rules in call.h.
class MasterService {
 public:
  virtual ~MasterService() = default;

  // Waits for the admitted tasks until the call's deadline, or the server's limit for forming a
  // cluster; then DEADLINE_EXCEEDED naming each missing task, its address and why.
  virtual void CreateSession(const CreateSessionRequest& request, CreateSessionResponse* response,
                             const Call& call, DoneCallback done) = 0;
  virtual void ExtendSession(const ExtendSessionRequest& request, ExtendSessionResponse* response,
                             const Call& call, DoneCallback done) = 0;
  virtual void PartialRunSetup(const PartialRunSetupRequest& request,
                               PartialRunSetupResponse* response, const Call& call,
                               DoneCallback done) = 0;
  virtual void RunStep(const RunStepRequest& request, RunStepResponse* response, const Call& call,
                       DoneCallback done) = 0;
  virtual void CloseSession(const CloseSessionRequest& request, CloseSessionResponse* response,
                            const Call& call, DoneCallback done) = 0;
  virtual void ListDevices(const ListDevicesRequest& request, ListDevicesResponse* response,
                           const Call& call, DoneCallback done) = 0;
  virtual void Reset(const ResetRequest& request, ResetResponse* response, const Call& call,
                     DoneCallback done) = 0;
  virtual void MakeCallable(const MakeCallableRequest& request, MakeCallableResponse* response,
                            const Call& call, DoneCallback done) = 0;
  virtual void RunCallable(const RunCallableRequest& request, RunCallableResponse* response,
                           const Call& call, DoneCallback done) = 0;
  virtual void ReleaseCallable(const ReleaseCallableRequest& request,
                               ReleaseCallableResponse* response, const Call& call,
                               DoneCallback done) = 0;
};

}  // namespace rheo::service

#endif  // RHEO_SERVICE_MASTER_SERVICE_H_
