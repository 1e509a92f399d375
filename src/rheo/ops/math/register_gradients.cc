#include "rheo/ops/common/gradient_builder.h"
#include "rheo/ops/math/gradients.h"
#include "rheo/ops/math/register.h"

namespace rheo::ops {

void RegisterMathGradients(autodiff::GradientRegistry& registry) {
  RegisterUnaryGradients(registry);
  RegisterTrigonometricGradients(registry);
  RegisterBinaryGradients(registry);
  RegisterSecondGradients(registry);
  RegisterReductionGradients(registry);
  RegisterMatMulGradients(registry);
  RegisterSelectGradients(registry);
  AddNoGradients(registry, {"Floor",      "Ceil",          "Round",
                            "Rint",       "Sign",          "IsNan",
                            "IsInf",      "IsFinite",      "Less",
                            "LessEqual",  "Greater",       "GreaterEqual",
                            "Equal",      "NotEqual",      "ApproximateEqual",
                            "LogicalAnd", "LogicalOr",     "LogicalNot",
                            "All",        "Any",           "ArgMax",
                            "ArgMin",     "FloorDiv",      "TruncateDiv",
                            "NextAfter",  "BroadcastArgs", "BroadcastGradientArgs"});
}

}  // namespace rheo::ops
