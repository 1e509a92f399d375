// Variables behind resource handles: making handles, assigning, reading, asking, destroying.
#include <utility>

#include "rheo/kernel/variable.h"
#include "rheo/ops/common/gather.h"
#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/stored_tensor.h"
#include "rheo/ops/state/kernels.h"
#include "rheo/ops/state/validate_shape.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;
using kernel::Variable;

// The shared_name that asks for a variable of its own at each run.
constexpr std::string_view kAnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// ---- Handles

struct HandleAttrs {
  ResourceHandle handle;  // without a default container
  DType dtype;
};

HandleAttrs MakeHandleAttrs(const KernelInit& init, std::string container, std::string name,
                            DType dtype, PartialShape shape) {
  HandleAttrs attrs{.handle = {}, .dtype = dtype};
  attrs.handle.device = init.device.info().name;
  attrs.handle.container = std::move(container);
  attrs.handle.name = std::move(name);
  attrs.handle.type_name = Variable::kTypeName;
  attrs.handle.dtypes_and_shapes = {{.dtype = dtype, .shape = std::move(shape)}};
  return attrs;
}

Tensor MakeHandle(const HandleAttrs& attrs, const KernelContext& c) {
  ResourceHandle handle = attrs.handle;
  if (handle.container.empty()) handle.container = c.resources().default_container();
  if (handle.name == kAnonymousName) {
    handle.anonymous = std::make_shared<Variable>(handle.name, attrs.dtype);
  }
  return Tensor::Scalar<ResourceHandle>(std::move(handle));
}

StatusOr<HandleAttrs> ReadHandleAttrs(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(std::string container, init.attrs.Get<std::string>("container"));
  RHEO_ASSIGN_OR_RETURN(std::string name, init.attrs.Get<std::string>("shared_name"));
  RHEO_ASSIGN_OR_RETURN(const DType dtype, init.attrs.Get<DType>("dtype"));
  RHEO_ASSIGN_OR_RETURN(PartialShape shape, init.attrs.Get<PartialShape>("shape"));
  return MakeHandleAttrs(init, std::move(container), std::move(name), dtype, std::move(shape));
}

// The handle is made at the first run, when the default container is known, and then shared.
class VarHandleKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(HandleAttrs attrs, ReadHandleAttrs(init));
    return std::make_unique<VarHandleKernel>(std::move(attrs));
  }
  explicit VarHandleKernel(HandleAttrs attrs)
      : attrs_(std::move(attrs)), is_anonymous_(attrs_.handle.name == kAnonymousName) {}

  Status Compute(KernelContext& c) override {
    if (is_anonymous_) {
      c.set_output(0, MakeHandle(attrs_, c));
      return OkStatus();
    }
    MutexLock lock(mutex_);
    if (!handle_.has_value()) handle_ = MakeHandle(attrs_, c);
    c.set_output(0, handle_);
    return OkStatus();
  }

 private:
  const HandleAttrs attrs_;
  const bool is_anonymous_;
  Mutex mutex_;
  Tensor handle_ RHEO_GUARDED_BY(mutex_);
};

using AllHandleAttrs = std::vector<HandleAttrs>;

StatusOr<AllHandleAttrs> ReadAllHandleAttrs(const KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const auto containers,
                        init.attrs.Get<std::vector<std::string>>("containers"));
  RHEO_ASSIGN_OR_RETURN(const auto names, init.attrs.Get<std::vector<std::string>>("shared_names"));
  RHEO_ASSIGN_OR_RETURN(const auto dtypes, init.attrs.Get<std::vector<DType>>("dtypes"));
  RHEO_ASSIGN_OR_RETURN(const auto shapes, init.attrs.Get<std::vector<PartialShape>>("shapes"));
  if (names.size() != containers.size() || dtypes.size() != names.size() ||
      shapes.size() != names.size()) {
    return InvalidArgument("attrs containers, shared_names, dtypes and shapes differ in length");
  }
  RHEO_ASSIGN_OR_RETURN(const int64_t n, init.attrs.Get<int64_t>("N"));
  if (n != static_cast<int64_t>(dtypes.size())) {
    return InvalidArgument("attr N={} differs from the number of dtypes, {}", n, dtypes.size());
  }
  AllHandleAttrs all;
  for (size_t i = 0; i < names.size(); ++i) {
    all.push_back(MakeHandleAttrs(init, containers[i], names[i], dtypes[i], shapes[i]));
  }
  return all;
}

