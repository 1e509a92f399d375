#include "cluster_steps.h"

#include <chrono>
#include <utility>
#include <vector>

#include "graphs.h"

namespace rheo::bench {
namespace {

constexpr char kMaster[] = "/job:worker/task:0";
constexpr char kOther[] = "/job:ps/task:0";

}  // namespace

StatusOr<std::unique_ptr<NullSteps>> NullSteps::Open(const std::string& target) {
  const Scope g = Scope::NewRoot();
  const Operation on_master = ops::NoOp(g.WithDevice(kMaster));
  const Operation on_other = ops::NoOp(g.WithDevice(kOther));
  RHEO_ASSIGN_OR_RETURN(Session session, Session::Create(g, {.target = target}));
  RHEO_ASSIGN_OR_RETURN(Callable first, session.Prepare({}, {}, {on_master}));
  RHEO_ASSIGN_OR_RETURN(Callable second, session.Prepare({}, {}, {on_other}));
  return std::unique_ptr<NullSteps>(
      new NullSteps(std::move(session), std::move(first), std::move(second)));
}

StatusOr<std::unique_ptr<Transfer>> Transfer::Open(const std::string& target, int64_t num_bytes,
                                                   int64_t num_variables) {
  const Scope g = Scope::NewRoot();
  const Scope ps = g.WithDevice(kOther);
  const auto num_elements = static_cast<int32_t>(num_bytes / static_cast<int64_t>(sizeof(float)));
  std::vector<Operation> initialize;
  std::vector<Operation> here;
  std::vector<Operation> destroy;
  for (int64_t i = 0; i < num_variables; ++i) {
    const Variable variable(ps, ops::Fill(ps, {num_elements}, 1.0f));
    initialize.push_back(variable.initializer());
    here.push_back(ops::Identity(g.WithDevice(kMaster), variable.Read(ps)).op());
    destroy.push_back(ops::DestroyResourceOp(ps, variable.handle()));
  }
  RHEO_ASSIGN_OR_RETURN(Session session, Session::Create(g, {.target = target}));
  RHEO_RETURN_IF_ERROR(session.Run({.targets = initialize}).status());
  RHEO_ASSIGN_OR_RETURN(Callable step, session.Prepare({}, {}, here));
  return std::unique_ptr<Transfer>(
      new Transfer(std::move(session), std::move(step), std::move(destroy)));
}

Transfer::~Transfer() { session_.Run({.targets = destroy_}).IgnoreError(); }

StatusOr<std::unique_ptr<FeedSteps>> FeedSteps::Open(const std::string& target, int64_t num_bytes,
                                                     int64_t num_feeds) {
  const Scope g = Scope::NewRoot();
  std::vector<Output> fed;
  std::vector<Tensor> values;
  for (int64_t i = 0; i < num_feeds; ++i) {
    fed.push_back(ops::Placeholder(g, DType::kFloat));
    values.emplace_back(DType::kFloat, Shape{num_bytes / static_cast<int64_t>(sizeof(float))});
    for (float& value : values.back().mutable_flat<float>()) value = 1;
  }
  const Operation nothing = ops::NoOp(g.WithDevice(kMaster));
  RHEO_ASSIGN_OR_RETURN(Session session, Session::Create(g, {.target = target}));
  RHEO_ASSIGN_OR_RETURN(Callable step, session.Prepare(fed, {}, {nothing}));
  return std::unique_ptr<FeedSteps>(
      new FeedSteps(std::move(session), std::move(step), std::move(values)));
}

Status OpenRunClose(const std::string& target) {
  const Scope g = Scope::NewRoot();
  const Output fed = ops::Placeholder(g, DType::kFloat, {.shape = {}});
  const Output there = ops::Neg(g.WithDevice(kOther), fed);
  const Output here = ops::Neg(g.WithDevice(kMaster), there);
  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g, {.target = target}));
  RHEO_RETURN_IF_ERROR(session.Run({.feeds = {{fed, 1.0f}}, .fetches = {here}}).status());
  return session.Close();
}

StatusOr<double> FirstStepOfMesh(const std::string& target, int64_t num_nodes) {
  const Scope g = Scope::NewRoot();
  const Mesh mesh = MakeMesh(g, num_nodes);
  RHEO_RETURN_IF_ERROR(g.status());
  const auto start = std::chrono::steady_clock::now();
  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g, {.target = target}));
  RHEO_RETURN_IF_ERROR(
      session.Run({.feeds = {{mesh.input, 1.0f}}, .fetches = {mesh.output}}).status());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RHEO_RETURN_IF_ERROR(session.Close());
  return seconds.count();
}

}  // namespace rheo::bench
