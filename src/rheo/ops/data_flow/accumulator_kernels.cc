// Accumulators as ops: dense ones behind references and resource handles, sparse ones behind
// references.
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/owned_resource.h"
#include "rheo/ops/data_flow/accumulator.h"
#include "rheo/ops/data_flow/blocking.h"
#include "rheo/ops/data_flow/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

using AccumulatorPtr = std::shared_ptr<Accumulator>;

template <bool is_sparse>
StatusOr<AccumulatorSpec> ReadAccumulatorSpec(const KernelInit& init) {
  AccumulatorSpec spec;
  spec.op = init.schema.name;
  spec.is_sparse = is_sparse;
  RHEO_ASSIGN_OR_RETURN(spec.dtype, init.attrs.Get<DType>("dtype"));
  RHEO_ASSIGN_OR_RETURN(spec.shape, init.attrs.Get<PartialShape>("shape"));
  RHEO_ASSIGN_OR_RETURN(const std::string reduction, init.attrs.Get<std::string>("reduction_type"));
  spec.reduction = reduction == "SUM" ? Reduction::kSum : Reduction::kMean;
  return spec;
}

StatusOr<AccumulatorPtr> FindAccumulator(const KernelContext& c, bool is_sparse) {
  RHEO_ASSIGN_OR_RETURN(AccumulatorPtr accumulator, FindResource<Accumulator>(c, 0));
  if (accumulator->spec().is_sparse != is_sparse) {
    return InvalidArgument("{} is for another kind of gradients", accumulator->Describe());
  }
  return accumulator;
}

StatusOr<int64_t> ReadStep(const KernelContext& c, std::string_view what) {
  const Tensor& step = c.input(1);
  if (step.rank() != 0) {
    return InvalidArgument("Argument {} must be scalar, but had bad shape {}", what,
                           step.shape().ToString());
  }
  return step.scalar<int64_t>();
}

Status CheckDType(const Accumulator& accumulator, DType dtype) {
  if (dtype == accumulator.spec().dtype) return OkStatus();
  return InvalidArgument("the gradients of {} are {}, not {}", accumulator.Describe(),
                         DTypeName(accumulator.spec().dtype), DTypeName(dtype));
}

Status ApplyDense(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const AccumulatorPtr accumulator, FindAccumulator(c, false));
  RHEO_ASSIGN_OR_RETURN(const int64_t step, ReadStep(c, "local_step"));
  RHEO_RETURN_IF_ERROR(CheckDType(*accumulator, c.input_type(2)));
  const PartialShape& declared = accumulator->spec().shape;
  if (!declared.IsCompatibleWith(c.input(2).shape())) {
    return InvalidArgument("Shape mismatch: expected {}, got {}", declared.ToString(),
                           c.input(2).shape().ToString());
  }
  return accumulator->Apply(c, step, {c.TakeInput(2)});
}

StatusOr<bool> HasKnownShape(const KernelInit& init) {
  return init.attrs.Get<bool>("has_known_shape");
}

Status ApplySparse(const bool& has_known_shape, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const AccumulatorPtr accumulator, FindAccumulator(c, true));
  RHEO_ASSIGN_OR_RETURN(const int64_t step, ReadStep(c, "local_step"));
  RHEO_RETURN_IF_ERROR(CheckDType(*accumulator, c.input_type(3)));
  const std::vector<Tensor> gradient = {c.input(2), c.input(3), c.input(4)};
  RHEO_RETURN_IF_ERROR(CheckSparseGradient(accumulator->spec(), gradient, has_known_shape));
  return accumulator->Apply(c, step, gradient);
}

template <bool is_sparse>
class TakeGradientKernel final : public kernel::AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    return std::make_unique<TakeGradientKernel>(init.node_name);
  }
  explicit TakeGradientKernel(std::string node) : node_(std::move(node)) {}

  void ComputeAsync(KernelContext& c, DoneCallback done) override {
    StatusOr<AccumulatorPtr> accumulator = FindAccumulator(c, is_sparse);
    if (!accumulator.ok()) return std::move(done)(accumulator.status());
    StatusOr<int64_t> required = NumRequired(c, **accumulator);
    if (!required.ok()) return std::move(done)(required.status());
    (*accumulator)
        ->Take(CallOf(c, node_), *required,
               [&c, accumulator = *accumulator,
                done = std::move(done)](StatusOr<Accumulator::Taken> taken) mutable {
                 if (!taken.ok()) return std::move(done)(taken.status());
                 std::move(done)(SetResult(c, *accumulator, *taken));
               });
  }

 private:
  static StatusOr<int64_t> NumRequired(const KernelContext& c, const Accumulator& accumulator) {
    RHEO_RETURN_IF_ERROR(CheckDType(accumulator, c.output_type(is_sparse ? 1 : 0)));
    RHEO_ASSIGN_OR_RETURN(const int64_t required, ReadCount(c, 1, "Argument num_required"));
    if (required > 0) return required;
    return InvalidArgument("Argument num_required must be positive, but was {}", required);
  }

  static Status SetResult(KernelContext& c, const Accumulator& accumulator,
                          Accumulator::Taken& taken) {
    RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> result,
                          taken.sum->Result(c, accumulator.spec(), taken.count));
    for (size_t i = 0; i < result.size(); ++i) {
      c.set_output(static_cast<int>(i), std::move(result[i]));
    }
    return OkStatus();
  }

  const std::string node_;
};

Status SetGlobalStep(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const AccumulatorPtr accumulator, FindResource<Accumulator>(c, 0));
  RHEO_ASSIGN_OR_RETURN(const int64_t step, ReadStep(c, "new_global_step"));
  accumulator->SetGlobalStep(step);
  return OkStatus();
}

Status NumAccumulated(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const AccumulatorPtr accumulator, FindResource<Accumulator>(c, 0));
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(accumulator->num_accumulated())));
  return OkStatus();
}

}  // namespace

void AddAccumulatorKernels(TableKernels& kernels) {
  using Owner = OwnedResourceKernel<Accumulator>;
  for (const std::string prefix : {"", "Resource"}) {
    kernels.Add(prefix + "ConditionalAccumulator",
                Owner::Factory(&ReadAccumulatorSpec<false>, Unnamed::kNodeName));
    kernels.Add(prefix + "AccumulatorApplyGradient", FunctionKernel(&ApplyDense));
    kernels.Add(prefix + "AccumulatorTakeGradient",
                kernel::ClassKernel<TakeGradientKernel<false>>());
    kernels.Add(prefix + "AccumulatorSetGlobalStep", FunctionKernel(&SetGlobalStep));
    kernels.Add(prefix + "AccumulatorNumAccumulated", FunctionKernel(&NumAccumulated));
  }
  kernels.Add("SparseConditionalAccumulator",
              Owner::Factory(&ReadAccumulatorSpec<true>, Unnamed::kNodeName));
  kernels.Add("SparseAccumulatorApplyGradient", AttrKernel(&HasKnownShape, &ApplySparse));
  kernels.Add("SparseAccumulatorTakeGradient", kernel::ClassKernel<TakeGradientKernel<true>>());
}

}  // namespace rheo::ops
