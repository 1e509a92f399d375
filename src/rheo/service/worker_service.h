// WorkerService: what a master asks of a worker, and workers of each other. Implemented by worker/
// directly and by rpc/ as a stub; tests/conformance/worker_service_test holds what both must do.
//
// Codes and texts: wire.md 7 and 16–17.
#ifndef RHEO_SERVICE_WORKER_SERVICE_H_
#define RHEO_SERVICE_WORKER_SERVICE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rheo/base/ids.h"
#include "rheo/device/device.h"
#include "rheo/graph/graph_def.h"
#include "rheo/op/kernel_catalog.h"
#include "rheo/rendezvous/rendezvous.h"
#include "rheo/rendezvous/tensor_transport.h"
#include "rheo/service/call.h"
#include "rheo/service/cluster_spec.h"
#include "rheo/service/session_config.h"

namespace rheo::service {

struct GetStatusRequest {
  // The fingerprint of kernels that need not be told (op/catalog_fingerprint.h); 0: none.
  uint64_t known_kernels = 0;
};
struct GetStatusResponse {
  std::vector<device::DeviceInfo> devices;
  // What a Rheo task adds, invisible to TensorFlow: set when the peer is one.
  bool is_rheo = false;
  bool kernels_are_known = false;                    // they are request.known_kernels
  std::shared_ptr<const op::KernelCatalog> kernels;  // null and not known: assume TensorFlow's
  std::shared_ptr<const ClusterSpec> cluster;        // as the task knows it; null: it does not say
};

struct CreateWorkerSessionRequest {
  SessionHandle session;
  ServerDef server_def;  // cluster empty: the worker's own
  bool isolate_session_state = false;
  std::vector<device::DeviceInfo> cluster_devices;
  std::string master_task;
  int64_t master_incarnation = 0;
};
struct CreateWorkerSessionResponse {};

struct DeleteWorkerSessionRequest {
  SessionHandle session;
};
struct DeleteWorkerSessionResponse {};

struct RegisterGraphRequest {
  SessionHandle session;
  bool create_worker_session_called = true;  // false: the legacy session, whatever `session` says
  graph::GraphDef graph;                     // this task's part, each node with a device
  int64_t collective_graph_key = 0;
  SessionConfig config;
};
struct RegisterGraphResponse {
  GraphHandle graph;
};

struct DeregisterGraphRequest {
  SessionHandle session;
  bool create_worker_session_called = true;
  GraphHandle graph;
};
struct DeregisterGraphResponse {};

struct KeyedTensor {
  rendezvous::RendezvousKey key;
  Tensor tensor;
};

struct ExecOptions {
  bool record_costs = false;
  bool record_timeline = false;
  bool record_partition_graphs = false;
  bool report_allocations_upon_oom = false;
};

struct RunGraphRequest {
  SessionHandle session;
  bool create_worker_session_called = true;
  GraphHandle graph;
  StepId step;
  std::vector<KeyedTensor> sends;                    // fed values
  std::vector<rendezvous::RendezvousKey> recv_keys;  // what to return, in this order
  ExecOptions exec;
  bool is_partial = false;
  bool is_last_partial_run = false;
  RequestId request_id;
  // The caller's own task, when that takes values in the answer (RunGraphResponse::pushed); else
  // "". Ignored by TensorFlow's workers.
  std::string answer_carries_for;
};
struct RunGraphResponse {
  std::vector<KeyedTensor> recvs;
  trace::StepStats step_stats;
  std::string cost_graph;  // serialized CostGraphDef; on the wire `costs` come after it
  trace::CostGraph costs;
  std::vector<graph::GraphDef> partition_graphs;
  // Values for the caller's own task that were there when the graph ended.
  std::vector<rendezvous::PushedTensor> pushed;
  // The worker keeps nothing of the step: it needs no CleanupGraph.
  bool step_is_over = false;
};

struct CleanupGraphRequest {
  StepId step;
};
struct CleanupGraphResponse {};

struct CleanupAllRequest {
  std::vector<std::string> containers;
};
struct CleanupAllResponse {};

struct RecvTensorRequest {
  StepId step;
  rendezvous::RendezvousKey key;
  RequestId request_id;
};
struct RecvTensorResponse {
  rendezvous::Item item;
  int64_t send_start_micros = 0;
  bool require_ack = false;
};

// Tensors that another task sends unasked; only between Rheo tasks.
struct PushTensorsRequest {
  std::vector<rendezvous::PushedTensor> tensors;
};
struct PushTensorsResponse {};

struct MarkRecvFinishedRequest {
  RequestId request_id;
};
struct MarkRecvFinishedResponse {};

// ---- Collectives (wire.md 7.10, 7.11 and 21)

// A piece of a collective's value, asked for by the member that needs it.
struct RecvBufRequest {
  StepId step;
  std::string key;  // "5:11:0:0:1:0:1"; collective/ makes and reads it
  int64_t num_bytes = 0;
  std::string src_device;
  std::string dst_device;
  Incarnation src_incarnation;
  RequestId request_id;
  // What the member takes part in, to be compared with what the giver does; only Rheo's members say
  // it: "Reduce(Add,Id) of float[2,3]", at most kMaxTerms bytes.
  std::string terms;
  static constexpr size_t kMaxTerms = 8192;
};
struct RecvBufResponse {
  Tensor value;  // its bytes are meant, whatever its dtype
  // On the wire the bytes are cut into chunks of this many; negative: they are not.
  int64_t max_chunk = -1;
  int64_t send_start_micros = 0;
  bool require_ack = false;
};

// A device joins a group; answered when the group is complete.
struct CompleteGroupRequest {
  int32_t group_key = 0;
  int32_t group_size = 0;
  std::string device_type;
  int32_t collective_type = 0;
  std::optional<device::DeviceInfo> device;
  bool is_rheo = false;  // the device is of one of Rheo's tasks
};
struct CompleteGroupResponse {
  int32_t group_key = 0;
  int32_t group_size = 0;
  std::string device_type;
  int32_t num_tasks = 0;
  std::string communicator_key;
  std::vector<device::DeviceInfo> devices;  // by rank
  bool all_are_rheo = false;                // a TensorFlow leader never says so
};

struct CompleteInstanceRequest {
  std::string name;
  int32_t type = 0;  // a CollectiveType
  DType dtype = DType::kInvalid;
  Shape shape;
  int32_t group_key = 0;
  int32_t group_size = 0;
  int32_t instance_key = 0;
  std::string device_type;
  std::vector<int32_t> subdiv_offsets;
  std::string device;
  bool is_source = false;
  StepId step;
};
struct CompleteInstanceResponse {
  int32_t instance_key = 0;
  int32_t source_rank = 0;  // -1: there is none
};

// The ids of the next steps of graphs with collectives, which all masters must give alike.
struct GetStepSequenceRequest {
  // A step with collectives that failed on the caller's task: it cannot succeed elsewhere.
  struct FailedStep {
    int64_t graph_key = 0;
    StepId step;
    std::string reason;  // with the task's name, at most kMaxReason bytes
  };
  static constexpr size_t kMaxReason = 1024;

