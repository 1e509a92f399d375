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

// Every op of the family has a shape function, kernels, and for CPU exactly TensorFlow's rows.
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
    size_t expected = 0;
    for (const op::KernelRow* row : table->All()) expected += row->device_type != "GPU";
    size_t found = 0;
    for (const op::KernelRow* row : registries.kernels.catalog().All()) found += row->op == op;
    EXPECT_GT(found, 0u) << op;
    EXPECT_EQ(found, expected) << op;
  }
}

}  // namespace rheo::ops

#endif  // RHEO_OPS_COMMON_FAMILY_TEST_H_
