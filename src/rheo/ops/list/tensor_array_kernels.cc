// TensorArrays as ops: making them and their gradients, single elements, size, close. The handle is
// a resource (V3), two strings (V2), or a reference to two strings.
#include <atomic>
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/owned_resource.h"
#include "rheo/ops/list/batches.h"
#include "rheo/ops/list/kernels.h"
#include "rheo/ops/list/tensor_array_handle.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

constexpr float kFlow = 0;

// Output `i` where the op has it: the flow that orders what is done to one array.
void SetFlow(KernelContext& c, int i) {
  if (i < c.num_outputs()) c.set_output(i, Tensor::Scalar<float>(kFlow));
}

void SetArrayHandle(KernelContext& c, const std::string& key) {
  const std::string& container = c.step().step_resources->default_container();
  if (c.output_type(0) == DType::kString) {
    c.set_output(0, Tensor::Vector<std::string>({container, key}));
  } else {
    SetHandle(c, 0, container, key, TensorArray::kTypeName);
  }
}

StatusOr<int64_t> ReadArrayScalar(const KernelContext& c, int i, std::string_view what) {
  const Tensor& tensor = c.input(i);
  if (tensor.rank() != 0) {
    return InvalidArgument("TensorArray {} must be scalar, but had shape: {}", what,
                           tensor.shape().ToString());
  }
  return tensor.scalar<int32_t>();
}

// ---- Making

// A new array at each run.
class TensorArrayKernel final : public kernel::Kernel {
 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const KernelInit& init) {
    TensorArray::Options options;
    RHEO_ASSIGN_OR_RETURN(options.dtype, init.attrs.Get<DType>("dtype"));
    RHEO_ASSIGN_OR_RETURN(options.element_shape, init.attrs.Get<PartialShape>("element_shape"));
    RHEO_ASSIGN_OR_RETURN(options.grows, init.attrs.Get<bool>("dynamic_size"));
    RHEO_ASSIGN_OR_RETURN(options.clear_after_read, init.attrs.Get<bool>("clear_after_read"));
    options.same_shapes = init.attrs.GetOr("identical_element_shapes", false);
    RHEO_ASSIGN_OR_RETURN(options.name, init.attrs.Get<std::string>("tensor_array_name"));
    if (options.name.empty()) options.name = init.node_name;
    return std::make_unique<TensorArrayKernel>(std::move(options));
  }
  explicit TensorArrayKernel(TensorArray::Options options) : options_(std::move(options)) {}

  Status Compute(KernelContext& c) override {
    TensorArray::Options options = options_;
    RHEO_ASSIGN_OR_RETURN(options.size, ReadArrayScalar(c, 0, "size"));
    if (options.size < 0) return InvalidArgument("Size should be >= 0.");
    RHEO_RETURN_IF_ERROR(CheckNumElements(options.size));
    options.name =
        fmt::format("{}_{}", options.name, next_.fetch_add(1, std::memory_order_relaxed));
    // Nodes of one name may run in one step: in functions that are called several times.
    options.key = fmt::format("{}_{:016x}", options.name, RandomUint64());
    const std::string key = options.key;
    RHEO_RETURN_IF_ERROR(c.step().step_resources->Create<TensorArray>(
        "", key, std::make_shared<TensorArray>(std::move(options))));
    SetArrayHandle(c, key);
    SetFlow(c, 1);
    return OkStatus();
  }

 private:
  const TensorArray::Options options_;
  // Only makes names differ.
  std::atomic<uint64_t> next_{0};
};

StatusOr<std::string> ReadSource(const KernelInit& init) {
  return init.attrs.Get<std::string>("source");
}

// The array of gradients of one source is the same whoever asks.
Status MakeGradient(const std::string& source, KernelContext& c, const Shape& prepended) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array, FindArray(c));
  const std::string key = array->key() + '@' + source;
  RHEO_RETURN_IF_ERROR(c.step()
                           .step_resources
                           ->LookupOrCreate<TensorArray>(
                               "", key, [&] { return array->MakeGradient(source, prepended); })
                           .status());
  SetArrayHandle(c, key);
  SetFlow(c, 1);
  return OkStatus();
}

