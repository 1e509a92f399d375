#include "emit.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "all_cases.h"
#include "rheo/ops/common/kernel_test_util.h"
#include "rheo/wire/codec.h"

namespace rheo::ops {
namespace {

graph::NodeDef ConstNode(std::string name, const Tensor& value) {
  return {.name = std::move(name),
          .op = "Const",
          .attrs = {{"dtype", value.dtype()}, {"value", value}}};
}

graph::NodeDef MetaNode(const std::string& prefix, const ConcreteCase& c, StatusCode ours) {
  const auto code = [](StatusCode s) { return static_cast<int64_t>(s); };
  return {.name = prefix + "meta",
          .op = "NoOp",
          .attrs = {{"_name", c.name},
                    {"_must_fail", code(c.error.value_or(StatusCode::kOk))},
                    {"_error", code(ours)},
                    {"_relative", static_cast<float>(c.tolerance.relative)},
                    {"_absolute", static_cast<float>(c.tolerance.absolute)},
                    {"_compare", c.compare_values},
                    {"_differs", c.differs_from_tensorflow}}};
}

graph::NodeDef PlaceholderNode(std::string name, DType dtype) {
  return {.name = std::move(name), .op = "Placeholder", .attrs = {{"dtype", dtype}}};
}

// The variable that is input i, with what sets and what reads it.
void AddVariable(const std::string& prefix, size_t i, const Tensor& value, bool is_reference,
                 graph::GraphDef& def) {
  const DType dtype = value.dtype();
  const auto name = [&](std::string_view role) { return fmt::format("{}{}_{}", prefix, role, i); };
  const auto add = [&](std::string_view role, const char* op, std::vector<std::string> inputs,
                       op::AttrMap attrs) {
    def.nodes.push_back(
        {.name = name(role), .op = op, .inputs = std::move(inputs), .attrs = std::move(attrs)});
  };
  def.nodes.push_back(PlaceholderNode(name("start"), dtype));
  const std::string after = "^" + prefix + "op";
  if (is_reference) {
    add("in", "VariableV2", {}, {{"dtype", dtype}, {"shape", PartialShape(value.shape())}});
    add("init", "Assign", {name("in"), name("start")}, {{"T", dtype}});
    add("read", "Identity", {name("in"), after}, {{"T", dtype}});
  } else {
    add("in", "VarHandleOp", {},
        {{"dtype", dtype}, {"shape", PartialShape()}, {"shared_name", name("in")}});
    add("init", "AssignVariableOp", {name("in"), name("start")}, {{"dtype", dtype}});
    add("read", "ReadVariableOp", {name("in"), after}, {{"dtype", dtype}});
  }
}

void AddCase(const ConcreteCase& c, int index, KernelRunner& runner, graph::GraphDef& def) {
  const std::string prefix = fmt::format("c{}/", index);
  graph::NodeDef node{.name = prefix + "op", .op = c.op, .attrs = c.attrs};
  const StatusOr<op::NodeTypes> types = op::ResolveTypes(*runner.ops().Find(c.op), c.attrs);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const std::string name = fmt::format("{}in_{}", prefix, i);
    if (c.variables[i]) {
      AddVariable(prefix, i, c.inputs[i], types.ok() && IsRef(types->inputs[i]), def);
    } else {
      def.nodes.push_back(PlaceholderNode(name, c.inputs[i].dtype()));
    }
    def.nodes.push_back(ConstNode(fmt::format("{}value_{}", prefix, i), c.inputs[i]));
    node.inputs.push_back(name);
  }
  def.nodes.push_back(std::move(node));
  const StatusOr<std::vector<Tensor>> ours = RunCase(c, runner);
  for (size_t i = 0; ours.ok() && i < ours->size(); ++i) {
    def.nodes.push_back(ConstNode(fmt::format("{}want_{}", prefix, i), (*ours)[i]));
  }
  def.nodes.push_back(MetaNode(prefix, c, ours.status().code()));
}

Status WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file) return Internal("cannot write {}", path.string());
  return OkStatus();
}

}  // namespace

Status EmitCases(const runtime::Registries& registries, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  ThreadPool pool({.name = "ops", .num_threads = 2});
  KernelRunner runner(registries.ops, registries.kernels, &pool);
  op::OpRegistry tensorflow;
  RHEO_RETURN_IF_ERROR(tensorflow.AddTable(op::PublicOpTable()));
  int file_number = 0;
  for (const OpCase& op_case : AllOpCases()) {
    if (tensorflow.Find(op_case.op) == nullptr) continue;
    RHEO_ASSIGN_OR_RETURN(const std::vector<ConcreteCase> cases, Expand(op_case, registries.ops));
    graph::GraphDef def;
    def.versions.producer = graph::kProducerVersion;
    int index = 0;
    for (const ConcreteCase& c : cases) AddCase(c, index++, runner, def);
    const std::string name = fmt::format("{:03}_{}.pb", file_number++, op_case.op);
    RHEO_RETURN_IF_ERROR(
        WriteFile(std::filesystem::path(directory) / name, wire::SerializeGraphDef(def)));
  }
  return OkStatus();
}

}  // namespace rheo::ops
