// Accumulator: gradients of many steps, added up until somebody takes their sum or mean. Behaviour:
// semantics.md 13.2.
#ifndef RHEO_OPS_DATA_FLOW_ACCUMULATOR_H_
#define RHEO_OPS_DATA_FLOW_ACCUMULATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "rheo/kernel/kernel_context.h"
#include "rheo/kernel/waiters.h"
#include "rheo/tensor/tensor.h"

namespace rheo::ops {

enum class Reduction { kMean, kSum };

struct AccumulatorSpec {
  std::string op;  // of the node, for messages
  DType dtype = DType::kInvalid;
  PartialShape shape;
  Reduction reduction = Reduction::kMean;
  bool is_sparse = false;
};

// What has been added up. Used under the accumulator's lock, but for Result, whose caller has taken
// it out.
class GradientSum {
 public:
  virtual ~GradientSum() = default;
  // Adds a gradient: one tensor, or indices, values and shape.
  virtual Status Add(const kernel::KernelContext& context, const std::vector<Tensor>& gradient) = 0;
  // The outputs of a take of `count` gradients.
  virtual StatusOr<std::vector<Tensor>> Result(const kernel::KernelContext& context,
                                               const AccumulatorSpec& spec, int64_t count) = 0;
};
std::unique_ptr<GradientSum> MakeDenseSum();
std::unique_ptr<GradientSum> MakeSparseSum();

// INVALID_ARGUMENT when a sparse gradient does not fit its own parts or the declared shape.
Status CheckSparseGradient(const AccumulatorSpec& spec, const std::vector<Tensor>& gradient,
                           bool has_known_shape);

// Thread-safe. The sum of gradients of old steps is never mixed with newer ones: a gradient whose
// step lies before the accumulator's is dropped.
class Accumulator final : public kernel::Resource,
                          public std::enable_shared_from_this<Accumulator> {
 public:
  static constexpr std::string_view kTypeName = "N10tensorflow26ConditionalAccumulatorBaseE";
  using Spec = AccumulatorSpec;
  static StatusOr<std::shared_ptr<Accumulator>> Make(std::string name, const Spec& spec);
  Accumulator(std::string name, Spec spec);

  const Spec& spec() const { return spec_; }
  Status CheckSame(const Spec& other) const;

  // INVALID_ARGUMENT when the gradient does not fit.
  Status Apply(const kernel::KernelContext& context, int64_t local_step,
               const std::vector<Tensor>& gradient);
  // Waits for `num_required` gradients and takes all that are there.
  struct Taken {
    std::unique_ptr<GradientSum> sum;
    int64_t count = 0;
  };
  using TakeCallback = absl::AnyInvocable<void(StatusOr<Taken>)>;
  void Take(kernel::OpCall call, int64_t num_required, TakeCallback done);
  void SetGlobalStep(int64_t step);
  int64_t num_accumulated() const;

  std::string Describe() const override { return "accumulator " + name_; }
  std::vector<kernel::BlockedOp> Blocked() const override { return waiters_.List(); }

 private:
  std::unique_ptr<GradientSum> NewSum() const {
    return spec_.is_sparse ? MakeSparseSum() : MakeDenseSum();
  }

  const std::string name_;
  const Spec spec_;
  mutable Mutex mutex_;
  // Guarded by the lock; attempts run under it.
  std::unique_ptr<GradientSum> sum_;
  int64_t count_ = 0;
  int64_t global_step_ = 0;
  kernel::Waiters waiters_;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_DATA_FLOW_ACCUMULATOR_H_