Status VarHandles(const AllHandleAttrs& all, KernelContext& c) {
  for (size_t i = 0; i < all.size(); ++i) c.set_output(static_cast<int>(i), MakeHandle(all[i], c));
  return OkStatus();
}

// ---- Reading

Status NotReadable(const ResourceHandle& handle, std::string_view lookup_error) {
  return FailedPrecondition(
      "Could not find variable {}. This could mean that the variable has been deleted. In TF1, it "
      "can also mean the variable is uninitialized. Debug info: container={}, status error "
      "message={}",
      handle.name, handle.container, lookup_error);
}

// A snapshot of the variable of input `i`, of `dtype`.
StatusOr<Tensor> ReadVariable(const KernelContext& c, int i, DType dtype) {
  StatusOr<std::shared_ptr<Variable>> variable = FindVariable(c, i);
  if (absl::IsNotFound(variable.status())) {
    return NotReadable(c.input(i).scalar<ResourceHandle>(), Message(variable.status()));
  }
  RHEO_RETURN_IF_ERROR(variable.status());
  if ((*variable)->dtype() != dtype) {
    return InvalidArgument("Trying to read variable with wrong dtype. Expected {} got {}",
                           DTypeName(dtype), DTypeName((*variable)->dtype()));
  }
  MutexLock lock((*variable)->mutex);
  if (!(*variable)->tensor.has_value()) {
    return NotReadable(c.input(i).scalar<ResourceHandle>(), "never assigned");
  }
  return (*variable)->tensor;
}

Status ReadVariables(KernelContext& c) {
  if (c.num_inputs() != c.num_outputs()) {
    return InvalidArgument("{} variables cannot give {} values", c.num_inputs(), c.num_outputs());
  }
  for (int i = 0; i < c.num_inputs(); ++i) {
    RHEO_ASSIGN_OR_RETURN(Tensor value, ReadVariable(c, i, c.output_type(i)));
    c.set_output(i, std::move(value));
  }
  return OkStatus();
}

// The shape of the variable's value; NOT_FOUND when it has none.
StatusOr<Tensor> ReadExisting(const KernelContext& c, int i) {
  RHEO_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable, FindVariable(c, i));
  MutexLock lock(variable->mutex);
  if (!variable->tensor.has_value()) {
    return NotFound("Resource {} has no value.", variable->name());
  }
  return variable->tensor;
}

template <typename T>
Status VariableShape(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Tensor value, ReadExisting(c, 0));
  RHEO_ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, Shape{value.rank()}));
  std::ranges::copy(value.shape().dims(), out->mutable_flat<T>().begin());
  return OkStatus();
}

Status VarIsInitialized(KernelContext& c) {
  const StatusOr<Tensor> value = ReadExisting(c, 0);
  if (!value.ok() && !absl::IsNotFound(value.status())) return value.status();
  c.set_output(0, Tensor::Scalar<bool>(value.ok()));
  return OkStatus();
}

// The value to gather from: of the dtype that the node declares for its output.
StatusOr<Tensor> ReadParams(const KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(Tensor params, ReadExisting(c, 0));
  if (params.dtype() != c.output_type(0)) {
    return InvalidArgument("Trying to read variable with wrong dtype. Expected {} got {}",
                           DTypeName(c.output_type(0)), DTypeName(params.dtype()));
  }
  return params;
}

StatusOr<int64_t> BatchDims(const KernelInit& init) {
  return init.attrs.Get<int64_t>("batch_dims");
}

Status ResourceGather(const int64_t& batch_dims_attr, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Tensor params, ReadParams(c));
  const Tensor& indices = c.input(1);
  const int64_t batch_dims =
      batch_dims_attr < 0 ? batch_dims_attr + indices.rank() : batch_dims_attr;
  if (params.rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
  RHEO_RETURN_IF_ERROR(CheckBatchDims(params.shape(), indices.shape(), batch_dims));
  if (batch_dims >= params.rank()) {
    return InvalidArgument("batch_dims {} must be less than the rank {} of the variable",
                           batch_dims, params.rank());
  }
  const int axis = static_cast<int>(batch_dims);
  return GatherAlong(c, params, indices, axis, axis);
}

