#include "rheo/ops/common/kernel_test_util.h"

#include "rheo/async/notification.h"
#include "rheo/base/log.h"
#include "rheo/op/shape_context.h"

namespace rheo::ops {
namespace {

constexpr std::string_view kTestDeviceName = "/job:localhost/replica:0/task:0/device:CPU:0";

class TestDevice final : public device::Device {
 public:
  TestDevice() {
    info_.name = kTestDeviceName;
    info_.type = "CPU";
    name_.job = "localhost";
    name_.replica = 0;
    name_.task = 0;
    name_.type = "CPU";
    name_.id = 0;
  }
  const device::DeviceInfo& info() const override { return info_; }
  const device::DeviceName& name() const override { return name_; }
  Allocator& allocator() override { return HostAllocator(); }
  device::Stream* stream() override { return nullptr; }
  bool is_host_memory() const override { return true; }
  void CopyToHost(const Tensor& t, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    done(t);
  }
  void CopyFromHost(const Tensor& t, absl::AnyInvocable<void(StatusOr<Tensor>)> done) override {
    done(t);
  }

 private:
  device::DeviceInfo info_;
  device::DeviceName name_;
};

// How many tensors the one argument of variable length takes.
StatusOr<int> VariableLength(const op::OpSchema& schema, const op::AttrMap& attrs, size_t given) {
  int fixed = 0;
  int variable = 0;
  for (const op::ArgSpec& arg : schema.inputs) {
    if (!arg.number_attr.empty() && attrs.Has(arg.number_attr)) {
      RHEO_ASSIGN_OR_RETURN(const int64_t n, attrs.Get<int64_t>(arg.number_attr));
      fixed += static_cast<int>(n);
    } else if (!arg.number_attr.empty() || !arg.type_list_attr.empty()) {
      ++variable;
    } else {
      ++fixed;
    }
  }
  const int left = static_cast<int>(given) - fixed;
  if (left < 0 || variable > 1) {
    return InvalidArgument("{} inputs do not fit the arguments of {}", given, schema.name);
  }
  return left;
}

Status CheckOutputs(const op::OpSchema& schema, const op::NodeTypes& types,
                    const std::vector<kernel::Value>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const kernel::Value& v = outputs[i];
    if (v.state == kernel::Value::State::kAbsent) {
      return Internal("{} left output {} unset", schema.name, i);
    }
    if (v.state == kernel::Value::State::kLive && v.ref == nullptr &&
        v.tensor.dtype() != types.outputs[i]) {
      return Internal("{} gave output {} the dtype {}, must be {}", schema.name, i,
                      DTypeName(v.tensor.dtype()), DTypeName(types.outputs[i]));
    }
  }
  return OkStatus();
}

// The op's shape function, told everything, must agree with what the kernel did.
Status CheckShapeFunction(const op::OpSchema& schema, const op::AttrMap& attrs,
                          const op::NodeTypes& types, const std::vector<PartialShape>& shapes,
                          const std::vector<Tensor>& constants,
                          const std::vector<Tensor>& outputs) {
  if (schema.shape_fn == nullptr) return OkStatus();
  std::vector<const Tensor*> known;
  for (const Tensor& t : constants) known.push_back(t.has_value() ? &t : nullptr);
  op::ShapeContext context(attrs, shapes, known, types);
  if (const Status s = schema.shape_fn(context); !s.ok()) {
    return Internal("the shape function of {} refuses what its kernel computes: {}", schema.name,
                    Message(s));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].has_value()) continue;
    if (!context.outputs()[i].IsCompatibleWith(outputs[i].shape())) {
      return Internal("the shape function of {} gives {} for output {}, its kernel {}", schema.name,
                      context.outputs()[i].ToString(), i, outputs[i].shape().ToString());
    }
  }
  return OkStatus();
}

// Servers tolerate attrs that a schema does not know; a test that gives one means another.
Status CheckAttrNames(const op::OpSchema& schema, const op::AttrMap& attrs) {
  for (const auto& [name, value] : attrs) {
    if (schema.FindAttr(name) != nullptr || name.starts_with('_')) continue;
    std::string known;
    for (const op::AttrSpec& attr : schema.attrs) known += ' ' + attr.name;
    return InvalidArgument("{} has no attr '{}'; its attrs are{}", schema.name, name, known);
  }
  return OkStatus();
}

}  // namespace

std::unique_ptr<device::Device> MakeTestDevice() { return std::make_unique<TestDevice>(); }

Status CompleteAttrs(const op::OpSchema& schema, const std::vector<Tensor>& inputs,
                     op::AttrMap& attrs) {
  RHEO_RETURN_IF_ERROR(CheckAttrNames(schema, attrs));
  RHEO_ASSIGN_OR_RETURN(const int variable, VariableLength(schema, attrs, inputs.size()));
  size_t next = 0;
  for (const op::ArgSpec& arg : schema.inputs) {
    if (!arg.type_list_attr.empty()) {
      std::vector<DType> types;
      for (int i = 0; i < variable; ++i) types.push_back(inputs[next++].dtype());
      if (!attrs.Has(arg.type_list_attr)) attrs.Set(arg.type_list_attr, std::move(types));
      continue;
    }
    int64_t count = 1;
    if (!arg.number_attr.empty()) {
      if (!attrs.Has(arg.number_attr)) attrs.Set(arg.number_attr, int64_t{variable});
      RHEO_ASSIGN_OR_RETURN(count, attrs.Get<int64_t>(arg.number_attr));
    }
    if (next + static_cast<size_t>(count) > inputs.size()) {
      return InvalidArgument("{} has too few inputs: {}", schema.name, inputs.size());
    }
    if (!arg.type_attr.empty() && !attrs.Has(arg.type_attr) && count > 0) {
      attrs.Set(arg.type_attr, inputs[next].dtype());
    }
    next += static_cast<size_t>(count);
  }
  op::AddDefaultAttrs(schema, attrs);
  return OkStatus();
}

