// Updates of whole variables: AssignAdd, AssignSub, CountUpTo and their resource forms. Always
// under the variable's lock, whatever use_locking says.
#include <type_traits>

#include "rheo/ops/common/kernel_factories.h"
#include "rheo/ops/common/stored_tensor.h"
#include "rheo/ops/state/kernels.h"

namespace rheo::ops {
namespace {

using kernel::FunctionKernel;
using kernel::KernelContext;
using kernel::KernelInit;

template <typename T>
struct Plus {
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return static_cast<T>(a + b);
    }
  }
};

template <typename T>
struct Minus {
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    } else {
      return static_cast<T>(a - b);
    }
  }
};

Status CheckUpdateShape(const KernelContext& c, const Tensor& variable, const Tensor& value) {
  if (variable.dtype() != value.dtype()) {
    return InvalidArgument("Trying to update variable with wrong dtype. Expected {} got {}",
                           DTypeName(variable.dtype()), DTypeName(value.dtype()));
  }
  if (variable.shape() == value.shape()) return OkStatus();
  if (IsRef(c.input_type(0))) {
    return InvalidArgument("Parameters and update must be the same size: {} and {}",
                           variable.shape().ToString(), value.shape().ToString());
  }
  return InvalidArgument(
      "Cannot update variable with shape {} using a Tensor with shape {}, shapes "
      "must be equal.",
      variable.shape().ToString(), value.shape().ToString());
}

// variable = Op(variable, value), element by element.
template <typename T, typename Op>
Status UpdateAll(KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const StoredTensor variable, FindStored(c, 0));
  const Tensor& value = c.input(1);
  {
    StoredLock lock({&variable});
    RHEO_RETURN_IF_ERROR(variable.RequireInitialized());
    RHEO_RETURN_IF_ERROR(CheckUpdateShape(c, *variable.tensor, value));
    RHEO_ASSIGN_OR_RETURN(Rewrite rewrite, Rewrite::Begin(c, *variable.tensor));
    const T* const from = rewrite.from<T>();
    const T* const by = value.flat<T>().data();
    T* const to = rewrite.to<T>();
    c.ParallelFor(rewrite.num_elements(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = Op::Apply(from[i], by[i]);
    });
    rewrite.Commit();
  }
  if (c.num_outputs() > 0) c.set_output_ref(0, c.shared_input_ref(0));
  return OkStatus();
}

StatusOr<int64_t> Limit(const KernelInit& init) { return init.attrs.Get<int64_t>("limit"); }

template <typename T>
Status CountUpTo(const int64_t& limit, KernelContext& c) {
  RHEO_ASSIGN_OR_RETURN(const StoredTensor variable, FindStored(c, 0));
  StoredLock lock({&variable});
  RHEO_RETURN_IF_ERROR(variable.RequireInitialized());
  if (variable.tensor->rank() != 0 || variable.tensor->dtype() != kDTypeOf<T>) {
    return InvalidArgument("a counter must be a scalar of {}, but is {}", DTypeName(kDTypeOf<T>),
                           variable.tensor->ToString());
  }
  const T before = variable.tensor->scalar<T>();
  if (before >= static_cast<T>(limit)) return OutOfRange("Reached limit of {}", limit);
  *variable.tensor = Tensor::Scalar<T>(static_cast<T>(before + 1));
  c.set_output(0, Tensor::Scalar<T>(before));
  return OkStatus();
}

}  // namespace

void AddUpdateKernels(TableKernels& kernels) {
  const auto add = [](const char* attr) {
    return ByType<NumberTypes>(attr,
                               []<typename T>() { return FunctionKernel(&UpdateAll<T, Plus<T>>); });
  };
  const auto subtract = [](const char* attr) {
    return ByType<NumberTypes>(
        attr, []<typename T>() { return FunctionKernel(&UpdateAll<T, Minus<T>>); });
  };
  kernels.Add("AssignAdd", add("T"));
  kernels.Add("AssignSub", subtract("T"));
  kernels.AddForCpu("AssignAddVariableOp", add("dtype"));
  kernels.AddForCpu("AssignSubVariableOp", subtract("dtype"));
  for (const char* op : {"CountUpTo", "ResourceCountUpTo"}) {
    kernels.Add(op, ByType<IndexTypes>(
                        "T", []<typename T>() { return AttrKernel(&Limit, &CountUpTo<T>); }));
  }
}

}  // namespace rheo::ops
