// Steps of a C++ client on a cluster of one parameter server and one worker, by the target of the
// worker: Rheo's servers and TensorFlow's are driven by the same calls.
#ifndef RHEO_BENCH_CLUSTER_STEPS_H_
#define RHEO_BENCH_CLUSTER_STEPS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rheo/client.h"

namespace rheo::bench {

// A session with prepared steps that do nothing. Creation fails when the cluster does not answer.
class NullSteps {
 public:
  static StatusOr<std::unique_ptr<NullSteps>> Open(const std::string& target);
  Status OnMaster() const { return on_master_.Run().status(); }
  Status OnOther() const { return on_other_.Run().status(); }

 private:
  NullSteps(Session session, Callable on_master, Callable on_other)
      : session_(std::move(session)),
        on_master_(std::move(on_master)),
        on_other_(std::move(on_other)) {}

  Session session_;
  Callable on_master_;
  Callable on_other_;
};

// Variables of `num_bytes` each on the parameter server, and a step that brings them to the worker.
class Transfer {
 public:
  static StatusOr<std::unique_ptr<Transfer>> Open(const std::string& target, int64_t num_bytes,
                                                  int64_t num_variables = 1);
  ~Transfer();  // destroys the variables
  Status Run() const { return step_.Run().status(); }

 private:
  Transfer(Session session, Callable step, std::vector<Operation> destroy)
      : session_(std::move(session)), step_(std::move(step)), destroy_(std::move(destroy)) {}

  Session session_;
  Callable step_;
  std::vector<Operation> destroy_;
};

// A step that is fed with `num_feeds` values of `num_bytes` each and does nothing with them.
class FeedSteps {
 public:
  static StatusOr<std::unique_ptr<FeedSteps>> Open(const std::string& target, int64_t num_bytes,
                                                   int64_t num_feeds);
  Status Run() const { return step_.Run(values_).status(); }

 private:
  FeedSteps(Session session, Callable step, std::vector<Tensor> values)
      : session_(std::move(session)), step_(std::move(step)), values_(std::move(values)) {}

  Session session_;
  Callable step_;
  const std::vector<Tensor> values_;
};

// Opens a session, runs one step over both tasks and closes it.
Status OpenRunClose(const std::string& target);

// Seconds from handing over a graph of `num_nodes` nodes until its first step has run. The target
// may be "", this process.
StatusOr<double> FirstStepOfMesh(const std::string& target, int64_t num_nodes);

}  // namespace rheo::bench

#endif  // RHEO_BENCH_CLUSTER_STEPS_H_
