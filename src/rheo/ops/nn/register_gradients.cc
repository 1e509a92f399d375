// Gradients of the family.
#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/nn/register.h"

namespace rheo::ops {
namespace {

using Grads = std::vector<Output>;
using B = GradientBuilder;

// The sum over the last dimension, which stays as 1.
Output RowSum(const B& b, const Output& x) {
  return b.Op("Sum", {x, b.Ints({-1})}, {{"keep_dims", true}});
}

// (g - Σ g y) y.
Grads SoftmaxGrad(const B& b) {
  const Output along = RowSum(b, b.Mul(b.grad(), b.y()));
  return {b.Mul(b.Sub(b.grad(), along), b.y())};
}

// g - (Σ g) e^y.
Grads LogSoftmaxGrad(const B& b) {
  return {b.Sub(b.grad(), b.Mul(RowSum(b, b.grad()), b.Exp(b.y())))};
}

// A vector as a column.
Output Column(const B& b, const Output& x) { return b.Op("ExpandDims", {x, b.Int(-1)}); }

// The loss's gradient, and, when the second output is used too, that of softmax - labels.
Output LogitsGrad(const B& b, const Output& loss_grad) {
  Output result = b.Mul(Column(b, b.grad(0)), loss_grad);
  if (!b.grad(1).has_value()) return result;
  const Output softmax = b.Op("Softmax", {b.x(0)});
  const Output inner = RowSum(b, b.Mul(b.grad(1), softmax));
  return b.Add(result, b.Mul(b.Sub(b.grad(1), inner), softmax));
}

Grads CrossEntropyGrad(const B& b) {
  if (!b.grad(0).has_value()) return {Output(), Output()};
  const Output by_labels = b.Neg(b.Mul(Column(b, b.grad(0)), b.Op("LogSoftmax", {b.x(0)})));
  return b.Unbroadcast(b.x(0), LogitsGrad(b, b.y(1)), b.x(1), by_labels);
}

Grads SparseCrossEntropyGrad(const B& b) {
  if (!b.grad(0).has_value()) return {Output(), Output()};
  return {LogitsGrad(b, b.y(1)), Output()};
}

op::AttrMap DataFormat(const B& b) {
  return {{"data_format", b.attrs().GetOr<std::string>("data_format", "NHWC")}};
}

// Repeats the gradient of a bias along all dimensions but the channels'.
Grads BiasAddGradGrad(const B& b) {
  Output grad = b.grad();
  if (b.attrs().GetOr<std::string>("data_format", "NHWC") == "NCHW") {
    const Output rest = b.Sub(b.Op("Rank", {b.x()}), b.Int(2));
    const Output ones = b.Op("Fill", {b.Reshape(rest, b.Ints({1})), b.Int(1)});
    grad = b.Reshape(grad, b.Op("ConcatV2", {b.Ints({1}), b.Shape(grad), ones, b.Int(0)}));
  }
  return {b.Op("BroadcastTo", {grad, b.Shape(b.x())})};
}

Grads TopKGrad(const B& b) {
  // Rows of the flattened input; each index is moved by the start of its row.
  const Output shape = b.Shape(b.x(0));
  const Output columns =
      b.Op("GatherV2", {shape, b.Op("Sub", {b.Op("Size", {shape}), b.Int(1)}), b.Int(0)});
  const Output k_shape = b.Shape(b.y(1));
  const Output k =
      b.Op("GatherV2", {k_shape, b.Op("Sub", {b.Op("Size", {k_shape}), b.Int(1)}), b.Int(0)});
  const Output size = b.Op("Size", {b.x(0)});
  const Output flat = b.Op("Reshape", {b.Cast(b.y(1), DType::kInt32), b.Ints({-1})});
  const Output places = b.Op("Range", {b.Int(0), b.Op("Size", {flat}), b.Int(1)});
  const Output starts = b.Mul(b.Op("FloorDiv", {places, k}), columns);
  const Output index = b.Op("ExpandDims", {b.Add(flat, starts), b.Int(-1)});
  const Output values = b.Op("Reshape", {b.grad(0), b.Ints({-1})});
  const Output scattered = b.Op("ScatterNd", {index, values, b.Op("ExpandDims", {size, b.Int(0)})});
  Grads grads(static_cast<size_t>(b.num_inputs()));
  grads[0] = b.Reshape(scattered, shape);
  return grads;
}

void RegisterActivationGradients(autodiff::GradientRegistry& registry) {
  const auto add = [&](std::string_view op, GradientBody body) { AddGradient(registry, op, body); };
  add("Relu", [](const B& b) -> Grads { return {b.Op("ReluGrad", {b.grad(), b.y()})}; });
  add("Relu6", [](const B& b) -> Grads { return {b.Op("Relu6Grad", {b.grad(), b.y()})}; });
  add("Elu", [](const B& b) -> Grads { return {b.Op("EluGrad", {b.grad(), b.y()})}; });
  add("Selu", [](const B& b) -> Grads { return {b.Op("SeluGrad", {b.grad(), b.y()})}; });
  add("Softplus", [](const B& b) -> Grads { return {b.Op("SoftplusGrad", {b.grad(), b.x()})}; });
  add("Softsign", [](const B& b) -> Grads { return {b.Op("SoftsignGrad", {b.grad(), b.x()})}; });
  add("LeakyRelu", [](const B& b) -> Grads {
    return {b.Op("LeakyReluGrad", {b.grad(), b.x()},
                 {{"alpha", b.attrs().GetOr<float>("alpha", 0.2f)}})};
  });
  // Of the gradients of piecewise linear functions: linear in the incoming gradient alone.
  add("ReluGrad", [](const B& b) -> Grads {
    return {b.Op("ReluGrad", {b.grad(), b.x(1)}), Output()};
  });
  add("Relu6Grad", [](const B& b) -> Grads {
    return {b.Op("Relu6Grad", {b.grad(), b.x(1)}), Output()};
  });
  add("LeakyReluGrad", [](const B& b) -> Grads {
    return {b.Op("LeakyReluGrad", {b.grad(), b.x(1)},
                 {{"alpha", b.attrs().GetOr<float>("alpha", 0.2f)}}),
            Output()};
  });
  add("EluGrad", [](const B& b) -> Grads {
    const Output negative = b.Op("Less", {b.x(1), b.Number(0, b.x(1))});
    const Output by_output = b.Select(negative, b.Mul(b.grad(), b.x(0)), b.Number(0, b.grad()));
    return {b.Op("EluGrad", {b.grad(), b.x(1)}), by_output};
  });
  add("SeluGrad", [](const B& b) -> Grads {
    const Output negative = b.Op("Less", {b.x(1), b.Number(0, b.x(1))});
    const Output by_output = b.Select(negative, b.Mul(b.grad(), b.x(0)), b.Number(0, b.grad()));
    return {b.Op("SeluGrad", {b.grad(), b.x(1)}), by_output};
  });
  add("SoftplusGrad", [](const B& b) -> Grads {
    const Output sigmoid = b.Op("Sigmoid", {b.x(1)});
    const Output slope = b.Mul(sigmoid, b.Sub(b.Number(1, sigmoid), sigmoid));
    return {b.Op("SoftplusGrad", {b.grad(), b.x(1)}), b.Mul(b.Mul(b.grad(), b.x(0)), slope)};
  });
}

}  // namespace

void RegisterNnGradients(autodiff::GradientRegistry& registry) {
  RegisterActivationGradients(registry);
  AddGradient(registry, "Softmax", &SoftmaxGrad);
  AddGradient(registry, "LogSoftmax", &LogSoftmaxGrad);
  AddGradient(registry, "SoftmaxCrossEntropyWithLogits", &CrossEntropyGrad);
  AddGradient(registry, "SparseSoftmaxCrossEntropyWithLogits", &SparseCrossEntropyGrad);
  AddGradient(registry, "BiasAdd", [](const B& b) -> Grads {
    return {b.grad(), b.Op("BiasAddGrad", {b.grad()}, DataFormat(b))};
  });
  AddGradient(registry, "BiasAddV1", [](const B& b) -> Grads {
    return {b.grad(), b.Op("BiasAddGrad", {b.grad()})};
  });
  AddGradient(registry, "BiasAddGrad", &BiasAddGradGrad);
  AddGradient(registry, "L2Loss", [](const B& b) -> Grads { return {b.Mul(b.x(), b.grad())}; });
  AddGradient(registry, "TopK", &TopKGrad);
  AddGradient(registry, "TopKV2", &TopKGrad);
  AddNoGradients(registry, {"InTopK", "InTopKV2"});
}

}  // namespace rheo::ops
