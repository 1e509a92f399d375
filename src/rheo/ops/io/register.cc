#include "rheo/ops/io/register.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "rheo/op/shape_context.h"
#include "rheo/ops/common/table_kernels.h"
#include "rheo/ops/io/files.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;
using op::ShapeContext;
using Files = std::shared_ptr<const FilePolicy>;
using FileFunction = Status (*)(const FilePolicy&, KernelContext&);

Status WriteFileShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 0));
  return c.RequireRank(1, 0);
}

Status ReadFileShape(ShapeContext& c) {
  RHEO_RETURN_IF_ERROR(c.RequireRank(0, 0));
  return op::ScalarShape(c);
}

Status MatchingFilesShape(ShapeContext& c) {
  c.set_output(0, PartialShape::OfRank(1));
  return OkStatus();
}

Status RequireScalar(std::string_view what, const Tensor& tensor) {
  if (tensor.rank() == 0) return OkStatus();
  return InvalidArgument("{} tensor must be scalar, but had shape: {}", what,
                         tensor.shape().ToString());
}

Status ReadFile(const FilePolicy& files, KernelContext& context) {
  RHEO_RETURN_IF_ERROR(RequireScalar("Input filename", context.input(0)));
  RHEO_ASSIGN_OR_RETURN(
      std::string contents,
      ReadWholeFile(files, context.input(0).flat<std::string>()[0], context.stop()));
  context.set_output(0, Tensor::Scalar(std::move(contents)));
  return OkStatus();
}

Status WriteFile(const FilePolicy& files, KernelContext& context) {
  RHEO_RETURN_IF_ERROR(RequireScalar("Input filename", context.input(0)));
  RHEO_RETURN_IF_ERROR(RequireScalar("Contents", context.input(1)));
  return WriteWholeFile(files, context.input(0).flat<std::string>()[0],
                        context.input(1).flat<std::string>()[0]);
}

Status MatchingFiles(const FilePolicy& files, KernelContext& context) {
  const Tensor& patterns = context.input(0);
  if (patterns.rank() > 1) {
    return InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: {}",
                           patterns.shape().ToString());
  }
  std::vector<std::string> all;
  for (const std::string& pattern : patterns.flat<std::string>()) {
    RHEO_ASSIGN_OR_RETURN(std::vector<std::string> found,
                          MatchFiles(files, pattern, context.stop()));
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end());
  context.set_output(0, Tensor::Vector<std::string>(all));
  return OkStatus();
}

// Asynchronous, so that nobody takes its result for a constant and evaluates it on another machine.
class FileKernel final : public kernel::AsyncKernel {
 public:
  FileKernel(Files files, FileFunction function) : files_(std::move(files)), function_(function) {}

  void ComputeAsync(KernelContext& context, DoneCallback done) override {
    std::move(done)(function_(*files_, context));
  }
  bool IsExpensive() const override { return true; }

 private:
  const Files files_;
  const FileFunction function_;
};

struct NamedKernel {
  std::string_view op;
  op::ShapeFn shape_fn;
  FileFunction function;
};

const NamedKernel kKernels[] = {
    {"MatchingFiles", &MatchingFilesShape, &MatchingFiles},
    {"ReadFile", &ReadFileShape, &ReadFile},
    {"WriteFile", &WriteFileShape, &WriteFile},
};

}  // namespace

Status RegisterIoSchemas(op::OpRegistry& registry) {
  for (const NamedKernel& k : kKernels) {
    RHEO_RETURN_IF_ERROR(registry.SetShapeFn(k.op, k.shape_fn));
  }
  return OkStatus();
}

void RegisterIoKernels(kernel::KernelRegistry& registry, std::shared_ptr<const FilePolicy> files) {
  TableKernels kernels(registry);
  for (const NamedKernel& k : kKernels) {
    kernels.Add(k.op,
                [files, function = k.function](
                    const kernel::KernelInit& init) -> StatusOr<std::unique_ptr<kernel::Kernel>> {
                  if (files->allows_nothing()) {
                    return PermissionDenied(
                        "node '{}' ({}) touches files, which {} does not allow: its file policy is "
                        "'none'",
                        init.node_name, init.schema.name, init.device.info().name);
                  }
                  return std::make_unique<FileKernel>(files, function);
                });
  }
}

std::vector<std::string_view> IoOps() {
  std::vector<std::string_view> ops;
  for (const NamedKernel& k : kKernels) ops.push_back(k.op);
  return ops;
}

}  // namespace rheo::ops
