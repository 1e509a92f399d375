// PartitionedCall, If and Case: one call each, of the one function or of the chosen branch. ToBool
// and FakeParam, which serve them.
#include <cstring>

#include "rheo/ops/common/integers.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/functional/call.h"
#include "rheo/ops/functional/kernels.h"
#include "rheo/ops/functional/truth.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using kernel::KernelInit;

class CallKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(op::FuncRef function, init.attrs.Get<op::FuncRef>("f"));
    return std::make_unique<CallKernel>(std::move(function));
  }
  explicit CallKernel(op::FuncRef function) : function_(std::move(function)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    CallForOutputs(c, function_, 0, std::move(done));
  }

 private:
  const op::FuncRef function_;
};

class IfKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(op::FuncRef yes, init.attrs.Get<op::FuncRef>("then_branch"));
    RHEO_ASSIGN_OR_RETURN(op::FuncRef no, init.attrs.Get<op::FuncRef>("else_branch"));
    return std::make_unique<IfKernel>(std::move(yes), std::move(no));
  }
  IfKernel(op::FuncRef yes, op::FuncRef no) : then_(std::move(yes)), else_(std::move(no)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    const StatusOr<bool> condition = IsTrue(c.input(0));
    if (!condition.ok()) return done(condition.status());
    CallForOutputs(c, *condition ? then_ : else_, 1, std::move(done));
  }

 private:
  const op::FuncRef then_;
  const op::FuncRef else_;
};

class CaseKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(std::vector<op::FuncRef> branches,
                          init.attrs.Get<std::vector<op::FuncRef>>("branches"));
    if (branches.empty()) return InvalidArgument("attr 'branches' is empty");
    return std::make_unique<CaseKernel>(std::move(branches));
  }
  explicit CaseKernel(std::vector<op::FuncRef> branches) : branches_(std::move(branches)) {}

  // An index out of range takes the last branch.
  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    const StatusOr<int64_t> index = ReadIntScalar(c.input(0), "branch_index");
    if (!index.ok()) return done(index.status());
    const auto last = static_cast<int64_t>(branches_.size()) - 1;
    const int64_t branch = *index < 0 || *index > last ? last : *index;
    CallForOutputs(c, branches_[static_cast<size_t>(branch)], 1, std::move(done));
  }

 private:
  const std::vector<op::FuncRef> branches_;
};

Status ToBool(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const bool truth, IsTrue(c.input(0)));
  c.set_output(0, Tensor::Scalar<bool>(truth));
  return OkStatus();
}

StatusOr<PartialShape> ShapeAttr(const KernelInit& init) {
  return init.attrs.Get<PartialShape>("shape");
}

// Stands for a value that the branch that was taken does not have; nobody looks at it.
Status FakeParam(const PartialShape& shape, KernelContext& c) {
  Shape known;
  for (const int64_t d : shape.dims()) known.AddDim(d == kUnknownDim ? 0 : d);
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, std::move(known)));
  if (IsPlainData(out->dtype()) && out->num_bytes() > 0) {
    std::memset(out->mutable_data(), 0, out->num_bytes());
  }
  return OkStatus();
}

}  // namespace

void AddCallKernels(TableKernels& kernels) {
  for (const char* op : {"PartitionedCall", "StatefulPartitionedCall"}) {
    kernels.Add(op, kernel::ClassKernel<CallKernel>());
  }
  for (const char* op : {"If", "StatelessIf", "_If"}) {
    kernels.Add(op, kernel::ClassKernel<IfKernel>());
  }
  for (const char* op : {"Case", "StatelessCase"}) {
    kernels.Add(op, kernel::ClassKernel<CaseKernel>());
  }
  kernels.Add("ToBool", kernel::FunctionKernel(&ToBool));
  kernels.Add("FakeParam", AttrKernel(&ShapeAttr, &FakeParam));
}

}  // namespace rheo::ops
