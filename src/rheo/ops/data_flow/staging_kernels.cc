// Staging areas as ops: Stage, Unstage, StagePeek, StageSize, StageClear. Nodes of one shared_name,
// or of one name, use one area, which the first of them makes.
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/resource_name.h"
#include "rheo/ops/data_flow/blocking.h"
#include "rheo/ops/data_flow/kernels.h"
#include "rheo/ops/data_flow/staging_area.h"
#include "rheo/ops/data_flow/staging_attrs.h"

namespace rheo::ops {
namespace {

using kernel::AsyncKernel;
using kernel::KernelContext;
using kernel::KernelInit;

using AreaPtr = std::shared_ptr<StagingArea>;

StatusOr<AreaPtr> FindArea(const StagingAttrs& attrs, const KernelContext& c) {
  return FindStaging<StagingArea>(attrs, c);
}

class StageKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(StagingAttrs attrs, ReadStagingAttrs(init));
    return std::make_unique<StageKernel>(std::move(attrs));
  }
  explicit StageKernel(StagingAttrs attrs) : attrs_(std::move(attrs)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<AreaPtr> area = FindArea(attrs_, c);
    if (!area.ok()) return std::move(done)(area.status());
    Tuple tuple;
    for (int i = 0; i < c.num_inputs(); ++i) tuple.push_back(c.TakeInput(i));
    (*area)->Put(CallOf(c, attrs_.node), std::move(tuple), std::move(done));
  }

 private:
  const StagingAttrs attrs_;
};

StagingArea::TupleCallback SettingOutputs(KernelContext& c, DoneCallback done) {
  return [&c, done = std::move(done)](StatusOr<Tuple> tuple) mutable {
    if (!tuple.ok()) return std::move(done)(tuple.status());
    std::move(done)(SetStaged(c, 0, *std::move(tuple)));
  };
}

class UnstageKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(StagingAttrs attrs, ReadStagingAttrs(init));
    return std::make_unique<UnstageKernel>(std::move(attrs));
  }
  explicit UnstageKernel(StagingAttrs attrs) : attrs_(std::move(attrs)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<AreaPtr> area = FindArea(attrs_, c);
    if (!area.ok()) return std::move(done)(area.status());
    (*area)->Take(CallOf(c, attrs_.node), SettingOutputs(c, std::move(done)));
  }

 private:
  const StagingAttrs attrs_;
};

class StagePeekKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(StagingAttrs attrs, ReadStagingAttrs(init));
    return std::make_unique<StagePeekKernel>(std::move(attrs));
  }
  explicit StagePeekKernel(StagingAttrs attrs) : attrs_(std::move(attrs)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<AreaPtr> area = FindArea(attrs_, c);
    if (!area.ok()) return std::move(done)(area.status());
    const StatusOr<int64_t> index = ReadCount(c, 0, "index");
    if (!index.ok()) return std::move(done)(index.status());
    if (*index < 0) return std::move(done)(InvalidArgument("index {} is negative", *index));
    (*area)->Peek(CallOf(c, attrs_.node), *index, SettingOutputs(c, std::move(done)));
  }

 private:
  const StagingAttrs attrs_;
};

Status StageSize(const StagingAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const AreaPtr area, FindArea(attrs, c));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(area->size())));
  return OkStatus();
}

Status StageClear(const StagingAttrs& attrs, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const AreaPtr area, FindArea(attrs, c));
  area->Clear();
  return OkStatus();
}

}  // namespace

void AddStagingKernels(TableKernels& kernels) {
  kernels.Add("Stage", kernel::ClassKernel<StageKernel>());
  kernels.Add("Unstage", kernel::ClassKernel<UnstageKernel>());
  kernels.Add("StagePeek", kernel::ClassKernel<StagePeekKernel>());
  kernels.Add("StageSize", AttrKernel(&ReadStagingAttrs, &StageSize));
  kernels.Add("StageClear", AttrKernel(&ReadStagingAttrs, &StageClear));
}

}  // namespace rheo::ops
