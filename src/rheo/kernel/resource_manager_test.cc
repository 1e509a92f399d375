#include "rheo/kernel/resource_manager.h"

#include <gtest/gtest.h>

#include "rheo/kernel/variable.h"

namespace rheo::kernel {
namespace {

std::function<StatusOr<std::shared_ptr<Variable>>()> MakeVariable(const std::string& name) {
  return [name]() -> StatusOr<std::shared_ptr<Variable>> {
    return std::make_shared<Variable>(name, DType::kFloat);
  };
}

TEST(ResourceManagerTest, TheEmptyContainerIsTheDefaultOne) {
  ResourceManager manager("ps");
  auto made = manager.LookupOrCreate<Variable>("", "w", MakeVariable("w"));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*manager.Lookup<Variable>("ps", "w"), *made);
}

TEST(ResourceManagerTest, MissingResourceIsNotFoundWithContainerNameAndType) {
  ResourceManager manager("ps");
  const Status none = manager.Lookup<Variable>("", "w").status();
  EXPECT_EQ(none.code(), StatusCode::kNotFound);
  EXPECT_EQ(Message(none), "Container ps does not exist. (Could not find resource: ps/w)");
  ASSERT_TRUE(
      manager.Create<Variable>("", "v", std::make_shared<Variable>("v", DType::kFloat)).ok());
  EXPECT_EQ(Message(manager.Lookup<Variable>("", "w").status()),
            "Resource ps/w/N10tensorflow3VarE does not exist.");
}

TEST(ResourceManagerTest, ClearedResourcesLiveWhileTheyAreUsed) {
  ResourceManager manager("ps");
  std::shared_ptr<Variable> v = *manager.LookupOrCreate<Variable>("c", "w", MakeVariable("w"));
  manager.Clear("c");
  EXPECT_EQ(v->name(), "w");
  EXPECT_FALSE(manager.Lookup<Variable>("c", "w").ok());
  EXPECT_NE(*manager.LookupOrCreate<Variable>("c", "w", MakeVariable("w")), v);
}

TEST(ResourceManagerTest, ClassesHaveSeparateNames) {
  ResourceManager manager("ps");
  ASSERT_TRUE(manager.LookupOrCreate<Variable>("", "w", MakeVariable("w")).ok());
  EXPECT_FALSE(manager.Lookup<RefVariable>("", "w").ok());
  EXPECT_TRUE(manager.DeleteByName("", "w").ok());
  EXPECT_EQ(manager.size(), 0u);
}

}  // namespace
}  // namespace rheo::kernel
