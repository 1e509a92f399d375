// ApplyKernel: runs the rule of an optimizer over the elements of a variable and its slots.
//
// A rule is a class template over the type that it computes with:
//
//   template <typename C>
//   struct Momentum {
//     static constexpr int kNumSlots = 1;
//     static constexpr std::array<std::string_view, 2> kScalars = {"lr", "momentum"};
//     Momentum(const std::array<C, 2>& scalars, const ApplyOptions& options);
//     C Update(C var, std::array<C, 1>& slots, C gradient) const;  // the new var
//   };
#ifndef RHEO_OPS_TRAINING_APPLY_KERNEL_H_
#define RHEO_OPS_TRAINING_APPLY_KERNEL_H_

#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/table_kernels.h"
#include "rheo/ops/training/apply_layout.h"

namespace rheo::ops {

// 16-bit floats are computed in float.
template <typename T>
using ComputeType =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>, float, T>;

// -1, 0 or 1; 0 for NaN. For rules.
template <typename C>
C Sign(C x) {
  return static_cast<C>((x > C(0)) - (x < C(0)));
}

template <typename T, template <typename> class Rule>
class ApplyKernel final : public kernel::Kernel {
  using C = ComputeType<T>;
  using R = Rule<C>;
  static constexpr size_t kNumSlots = R::kNumSlots;

 public:
  static StatusOr<std::unique_ptr<kernel::Kernel>> Create(const kernel::KernelInit& init) {
    RHEO_ASSIGN_OR_RETURN(ApplyLayout layout,
                          ApplyLayout::Create(init, 1 + R::kNumSlots, R::kScalars));
    return std::make_unique<ApplyKernel>(std::move(layout));
  }
  explicit ApplyKernel(ApplyLayout layout) : layout_(std::move(layout)) {}

  Status Compute(kernel::KernelContext& c) override {
    RHEO_ASSIGN_OR_RETURN(const std::vector<StoredTensor> variables, layout_.FindVariables(c));
    {
      const StoredLock lock(variables);
      RHEO_RETURN_IF_ERROR(layout_.Check(c, variables));
      const R rule(ReadScalars(c), layout_.options);
      if (layout_.indices >= 0) {
        RHEO_RETURN_IF_ERROR(UpdateRows(c, rule, variables));
      } else {
        RHEO_RETURN_IF_ERROR(UpdateAll(c, rule, variables));
      }
    }
    if (c.num_outputs() > 0) c.set_output_ref(0, c.shared_input_ref(0));
    return OkStatus();
  }

 private:
  // Where the slots of element 0 lie.
  using Slots = std::array<T*, kNumSlots>;

  auto ReadScalars(const kernel::KernelContext& c) const {
    std::array<C, R::kScalars.size()> scalars{};
    for (size_t i = 0; i < scalars.size(); ++i) {
      const Tensor& input = c.input(layout_.scalars[i]);
      scalars[i] = input.dtype() == DType::kInt64
                       ? static_cast<C>(static_cast<float>(input.scalar<int64_t>()))
                       : static_cast<C>(input.scalar<T>());
    }
    return scalars;
  }

  StatusOr<Slots> OwnSlots(const kernel::KernelContext& c,
                           const std::vector<StoredTensor>& variables) const {
    Slots slots{};
    for (size_t k = 0; k < kNumSlots; ++k) {
      Tensor& slot = *variables[k + 1].tensor;
      RHEO_RETURN_IF_ERROR(MakeUnique(c, slot));
      slots[k] = slot.mutable_flat<T>().data();
    }
    return slots;
  }

  static void UpdateRange(const R& rule, const T* from, T* to, const Slots& slots, const T* grad,
                          int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      std::array<C, kNumSlots> values{};
      for (size_t k = 0; k < kNumSlots; ++k) values[k] = static_cast<C>(slots[k][i]);
      to[i] = static_cast<T>(rule.Update(static_cast<C>(from[i]), values, static_cast<C>(grad[i])));
      for (size_t k = 0; k < kNumSlots; ++k) slots[k][i] = static_cast<T>(values[k]);
    }
  }

  static Slots Shifted(Slots slots, int64_t by) {
    for (T*& slot : slots) slot += by;
    return slots;
  }

  Status UpdateAll(const kernel::KernelContext& c, const R& rule,
                   const std::vector<StoredTensor>& variables) const {
    RHEO_ASSIGN_OR_RETURN(const Slots slots, OwnSlots(c, variables));
    RHEO_ASSIGN_OR_RETURN(Rewrite rewrite, Rewrite::Begin(c, *variables[0].tensor));
    const T* const from = rewrite.from<T>();
    T* const to = rewrite.to<T>();
    const T* const grad = c.input(layout_.gradient).template flat<T>().data();
    constexpr int64_t kCostNs = 1 + 2 * kNumSlots;
    c.ParallelFor(rewrite.num_elements(), kCostNs, [&](int64_t begin, int64_t end) {
      UpdateRange(rule, from + begin, to + begin, Shifted(slots, begin), grad + begin, end - begin);
    });
    rewrite.Commit();
    return OkStatus();
  }

  // Row after row, so that a row that is named twice is updated twice.
  Status UpdateRows(const kernel::KernelContext& c, const R& rule,
                    const std::vector<StoredTensor>& variables) const {
    Tensor& var = *variables[0].tensor;
    RHEO_ASSIGN_OR_RETURN(const Dims rows, layout_.ReadRows(c, var.dim(0)));
    if (rows.empty()) return OkStatus();
    RHEO_ASSIGN_OR_RETURN(const Slots slots, OwnSlots(c, variables));
    RHEO_RETURN_IF_ERROR(MakeUnique(c, var));
    T* const to = var.mutable_flat<T>().data();
    const T* const grad = c.input(layout_.gradient).template flat<T>().data();
    const int64_t width = var.num_elements() / var.dim(0);
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t at = rows[i] * width;
      UpdateRange(rule, to + at, to + at, Shifted(slots, at),
                  grad + static_cast<int64_t>(i) * width, width);
    }
    return OkStatus();
  }

  const ApplyLayout layout_;
};

// Registers the rule under each op name.
template <template <typename> class Rule, typename Types>
void AddRule(TableKernels& kernels, std::initializer_list<const char*> ops) {
  const kernel::KernelFactory factory =
      ByType<Types>("T", []<typename T>() { return kernel::ClassKernel<ApplyKernel<T, Rule>>(); });
  for (const char* op : ops) kernels.Add(op, factory);
}

void AddBasicRules(TableKernels& kernels);     // basic_rules.cc
void AddAdaptiveRules(TableKernels& kernels);  // adaptive_rules.cc
void AddProximalRules(TableKernels& kernels);  // proximal_rules.cc

}  // namespace rheo::ops

#endif  // RHEO_OPS_TRAINING_APPLY_KERNEL_H_
