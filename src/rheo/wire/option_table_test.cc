// Every field of the options has a place in the table, and warnings name what has no effect.
#include "rheo/wire/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "rheo/wire/proto/config.pb.h"

namespace rheo::wire {
namespace {

using google::protobuf::Descriptor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const OptionRow* RowOf(std::string_view field) {
  for (const OptionRow& row : OptionTable()) {
    if (row.field == field) return &row;
  }
  return nullptr;
}

// Fields without a row go to `missing`; all others are taken out of `rows`.
void Walk(const Descriptor& message, std::set<std::string>& rows,
          std::vector<std::string>& missing) {
  for (int i = 0; i < message.field_count(); ++i) {
    const auto& field = *message.field(i);
    const std::string name = OptionName(field);
    const OptionRow* row = RowOf(name);
    if (row == nullptr) {
      missing.push_back(name);
      continue;
    }
    rows.erase(name);
    if (row->use == OptionUse::kParts) Walk(*field.message_type(), rows, missing);
  }
}

TEST(OptionTableTest, HasOneRowForEachField) {
  std::set<std::string> rows;
  for (const OptionRow& row : OptionTable()) {
    EXPECT_TRUE(rows.insert(std::string(row.field)).second) << row.field << " twice";
  }
  std::vector<std::string> missing;
  Walk(*tensorflow::ConfigProto::descriptor(), rows, missing);
  Walk(*tensorflow::RunOptions::descriptor(), rows, missing);
  Walk(*tensorflow::CallableOptions::descriptor(), rows, missing);
  EXPECT_THAT(missing, IsEmpty());
  EXPECT_THAT(rows, IsEmpty()) << "rows of fields that do not exist";
}

TEST(OptionTableTest, NamesWhatHasNoEffect) {
  tensorflow::ConfigProto config;
  config.set_allow_soft_placement(true);
  (*config.mutable_device_count())["CPU"] = 1;
  config.mutable_gpu_options();
  EXPECT_THAT(OptionsWithoutEffect(config), IsEmpty());
  config.set_inter_op_parallelism_threads(3);
  config.mutable_gpu_options()->mutable_experimental()->set_node_id(4);
  auto* rewrite = config.mutable_graph_options()->mutable_rewrite_options();
  rewrite->set_remapping(tensorflow::RewriterConfig::OFF);
  rewrite->set_layout_optimizer(tensorflow::RewriterConfig::ON);
  EXPECT_THAT(OptionsWithoutEffect(config),
              ElementsAre("inter_op_parallelism_threads", "gpu_options.experimental.node_id",
                          "graph_options.rewrite_options.layout_optimizer"));
}

}  // namespace
}  // namespace rheo::wire
