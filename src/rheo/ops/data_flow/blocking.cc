#include "rheo/ops/data_flow/blocking.h"

#include "absl/strings/str_join.h"

namespace rheo::ops {
namespace {

using kernel::KernelContext;

std::string Names(const std::vector<DType>& dtypes) {
  return absl::StrJoin(dtypes, ", ", [](std::string* out, DType d) { out->append(DTypeName(d)); });
}

}  // namespace

Status CheckSignature(const KernelContext& context, int first, const std::vector<DType>& inputs,
                      int first_output, const std::vector<DType>& outputs) {
  std::vector<DType> have_inputs;
  std::vector<DType> have_outputs;
  for (int i = 0; i < context.num_inputs(); ++i) have_inputs.push_back(context.input_type(i));
  for (int i = 0; i < context.num_outputs(); ++i) have_outputs.push_back(context.output_type(i));
  std::vector<DType> expected_inputs(have_inputs.begin(), have_inputs.begin() + first);
  std::vector<DType> expected_outputs(have_outputs.begin(), have_outputs.begin() + first_output);
  expected_inputs.insert(expected_inputs.end(), inputs.begin(), inputs.end());
  expected_outputs.insert(expected_outputs.end(), outputs.begin(), outputs.end());
  if (have_inputs == expected_inputs && have_outputs == expected_outputs) return OkStatus();
  return InvalidArgument("Signature mismatch, have: {}->{} expected: {}->{}", Names(have_inputs),
                         Names(have_outputs), Names(expected_inputs), Names(expected_outputs));
}

Status CheckNoTimeout(const kernel::KernelInit& init) {
  RHEO_ASSIGN_OR_RETURN(const int64_t timeout, init.attrs.Get<int64_t>("timeout_ms"));
  return timeout == -1 ? OkStatus() : InvalidArgument("Timeout not supported yet.");
}

StatusOr<int64_t> ReadCount(const KernelContext& context, int i, std::string_view what) {
  const Tensor& tensor = context.input(i);
  if (tensor.num_elements() != 1) {
    return InvalidArgument("{} must be a scalar, but has shape {}", what,
                           tensor.shape().ToString());
  }
  return tensor.scalar<int32_t>();
}

}  // namespace rheo::ops