Status ResourceGatherNd(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const Tensor params, ReadParams(c));
  return GatherSlices(c, params, c.input(1), BadIndices::kError);
}

// ---- Writing

StatusOr<std::shared_ptr<Variable>> FindOrMakeVariable(KernelContext& c, DType dtype) {
  RHEO_ASSIGN_OR_RETURN(const ResourceHandle* handle, ReadHandle(c, 0, Variable::kTypeName));
  if (handle->anonymous != nullptr) return std::static_pointer_cast<Variable>(handle->anonymous);
  return c.resources().LookupOrCreate<Variable>(
      handle->container, handle->name, [&]() -> StatusOr<std::shared_ptr<Variable>> {
        return std::make_shared<Variable>(handle->name, dtype);
      });
}

Status AssignVariable(const bool& validate_shape, KernelContext& c) {
  const DType dtype = c.input_type(1);
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, FindOrMakeVariable(c, dtype));
  if (variable->dtype() != dtype) {
    return InvalidArgument("Trying to assign variable with wrong dtype. Expected {} got {}",
                           DTypeName(variable->dtype()), DTypeName(dtype));
  }
  const Shape shape = c.input(1).shape();
  Tensor old;  // freed after the lock is released
  MutexLock lock(variable->mutex);
  if (validate_shape && variable->tensor.has_value() && !(variable->tensor.shape() == shape)) {
    return InvalidArgument(
        "Trying to assign to variable with tensor with wrong shape. Expected {} got {}",
        variable->tensor.shape().ToString(), shape.ToString());
  }
  old = std::exchange(variable->tensor, c.TakeInput(1));
  lock.Unlock();
  return OkStatus();
}

StatusOr<bool> IgnoreLookupError(const KernelInit& init) {
  return init.attrs.Get<bool>("ignore_lookup_error");
}

// Destroys whatever resource the handle names, of any class.
Status DestroyResource(const bool& ignore_lookup_error, KernelContext& c) {
  const Tensor& tensor = c.input(0);
  if (tensor.num_elements() != 1) {
    return InvalidArgument("input 0 must be one resource handle, but has shape {}",
                           tensor.shape().ToString());
  }
  const ResourceHandle& handle = tensor.scalar<ResourceHandle>();
  RHEO_RETURN_IF_ERROR(ReadHandle(c, 0, handle.type_name).status());
  if (handle.anonymous != nullptr) return OkStatus();  // ends with its last handle
  const Status status = handle.type_name == Variable::kTypeName
                            ? c.resources().Delete<Variable>(handle.container, handle.name)
                            : c.resources().DeleteByName(handle.container, handle.name);
  return ignore_lookup_error && absl::IsNotFound(status) ? OkStatus() : status;
}

// Every read is a snapshot already.
Status DisableCopyOnRead(KernelContext& c) { return FindVariable(c, 0).status(); }

}  // namespace

void AddResourceVariableKernels(TableKernels& kernels) {
  kernels.Add("VarHandleOp", kernel::ClassKernel<VarHandleKernel>());
  kernels.Add("_VarHandlesOp", AttrKernel(&ReadAllHandleAttrs, &VarHandles));
  kernels.Add("ReadVariableOp", FunctionKernel(&ReadVariables));
  kernels.Add("_ReadVariablesOp", FunctionKernel(&ReadVariables));
  kernels.Add("VariableShape", ByType<IndexTypes>("out_type", []<typename T>() {
                return FunctionKernel(&VariableShape<T>);
              }));
  kernels.Add("VarIsInitializedOp", FunctionKernel(&VarIsInitialized));
  kernels.Add("ResourceGather", AttrKernel(&BatchDims, &ResourceGather));
  kernels.Add("ResourceGatherNd", FunctionKernel(&ResourceGatherNd));
  kernels.Add("AssignVariableOp", AttrKernel(&ValidateShape, &AssignVariable));
  kernels.Add("DestroyResourceOp", AttrKernel(&IgnoreLookupError, &DestroyResource));
  kernels.Add("DisableCopyOnRead", FunctionKernel(&DisableCopyOnRead));
}

}  // namespace rheo::ops
