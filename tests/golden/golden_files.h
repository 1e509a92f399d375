// The files of this folder as text and as graphs.
#ifndef RHEO_TESTS_GOLDEN_GOLDEN_FILES_H_
#define RHEO_TESTS_GOLDEN_GOLDEN_FILES_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "rheo/graph/graph.h"
#include "rheo/graph/import.h"
#include "rheo/wire/codec.h"

namespace rheo::golden {

inline std::string ReadFile(const std::string& name) {
  const char* root = std::getenv("RHEO_SOURCE_DIR");
  const std::string path = std::string(root == nullptr ? "." : root) + "/tests/golden/" + name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::unique_ptr<graph::Graph> ReadGraph(const std::string& name, const op::OpRegistry& ops) {
  const auto def = wire::ParseGraphDef(ReadFile(name));
  EXPECT_TRUE(def.ok()) << def.status();
  if (!def.ok()) return nullptr;
  auto graph = graph::ImportNew(*def, {.allow_internal_names = true}, ops);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : nullptr;
}

}  // namespace rheo::golden

#endif  // RHEO_TESTS_GOLDEN_GOLDEN_FILES_H_
