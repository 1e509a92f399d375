// Fits y = w·x + b to points of y = 3x + 2 by gradient descent, in this process.

#include <fmt/core.h>

#include "rheo/train.h"

namespace rheo {
namespace {

Status Fit() {
  const Scope g = Scope::NewRoot();
  const Output x = ops::Placeholder(g.WithName("x"), DType::kFloat, {.shape = {-1}});
  const Output y = ops::Placeholder(g.WithName("y"), DType::kFloat, {.shape = {-1}});
  const Variable w(g.WithName("w"), 0.0f);
  const Variable b(g.WithName("b"), 0.0f);
  const Output loss = ops::Mean(g, ops::Square(g, w * x + b - y), {0});
  const Operation step = train::GradientDescent{.rate = 0.1}.Minimize(g, loss);

  RHEO_ASSIGN_OR_RETURN(const Session session, Session::Create(g));
  RHEO_RETURN_IF_ERROR(session.Run({.targets = {InitializeVariables(g)}}).status());
  const Tensor xs = Tensor::Of<float>({4}, {-1, 0, 1, 2});
  const Tensor ys = Tensor::Of<float>({4}, {-1, 2, 5, 8});
  for (int i = 0; i < 300; ++i) {
    RHEO_RETURN_IF_ERROR(session.Run({.feeds = {{x, xs}, {y, ys}}, .targets = {step}}).status());
  }
  RHEO_ASSIGN_OR_RETURN(const std::vector<Tensor> found, session.Run({.fetches = {w, b}}));
  fmt::print("y = {:.3f} x + {:.3f}\n", found[0].scalar<float>(), found[1].scalar<float>());
  return OkStatus();
}

}  // namespace
}  // namespace rheo

int main() {
  const rheo::Status status = rheo::Fit();
  if (!status.ok()) fmt::print(stderr, "{}\n", rheo::Message(status));
  return status.ok() ? 0 : 1;
}
