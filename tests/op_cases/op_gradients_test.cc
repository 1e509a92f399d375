// Every registered gradient agrees with the slope of its op, for all cases of double and complex
// double type.
#include <gtest/gtest.h>

#include "all_cases.h"
#include "gradient_check.h"

namespace rheo::ops {
namespace {

TEST(OpGradientsTest, AgreeWithNumericSlopes) {
  const runtime::Registries& registries = runtime::BuiltIn();
  KernelRunner runner(registries.ops, registries.kernels);
  int num_checked = 0;
  for (const OpCase& op_case : AllOpCases()) {
    StatusOr<std::vector<ConcreteCase>> cases = Expand(op_case, registries.ops);
    ASSERT_TRUE(cases.ok()) << cases.status();
    for (const ConcreteCase& c : *cases) {
      if (!HasCheckableGradient(c, registries)) continue;
      ++num_checked;
      const Status status = CheckGradient(c, registries, runner);
      EXPECT_TRUE(status.ok()) << c.name << ": " << status;
    }
  }
  EXPECT_GT(num_checked, 100);
}

}  // namespace
}  // namespace rheo::ops