StatusOr<std::unique_ptr<PreparedKernel>> PreparedKernel::Create(
    const op::OpSchema& schema, const kernel::KernelRegistry& kernels, op::AttrMap attrs,
    device::Device& device, kernel::ResourceManager& resources, ThreadPool* pool) {
  auto prepared = std::unique_ptr<PreparedKernel>(new PreparedKernel(schema, std::move(attrs)));
  PreparedKernel& p = *prepared;
  RHEO_ASSIGN_OR_RETURN(p.types_, op::ResolveTypes(schema, p.attrs_));
  p.host_inputs_.assign(p.types_.inputs.size(), true);
  p.host_outputs_.assign(p.types_.outputs.size(), true);
  const std::string node_name = "test_" + schema.name;
  RHEO_ASSIGN_OR_RETURN(p.kernel_,
                        kernels.Create(kernel::KernelInit{.node_name = node_name,
                                                          .schema = schema,
                                                          .attrs = p.attrs_,
                                                          .types = p.types_,
                                                          .device = device,
                                                          .host_inputs = p.host_inputs_,
                                                          .host_outputs = p.host_outputs_}));
  p.step_resources_ = std::make_unique<kernel::ResourceManager>("step");
  p.step_.device = &device;
  p.step_.resources = &resources;
  p.step_.step_resources = p.step_resources_.get();
  p.step_.intra_op_pool = pool;
  return prepared;
}

Status PreparedKernel::RunUnchecked(std::vector<kernel::Value>& inputs,
                                    std::vector<kernel::Value>& outputs) {
  kernel::KernelContext context(
      {.step = &step_, .types = &types_, .inputs = inputs, .outputs = outputs});
  kernel::AsyncKernel* async = kernel_->AsAsync();
  if (async == nullptr) return kernel_->Compute(context);
  Notification finished;
  Status result;
  async->ComputeAsync(context, [&](const Status& status) {
    result = status;
    finished.Notify();
  });
  finished.Wait();
  return result;
}

StatusOr<std::vector<Tensor>> PreparedKernel::Run(std::vector<Tensor> inputs) {
  if (inputs.size() != types_.inputs.size()) {
    return InvalidArgument("{} takes {} inputs, not {}", schema_.name, types_.inputs.size(),
                           inputs.size());
  }
  std::vector<kernel::Value> values(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != RemoveRef(types_.inputs[i])) {
      return InvalidArgument("input {} of {} is {}, must be {}", i, schema_.name,
                             DTypeName(inputs[i].dtype()), DTypeName(types_.inputs[i]));
    }
    values[i].state = kernel::Value::State::kLive;
    values[i].tensor = std::move(inputs[i]);
  }
  std::vector<kernel::Value> outputs(types_.outputs.size());
  RHEO_RETURN_IF_ERROR(RunUnchecked(values, outputs));
  RHEO_RETURN_IF_ERROR(CheckOutputs(schema_, types_, outputs));
  std::vector<Tensor> tensors;
  for (kernel::Value& v : outputs) tensors.push_back(std::move(v.tensor));
  return tensors;
}

KernelRunner::KernelRunner(const op::OpRegistry& ops, const kernel::KernelRegistry& kernels,
                           ThreadPool* pool)
    : ops_(ops),
      kernels_(kernels),
      pool_(pool),
      device_(MakeTestDevice()),
      resources_("localhost") {}

KernelRunner::~KernelRunner() = default;

StatusOr<std::unique_ptr<PreparedKernel>> KernelRunner::Prepare(
    std::string_view op, op::AttrMap attrs, const std::vector<Tensor>& example_inputs) {
  const op::OpSchema* schema = ops_.Find(op);
  if (schema == nullptr) return NotFound("there is no op {}", op);
  RHEO_RETURN_IF_ERROR(CompleteAttrs(*schema, example_inputs, attrs));
  return PreparedKernel::Create(*schema, kernels_, std::move(attrs), *device_, resources_, pool_);
}

StatusOr<std::vector<Tensor>> KernelRunner::RunOp(std::string_view op, op::AttrMap attrs,
                                                  std::vector<Tensor> inputs) {
  RHEO_ASSIGN_OR_RETURN(const std::unique_ptr<PreparedKernel> prepared,
                        Prepare(op, std::move(attrs), inputs));
  std::vector<PartialShape> shapes;
  for (const Tensor& t : inputs) shapes.emplace_back(t.shape());
  // Shared buffers would keep the kernel from forwarding its inputs; small ones suffice as
  // constants.
  std::vector<Tensor> constants;
  for (const Tensor& t : inputs) {
    constants.push_back(t.num_elements() <= 1024 ? t.Clone() : Tensor());
  }
  RHEO_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, prepared->Run(std::move(inputs)));
  RHEO_RETURN_IF_ERROR(CheckShapeFunction(*ops_.Find(op), prepared->attrs(), prepared->types(),
                                          shapes, constants, outputs));
  return outputs;
}

std::unique_ptr<TestRegistries> MakeTestRegistries(
    const std::function<Status(op::OpRegistry&)>& register_schemas,
    const std::function<void(kernel::KernelRegistry&)>& register_kernels) {
  auto registries = std::make_unique<TestRegistries>();
  Status status = registries->ops.AddTable(op::PublicOpTable());
  if (status.ok()) status = register_schemas(registries->ops);
  if (!status.ok()) {
    RHEO_LOG(Error, "the family's schemas: {}", Message(status));
    return nullptr;
  }
  register_kernels(registries->kernels);
  return registries;
}

}  // namespace rheo::ops
