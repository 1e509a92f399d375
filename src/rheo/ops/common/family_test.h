// Checks that every family's test makes of its registrations.
#ifndef RHEO_OPS_COMMON_FAMILY_TEST_H_
#define RHEO_OPS_COMMON_FAMILY_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/ops/common/table_kernels.h"

namespace rheo::ops {

// Every op of the family has a shape function, kernels, and for CPU exactly TensorFlow's rows; for
// any other device those of TensorFlow or none.
inline void CheckFamily(const TestRegistries& registries,
                        const std::vector<std::string_view>& family) {
  EXPECT_TRUE(std::ranges::is_sorted(family));
  for (const std::string_view op : family) {
    const op::OpSchema* schema = registries.ops.Find(op);
    ASSERT_NE(schema, nullptr) << op;
    EXPECT_NE(schema->shape_fn, nullptr) << op;
    StatusOr<op::KernelCatalog> table =
        op::KernelCatalog::Parse(TableLinesOf(op::TensorFlowKernelTable(), op));
    ASSERT_TRUE(table.ok()) << table.status();
    const auto count = [op](const op::KernelCatalog& catalog, std::string_view device) {
      return std::ranges::count_if(catalog.All(), [&](const op::KernelRow* row) {
        return row->op == op && row->device_type == device;
      });
    };
    const op::KernelCatalog& ours = registries.kernels.catalog();
    EXPECT_EQ(count(ours, "CPU"), count(*table, "CPU")) << op;
    const auto any_device = count(ours, "DEFAULT");
    EXPECT_TRUE(any_device == 0 || any_device == count(*table, "DEFAULT")) << op << any_device;
    EXPECT_GT(count(ours, "CPU") + any_device, 0) << op;
  }
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_FAMILY_TEST_H_