Status TensorArrayGrad(const std::string& source, KernelContext& c) {
  return MakeGradient(source, c, Shape{});
}

Status TensorArrayGradWithShape(const std::string& source, KernelContext& c) {
  Dims dims;
  for (const int32_t dim : c.input(2).flat<int32_t>()) dims.push_back(dim);
  RHEO_ASSIGN_OR_RETURN(const Shape prepended, Shape::Create(dims));
  return MakeGradient(source, c, prepended);
}

// ---- Elements

Status TensorArrayWrite(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array, FindArray(c));
  RHEO_ASSIGN_OR_RETURN(const int64_t index, ReadArrayScalar(c, 1, "index"));
  if (c.input_type(2) != array->dtype()) {
    return InvalidArgument("TensorArray dtype is {} but Op is trying to write dtype {}.",
                           DTypeName(array->dtype()), DTypeName(c.input_type(2)));
  }
  RHEO_RETURN_IF_ERROR(array->Write(c, index, c.TakeInput(2)));
  SetFlow(c, 0);
  return OkStatus();
}

Status TensorArrayRead(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array, FindArray(c));
  RHEO_RETURN_IF_ERROR(CheckReadDType(c, *array));
  RHEO_ASSIGN_OR_RETURN(const int64_t index, ReadArrayScalar(c, 1, "index"));
  RHEO_ASSIGN_OR_RETURN(Tensor value, array->Read(c, index));
  c.set_output(0, std::move(value));
  return OkStatus();
}

Status TensorArraySize(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array, FindArray(c));
  RHEO_ASSIGN_OR_RETURN(const int64_t size, array->size());
  c.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(size)));
  return OkStatus();
}

Status TensorArrayClose(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const std::shared_ptr<TensorArray> array, FindArray(c));
  array->Close();
  return OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<TensorArray>> FindArray(const KernelContext& c) {
  HandleName where;
  if (c.input_type(0) == DType::kString) {
    const Tensor& names = c.input(0);
    if (names.num_elements() != 2) {
      return InvalidArgument("Tensor array handle must have 2 elements, but had shape: {}",
                             names.shape().ToString());
    }
    where = {names.flat<std::string>()[0], names.flat<std::string>()[1]};
  } else {
    RHEO_ASSIGN_OR_RETURN(where, ReadHandleName(c, 0, TensorArray::kTypeName));
  }
  return c.step().step_resources->Lookup<TensorArray>(where.container, where.name);
}

Status CheckReadDType(const KernelContext& c, const TensorArray& array) {
  if (c.output_type(0) == array.dtype()) return OkStatus();
  return InvalidArgument("TensorArray dtype is {} but Op requested dtype {}.",
                         DTypeName(array.dtype()), DTypeName(c.output_type(0)));
}

void AddTensorArrayKernels(TableKernels& kernels) {
  for (const std::string version : {"", "V2", "V3"}) {
    kernels.Add("TensorArray" + version, kernel::ClassKernel<TensorArrayKernel>());
    kernels.Add("TensorArrayGrad" + version, AttrKernel(&ReadSource, &TensorArrayGrad));
    kernels.Add("TensorArrayWrite" + version, FunctionKernel(&TensorArrayWrite));
    kernels.Add("TensorArrayRead" + version, FunctionKernel(&TensorArrayRead));
    kernels.Add("TensorArraySize" + version, FunctionKernel(&TensorArraySize));
    kernels.Add("TensorArrayClose" + version, FunctionKernel(&TensorArrayClose));
  }
  kernels.Add("TensorArrayGradWithShape", AttrKernel(&ReadSource, &TensorArrayGradWithShape));
}

}  // namespace rheo::ops
