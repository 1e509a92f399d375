// What all Apply ops have in common, apart from the rule: which input is what, and the checks of
// shapes and dtypes.
#ifndef RHEO_OPS_TRAINING_APPLY_LAYOUT_H_
#define RHEO_OPS_TRAINING_APPLY_LAYOUT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rheo/kernel/kernel.h"
#include "rheo/ops/common/stored_tensor.h"

namespace rheo::ops {

// The attrs that change a rule; false where the op has none.
struct ApplyOptions {
  bool use_nesterov = false;
  bool update_slots = true;
  bool multiply_linear_by_lr = false;
};

// Positions of an Apply op's inputs. The variables come first: var, then the slots.
struct ApplyLayout {
  std::vector<std::string> variables;  // names of the first inputs
  std::vector<std::string> scalar_names;
  std::vector<int> scalars;  // positions, in the order that the rule asks for
  int gradient = -1;
  std::string gradient_name;
  int indices = -1;  // of a sparse form
  ApplyOptions options;

  // INTERNAL when the schema lacks an argument: a mistake of the rule.
  static StatusOr<ApplyLayout> Create(const kernel::KernelInit& init, int num_variables,
                                      std::span<const std::string_view> scalar_names);

  // The variables of the inputs. FAILED_PRECONDITION for one that was never assigned.
  StatusOr<std::vector<StoredTensor>> FindVariables(kernel::KernelContext& context) const;
  // INVALID_ARGUMENT unless dtypes and shapes fit one another. Call with the variables' locks.
  Status Check(const kernel::KernelContext& context,
               const std::vector<StoredTensor>& variables) const;
  // The rows that a sparse form updates. INVALID_ARGUMENT for one that is out of range.
  StatusOr<Dims> ReadRows(const kernel::KernelContext& context, int64_t num_rows) const;
};

}  // namespace rheo::ops

#endif  // RHEO_OPS_TRAINING_APPLY_LAYOUT_H_
