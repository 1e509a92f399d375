// Fits y = w·x + b to points of y = 3x + 2 of which one is wrong, by squared errors and by
// HuberLoss, an operation that TensorFlow does not have. docs/adding_an_op.md tells how it was
// made.

#include <fmt/core.h>

#include <functional>

#include "rheo/train.h"

namespace rheo {
namespace {

Output HuberLoss(const Scope& g, const Output& predictions, const Output& labels, float delta) {
  return Output(builder::AddOp(g, "HuberLoss", {predictions, labels}, {{"delta", delta}}));
}

using Loss = std::function<Output(const Scope&, const Output&, const Output&)>;

Status Fit(std::string_view name, const Loss& loss_of) {
  const Scope g = Scope::NewRoot();
  const Output x = ops::Const(g, Tensor::Of<float>({6}, {-2, -1, 0, 1, 2, 3}));
  const Output y = ops::Const(g, Tensor::Of<float>({6}, {-4, -1, 2, 5, 8, 41}));
  const Variable w(g.WithName("w"), 0.0f);
  const Variable b(g.WithName("b"), 0.0f);
  const Output loss = ops::Mean(g, loss_of(g, w * x + b, y), {0});
  const Operation step = train::GradientDescent{.rate = 0.1}.Minimize(g, loss);

  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g));
  RHEO_RETURN_IF_ERROR(session.Run({.targets = {InitializeVariables(g)}}).status());
  for (int i = 0; i < 2000; ++i) RHEO_RETURN_IF_ERROR(session.Run({.targets = {step}}).status());
  RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> found, session.Run({.fetches = {w, b}}));
  fmt::print("{:16} y = {:.2f} x + {:.2f}\n", name, found[0].scalar<float>(),
             found[1].scalar<float>());
  return OkStatus();
}

Status FitBoth() {
  RHEO_RETURN_IF_ERROR(Fit("squared errors:", [](const Scope& g, const Output& a, const Output& b) {
    return ops::SquaredDifference(g, a, b);
  }));
  return Fit("HuberLoss:", [](const Scope& g, const Output& a, const Output& b) {
    return HuberLoss(g, a, b, 0.1f);
  });
}

}  // namespace
}  // namespace rheo

int main() {
  const rheo::Status status = rheo::FitBoth();
  if (!status.ok()) fmt::print(stderr, "{}\n", rheo::Message(status));
  return status.ok() ? 0 : 1;
}