  std::vector<int64_t> graph_keys;
  std::vector<FailedStep> failed;  // between Rheo tasks
};
struct GetStepSequenceResponse {
  struct Sequence {
    int64_t graph_key = 0;
    StepId next;
  };
  std::vector<Sequence> sequences;
};

struct LoggingRequest {
  bool enable_rpc_logging = false;
  bool disable_rpc_logging = false;
  bool clear = false;
  std::vector<StepId> fetch_steps;
};
struct LoggingResponse {
  std::vector<std::pair<StepId, trace::StepStats>> steps;
};

// Thread-safe; call rules in call.h.
class WorkerService {
 public:
  virtual ~WorkerService() = default;

  virtual void GetStatus(const GetStatusRequest& request, GetStatusResponse* response,
                         const Call& call, DoneCallback done) = 0;
  virtual void CreateWorkerSession(const CreateWorkerSessionRequest& request,
                                   CreateWorkerSessionResponse* response, const Call& call,
                                   DoneCallback done) = 0;
  virtual void DeleteWorkerSession(const DeleteWorkerSessionRequest& request,
                                   DeleteWorkerSessionResponse* response, const Call& call,
                                   DoneCallback done) = 0;
  virtual void RegisterGraph(const RegisterGraphRequest& request, RegisterGraphResponse* response,
                             const Call& call, DoneCallback done) = 0;
  virtual void DeregisterGraph(const DeregisterGraphRequest& request,
                               DeregisterGraphResponse* response, const Call& call,
                               DoneCallback done) = 0;
  virtual void RunGraph(const RunGraphRequest& request, RunGraphResponse* response,
                        const Call& call, DoneCallback done) = 0;
  virtual void CleanupGraph(const CleanupGraphRequest& request, CleanupGraphResponse* response,
                            const Call& call, DoneCallback done) = 0;
  virtual void CleanupAll(const CleanupAllRequest& request, CleanupAllResponse* response,
                          const Call& call, DoneCallback done) = 0;
  virtual void RecvTensor(const RecvTensorRequest& request, RecvTensorResponse* response,
                          const Call& call, DoneCallback done) = 0;
  virtual void PushTensors(const PushTensorsRequest& request, PushTensorsResponse* response,
                           const Call& call, DoneCallback done) = 0;
  virtual void MarkRecvFinished(const MarkRecvFinishedRequest& request,
                                MarkRecvFinishedResponse* response, const Call& call,
                                DoneCallback done) = 0;
  virtual void RecvBuf(const RecvBufRequest& request, RecvBufResponse* response, const Call& call,
                       DoneCallback done) = 0;
  virtual void CompleteGroup(const CompleteGroupRequest& request, CompleteGroupResponse* response,
                             const Call& call, DoneCallback done) = 0;
  virtual void CompleteInstance(const CompleteInstanceRequest& request,
                                CompleteInstanceResponse* response, const Call& call,
                                DoneCallback done) = 0;
  virtual void GetStepSequence(const GetStepSequenceRequest& request,
                               GetStepSequenceResponse* response, const Call& call,
                               DoneCallback done) = 0;
  virtual void Logging(const LoggingRequest& request, LoggingResponse* response, const Call& call,
                       DoneCallback done) = 0;
};

// Finds the workers of a cluster. The task's own is the direct object; others are stubs that are
// made on demand and shared. Thread-safe.
class WorkerDirectory {
 public:
  virtual ~WorkerDirectory() = default;
  // "/job:…/replica:0/task:…" of every task, in order of the cluster specification.
  virtual std::vector<std::string> TaskNames() const = 0;
  // nullptr when the cluster has no such task. The stub of a task that is down is not null; its
  // calls fail.
  virtual std::shared_ptr<WorkerService> Find(std::string_view task_name) = 0;
  // "host:port", for messages; "" when unknown.
  virtual std::string Address(std::string_view task_name) const = 0;
};

// Makes a directory for a cluster other than the server's own (cluster-spec propagation), with the
// task that this server is in it.
using DirectoryFactory = std::function<std::shared_ptr<WorkerDirectory>(const ClusterSpec& cluster,
                                                                        std::string_view own_task)>;

}  // namespace rheo::service

#endif  // RHEO_SERVICE_WORKER_SERVICE_H_
