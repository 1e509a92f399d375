// If and Case become switches in front of the inlined branches and merges behind them.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "rheo/passes/lowering.h"

namespace rheo::passes {
namespace {

using graph::Edge;
using graph::Endpoint;
using graph::Graph;
using graph::Node;

DType TypeOf(const Endpoint& value) {
  return RemoveRef(value.node->output_types()[static_cast<size_t>(value.index)]);
}

// The lowering of a node whose input 0 selects one of `branches`. `make_switch` adds a switch of a
// value, and `output_of` says which of its outputs is a branch's.
class Conditional {
 public:
  using MakeSwitch = std::function<StatusOr<Node*>(
      Lowering&, std::string_view what, const Endpoint& value, const std::string& device)>;

  Conditional(Lowering lowering, std::vector<op::FuncRef> branches,
              std::vector<std::string> branch_names, std::vector<int> branch_outputs,
              MakeSwitch make_switch)
      : lowering_(std::move(lowering)),
        branches_(std::move(branches)),
        names_(std::move(branch_names)),
        outputs_(std::move(branch_outputs)),
        make_switch_(std::move(make_switch)) {}

  Status Run() {
    RHEO_RETURN_IF_ERROR(AddSwitches());
    for (size_t b = 0; b < branches_.size(); ++b) RHEO_RETURN_IF_ERROR(AddBranch(b));
    RHEO_ASSIGN_OR_RETURN(const std::vector<Endpoint> results, MergeResults());
    RHEO_ASSIGN_OR_RETURN(Node * executed, Merge("branch_executed", DType::kBool, executed_));
    return lowering_.Replace(results, {executed});
  }

 private:
  // What the node waits for, the switch of the selector waits for; branches wait for its pivots.
  Status AddSwitches() {
    Node* node = lowering_.node();
    const Endpoint selector = node->input(0);
    RHEO_ASSIGN_OR_RETURN(selector_switch_,
                          make_switch_(lowering_, "switch_pred", selector, lowering_.device()));
    for (const Edge* edge : node->control_in_edges()) {
      lowering_.graph().AddControlEdge(edge->src, selector_switch_);
    }
    for (int i = 1; i < node->num_inputs(); ++i) {
      const Endpoint value = node->input(i);
      RHEO_ASSIGN_OR_RETURN(Node * value_switch,
                            make_switch_(lowering_, fmt::format("switch_input/_{}", i - 1), value,
                                         Lowering::DeviceOf(value)));
      value_switches_.push_back(value_switch);
    }
    return OkStatus();
  }

  Status AddBranch(size_t b) {
    RHEO_ASSIGN_OR_RETURN(
        Node * pivot,
        lowering_.Add("pivot_" + names_[b], "Identity", {{"T", TypeOf({selector_switch_, 0})}},
                      {{selector_switch_, outputs_[b]}}, lowering_.device()));
    std::vector<Endpoint> inputs;
    for (Node* value_switch : value_switches_) inputs.push_back({value_switch, outputs_[b]});
    RHEO_ASSIGN_OR_RETURN(Lowering::Inlined inlined,
                          lowering_.AddCall(names_[b], branches_[b], inputs,
                                            lowering_.node()->output_types(), pivot));
    RHEO_ASSIGN_OR_RETURN(Node * executed,
                          lowering_.Add(names_[b] + "_done", "Const",
                                        {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}},
                                        {}, lowering_.device()));
    lowering_.graph().AddControlEdge(inlined.after, executed);
    executed_.push_back({executed, 0});
    results_.push_back(std::move(inlined.results));
    return OkStatus();
  }

  StatusOr<std::vector<Endpoint>> MergeResults() {
    std::vector<Endpoint> merged;
    const op::DTypeVector& types = lowering_.node()->output_types();
    for (size_t i = 0; i < types.size(); ++i) {
      std::vector<Endpoint> values;
      for (const std::vector<Endpoint>& results : results_) values.push_back(results[i]);
      RHEO_ASSIGN_OR_RETURN(Node * merge, Merge(fmt::format("output/_{}", i), types[i], values));
      merged.push_back({merge, 0});
    }
    return merged;
  }

  StatusOr<Node*> Merge(std::string_view what, DType type, const std::vector<Endpoint>& values) {
    return lowering_.Add(what, "Merge", {{"T", type}, {"N", static_cast<int64_t>(values.size())}},
                         values, lowering_.device());
  }

  Lowering lowering_;
  const std::vector<op::FuncRef> branches_;
  const std::vector<std::string> names_;
  const std::vector<int> outputs_;
  const MakeSwitch make_switch_;
  Node* selector_switch_ = nullptr;
  std::vector<Node*> value_switches_;
  std::vector<Endpoint> executed_;              // by branch
  std::vector<std::vector<Endpoint>> results_;  // by branch, output
};

}  // namespace

Status LowerIf(Graph& graph, Node* node, std::vector<InlinedBody>& bodies) {
  RHEO_ASSIGN_OR_RETURN(op::FuncRef then_branch, node->attrs().Get<op::FuncRef>("then_branch"));
  RHEO_ASSIGN_OR_RETURN(op::FuncRef else_branch, node->attrs().Get<op::FuncRef>("else_branch"));
  const Endpoint predicate = node->input(0);
  const auto make_switch = [predicate](Lowering& lowering, std::string_view what,
                                       const Endpoint& value, const std::string& device) {
    return lowering.Add(what, "Switch", {{"T", TypeOf(value)}}, {value, predicate}, device);
  };
  // Output 1 of a Switch is the true one.
  return Conditional({graph, node, bodies}, {std::move(else_branch), std::move(then_branch)},
                     {"else", "then"}, {0, 1}, make_switch)
      .Run();
}

Status LowerCase(Graph& graph, Node* node, std::vector<InlinedBody>& bodies) {
  RHEO_ASSIGN_OR_RETURN(std::vector<op::FuncRef> branches,
                        node->attrs().Get<std::vector<op::FuncRef>>("branches"));
  const Endpoint index = node->input(0);
  const int64_t count = static_cast<int64_t>(branches.size());
  const auto make_switch = [index, count](Lowering& lowering, std::string_view what,
                                          const Endpoint& value, const std::string& device) {
    return lowering.Add(what, "_SwitchN", {{"T", TypeOf(value)}, {"num_outs", count}},
                        {value, index}, device);
  };
  std::vector<std::string> names;
  std::vector<int> outputs;
  for (int i = 0; i < count; ++i) {
    names.push_back(fmt::format("branch_{}", i));
    outputs.push_back(i);
  }
  return Conditional({graph, node, bodies}, std::move(branches), std::move(names),
                     std::move(outputs), make_switch)
      .Run();
}

}  // namespace rheo::passes
