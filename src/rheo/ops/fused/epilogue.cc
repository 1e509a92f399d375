#include "rheo/ops/fused/epilogue.h"

#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rheo/ops/common/elementwise.h"
#include "rheo/ops/common/scalar_functions.h"

namespace rheo::ops {
namespace {

constexpr std::pair<std::string_view, Activation> kActivations[] = {
    {"Relu", Activation::kRelu},
    {"Relu6", Activation::kRelu6},
    {"Elu", Activation::kElu},
    {"LeakyRelu", Activation::kLeakyRelu},
    {"Tanh", Activation::kTanh},
    {"Sigmoid", Activation::kSigmoid},
    {"GeluExact", Activation::kGeluExact},
    {"GeluApproximate", Activation::kGeluApproximate},
};

std::optional<Activation> ActivationOf(std::string_view name) {
  for (const auto& [known, activation] : kActivations) {
    if (known == name) return activation;
  }
  return std::nullopt;
}

// The tensors of an epilogue as the loops want them: null where there is none.
template <typename T>
struct Args {
  std::vector<Wide<T>> factors;  // by channel; empty: 1
  std::vector<Wide<T>> offsets;  // by channel; empty: 0
  const T* addend = nullptr;     // by element
};

Status CheckChannels(const Tensor& arg, int64_t channels, std::string_view what) {
  if (arg.rank() == 1 && arg.dim(0) == channels) return OkStatus();
  return InvalidArgument("the {} of shape {} does not fit {} channels", what,
                         arg.shape().ToString(), channels);
}

// (x - mean) · scale / √(variance + epsilon) + offset as factor and offset.
template <typename T>
Status Normalization(const kernel::KernelContext& context, const Epilogue& epilogue, int first_arg,
                     int64_t channels, Args<T>& args) {
  constexpr std::string_view kNames[] = {"scale", "offset", "mean", "variance"};
  for (int i = 0; i < 4; ++i) {
    RHEO_RETURN_IF_ERROR(CheckChannels(context.input(first_arg + i), channels, kNames[i]));
  }
  using W = Wide<T>;
  const auto value = [&](int arg, int64_t c) {
    return static_cast<W>(context.input(first_arg + arg).flat<T>()[static_cast<size_t>(c)]);
  };
  for (int64_t c = 0; c < channels; ++c) {
    const W factor = value(0, c) / std::sqrt(value(3, c) + static_cast<W>(epilogue.epsilon));
    args.factors.push_back(factor);
    args.offsets.push_back(value(1, c) - value(2, c) * factor);
  }
  return OkStatus();
}

template <typename T>
StatusOr<Args<T>> ArgsOf(const kernel::KernelContext& context, const Epilogue& epilogue,
                         int first_arg, const Tensor& product) {
  const int64_t channels = product.dim(product.rank() - 1);
  Args<T> args;
  if (epilogue.channels == Epilogue::Channels::kBias) {
    const Tensor& bias = context.input(first_arg);
    RHEO_RETURN_IF_ERROR(CheckChannels(bias, channels, "bias"));
    for (const T& value : bias.flat<T>()) args.offsets.push_back(static_cast<Wide<T>>(value));
  } else if (epilogue.channels == Epilogue::Channels::kBatchNorm) {
    RHEO_RETURN_IF_ERROR(Normalization<T>(context, epilogue, first_arg, channels, args));
  }
  if (epilogue.has_addend) {
    const Tensor& addend = context.input(first_arg + epilogue.num_args() - 1);
    if (!(addend.shape() == product.shape())) {
      return InvalidArgument("the addend of shape {} does not fit the product of shape {}",
                             addend.shape().ToString(), product.shape().ToString());
    }
    args.addend = addend.flat<T>().data();
  }
  return args;
}

// One row of channels, or several, through one function.
template <typename T, typename F>
void MapRow(F function, T* z, int64_t n) {
  RHEO_INDEPENDENT_LOOP
  for (int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(function(static_cast<Wide<T>>(z[i])));
}

template <typename T>
void Activate(const Epilogue& epilogue, T* z, int64_t n) {
  switch (epilogue.activation) {
    case Activation::kNone:
      return;
    case Activation::kRelu:
      return MapRow(scalar::Relu(), z, n);
    case Activation::kRelu6:
      return MapRow(scalar::Relu6(), z, n);
    case Activation::kElu:
      return MapRow(scalar::Elu(), z, n);
    case Activation::kLeakyRelu:
      return MapRow([alpha = static_cast<Wide<T>>(epilogue.alpha)](
                        Wide<T> x) { return x < Wide<T>(0) ? alpha * x : x; },
                    z, n);
    case Activation::kTanh:
      return MapRow(scalar::Tanh(), z, n);
    case Activation::kSigmoid:
      return MapRow(scalar::Sigmoid(), z, n);
    case Activation::kGeluExact:
      return MapRow(scalar::GeluExact(), z, n);
    case Activation::kGeluApproximate:
      return MapRow(scalar::GeluApproximate(), z, n);
  }
}

template <typename T>
void FinishRow(const Epilogue& epilogue, const Args<T>& args, int64_t start, T* z, int64_t n) {
  using W = Wide<T>;
  const W* factors = args.factors.empty() ? nullptr : args.factors.data();
  const W* offsets = args.offsets.empty() ? nullptr : args.offsets.data();
  for (int64_t c = 0; c < n && offsets != nullptr; ++c) {
    const W x = static_cast<W>(z[c]);
    z[c] = static_cast<T>((factors == nullptr ? x : x * factors[c]) + offsets[c]);
  }
  for (int64_t c = 0; c < n && args.addend != nullptr; ++c) {
    z[c] = static_cast<T>(static_cast<W>(z[c]) + static_cast<W>(args.addend[start + c]));
  }
  Activate(epilogue, z, n);
}

}  // namespace

StatusOr<Epilogue> EpilogueOf(const op::AttrMap& attrs) {
  RHEO_ASSIGN_OR_RETURN(const auto names, attrs.Get<std::vector<std::string>>("fused_ops"));
  Epilogue epilogue;
  epilogue.alpha = attrs.GetOr<float>("leakyrelu_alpha", 0.2f);
  epilogue.epsilon = attrs.GetOr<float>("epsilon", 1e-4f);
  size_t next = 0;
  const auto take = [&](std::string_view name) {
    if (next == names.size() || names[next] != name) return false;
    ++next;
    return true;
  };
  if (take("BiasAdd")) {
    epilogue.channels = Epilogue::Channels::kBias;
  } else if (take("FusedBatchNorm")) {
    epilogue.channels = Epilogue::Channels::kBatchNorm;
  }
  epilogue.has_addend = take("Add");
  if (next < names.size()) {
    if (const auto activation = ActivationOf(names[next])) {
      epilogue.activation = *activation;
      ++next;
    }
  }
  if (next < names.size()) {
    return Unimplemented("Fusion is not implemented: [{}]", fmt::join(names, ","));
  }
  const int64_t num_args = attrs.GetOr<int64_t>("num_args", 0);
  if (num_args != epilogue.num_args()) {
    return InvalidArgument("Fused [{}] must have {} extra arguments, not {}", fmt::join(names, ","),
                           epilogue.num_args(), num_args);
  }
  return epilogue;
}

template <typename T>
Status ApplyEpilogue(kernel::KernelContext& context, const Epilogue& epilogue, int first_arg,
                     Tensor& product) {
  RHEO_ASSIGN_OR_RETURN(const Args<T> args, ArgsOf<T>(context, epilogue, first_arg, product));
  if (product.num_elements() == 0) return OkStatus();
  const int64_t channels = product.dim(product.rank() - 1);
  T* const z = product.mutable_flat<T>().data();
  const bool is_costly = epilogue.activation >= Activation::kElu;
  ForElements(context, product.num_elements() / channels, channels * (is_costly ? kCostly : kCheap),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  const int64_t start = row * channels;
                  FinishRow(epilogue, args, start, z + start, channels);
                }
              });
  return OkStatus();
}

template Status ApplyEpilogue<float>(kernel::KernelContext&, const Epilogue&, int, Tensor&);
template Status ApplyEpilogue<double>(kernel::KernelContext&, const Epilogue&, int, Tensor&);
template Status ApplyEpilogue<Half>(kernel::KernelContext&, const Epilogue&, int, Tensor&);
template Status ApplyEpilogue<Bfloat16>(kernel::KernelContext&, const Epilogue&, int, Tensor&);

}  // namespace rheo::ops
