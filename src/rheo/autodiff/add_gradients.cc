// Reverse-mode differentiation: visits the nodes between xs and ys against the direction of the
// data, sums what arrives at each output, and lets the op's gradient function pass it on to the
// inputs.
#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "rheo/autodiff/gradient_registry.h"
#include "rheo/builder/const_op.h"
#include "rheo/graph/traversal.h"

namespace rheo::autodiff {
namespace {

using builder::Operation;
using builder::Output;
using builder::Scope;
using graph::Edge;
using graph::Node;

// Handles carry the gradient of what they refer to.
bool CarriesGradient(DType dtype) {
  const DType base = RemoveRef(dtype);
  return IsFloating(base) || IsComplex(base) || base == DType::kResource || base == DType::kVariant;
}

bool CarriesGradient(const Edge& edge) {
  return !edge.is_control() &&
         CarriesGradient(edge.src->output_types()[static_cast<size_t>(edge.src_index)]);
}

bool IsControlFlow(const Node& node) {
  constexpr std::string_view kFunctional[] = {"If",
                                              "StatelessIf",
                                              "Case",
                                              "StatelessCase",
                                              "While",
                                              "StatelessWhile",
                                              "PartitionedCall",
                                              "StatefulPartitionedCall",
                                              "RemoteCall"};
  return graph::IsSwitch(node) || graph::IsMerge(node) || graph::IsEnter(node) ||
         graph::IsExit(node) || graph::IsNextIteration(node) ||
         std::find(std::begin(kFunctional), std::end(kFunctional), node.op()) !=
             std::end(kFunctional);
}

std::string Describe(const Node& node) {
  return fmt::format("node '{}' ({})", node.name(), node.op());
}

class Differentiation {
 public:
  Differentiation(const Scope& scope, const GradientRegistry& registry)
      : scope_(scope), inner_(scope.SubScope("gradients")), registry_(registry) {}

  StatusOr<std::vector<Output>> Run(const std::vector<Output>& ys, const std::vector<Output>& xs,
                                    const std::vector<Output>& grad_ys) {
    RHEO_RETURN_IF_ERROR(Check(ys, xs, grad_ys));
    RHEO_ASSIGN_OR_RETURN(const std::vector<Node*> order, graph::TopologicalOrder(scope_.graph()));
    on_the_way_ = NodesBetween(xs, ys);
    RHEO_RETURN_IF_ERROR(Seed(ys, grad_ys));
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (on_the_way_[static_cast<size_t>((*node)->id())]) RHEO_RETURN_IF_ERROR(Visit(*node));
    }
    std::vector<Output> gradients;
    for (const Output& x : xs) gradients.push_back(Sum(x.node(), x.index()));
    RHEO_RETURN_IF_ERROR(scope_.status());
    return gradients;
  }

 private:
  // The gradients that arrived at each output of a node.
  using Arrived = std::vector<std::vector<Output>>;

  Status Check(const std::vector<Output>& ys, const std::vector<Output>& xs,
               const std::vector<Output>& grad_ys) const {
    RHEO_RETURN_IF_ERROR(scope_.status());
    for (const std::vector<Output>* outputs : {&ys, &xs}) {
      for (const Output& output : *outputs) {
        if (!output.has_value()) return InvalidArgument("gradients: an empty output was given");
        if (output.op().state() != scope_.state()) {
          return InvalidArgument("gradients: '{}' is of another graph", output.name());
        }
      }
    }
    for (const Output& y : ys) {
      if (IsFloating(y.dtype()) || IsComplex(y.dtype())) continue;
      return InvalidArgument(
          "gradients: '{}' is {}; only floating and complex tensors have gradients", y.name(),
          DTypeName(y.dtype()));
    }
    if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
      return InvalidArgument("gradients: {} ys were given {} gradients", ys.size(), grad_ys.size());
    }
    return OkStatus();
  }

  // By node id: true for what depends on an x and has a y that depends on it, over edges that
  // gradients can take.
  std::vector<bool> NodesBetween(const std::vector<Output>& xs,
                                 const std::vector<Output>& ys) const {
    const std::vector<bool> forward = Reach(xs, [this](const Node& node, auto go) {
      // An x may itself come from an op without a gradient (Placeholder, VarHandleOp).
      for (const Edge* edge : node.out_edges()) {
        if (CarriesGradient(*edge) && !registry_.IsNotDifferentiable(edge->dst->op())) {
          go(edge->dst);
        }
      }
    });
    return Reach(
        ys,
        [](const Node& node, auto go) {
          for (int i = 0; i < node.num_inputs(); ++i) {
            const Edge* edge = node.input_edge(i);
            if (edge != nullptr && CarriesGradient(*edge)) go(edge->src);
          }
        },
        &forward);
  }

  // The nodes reached from those of `roots`, of `within` only if it is given.
  template <typename Successors>
  std::vector<bool> Reach(const std::vector<Output>& roots, Successors successors,
                          const std::vector<bool>* within = nullptr) const {
    std::vector<bool> reached(static_cast<size_t>(scope_.graph().num_node_ids()));
    std::vector<Node*> pending;
    const auto go = [&](Node* node) {
      const auto id = static_cast<size_t>(node->id());
      if (reached[id] || (within != nullptr && !(*within)[id])) return;
      reached[id] = true;
      pending.push_back(node);
    };
    for (const Output& root : roots) go(root.node());
    while (!pending.empty()) {
      const Node* node = pending.back();
      pending.pop_back();
      successors(*node, go);
    }
    return reached;
  }

  Status Seed(const std::vector<Output>& ys, const std::vector<Output>& grad_ys) {
    for (size_t i = 0; i < ys.size(); ++i) {
      Output gradient = grad_ys.empty() ? Output() : grad_ys[i];
      if (!gradient.has_value()) gradient = OnesLike(ys[i], i);
      RHEO_RETURN_IF_ERROR(
          CheckFits(gradient, ys[i], "the given gradient of '" + ys[i].name() + "'"));
      At(ys[i].node())[static_cast<size_t>(ys[i].index())].push_back(gradient);
    }
    return scope_.status();
  }

  Output OnesLike(const Output& y, size_t i) const {
    const Scope named = inner_.WithName(fmt::format("grad_ys_{}", i));
    const PartialShape shape = y.shape();
    if (shape.IsFullyDefined()) return builder::ops::Ones(named, shape.ToShape(), y.dtype());
    return AddOp(named, "OnesLike", {y});
  }

  Status Visit(Node* node) {
    const auto found = arrived_.find(node->id());
    if (found == arrived_.end()) return OkStatus();
    std::vector<Output> output_grads;
    for (int i = 0; i < node->num_outputs(); ++i) output_grads.push_back(Sum(node, i));

    if (!LeadsOn(*node)) return scope_.status();
    const GradientFn* gradient = registry_.Find(node->op());
    if (gradient == nullptr) return NoGradient(*node);
    const Scope scope = inner_.SubScope(node->name() + "_grad");
    StatusOr<std::vector<Output>> input_grads =
        (*gradient)(scope, Operation(node, scope_.state()), output_grads);
    if (input_grads.ok() && !scope_.status().ok()) input_grads = scope_.status();
    if (!input_grads.ok()) {
      return Prefix(input_grads.status(), "gradient of " + Describe(*node) + ": ");
    }
    return PassOn(node, *input_grads);
  }

  // Whether some input of the node depends on an x.
  bool LeadsOn(const Node& node) const {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Edge* edge = node.input_edge(i);
      if (edge != nullptr && CarriesGradient(*edge) &&
          on_the_way_[static_cast<size_t>(edge->src->id())]) {
        return true;
      }
    }
    return false;
  }

  static Status NoGradient(const Node& node) {
    if (IsControlFlow(node)) {
      return Unimplemented(
          "gradients: {} is on the way: loops, conditionals and function calls have no gradients "
          "yet",
          Describe(node));
    }
    return InvalidArgument("gradients: {} has no gradient", Describe(node));
  }

  Status PassOn(Node* node, const std::vector<Output>& input_grads) {
    if (static_cast<int>(input_grads.size()) != node->num_inputs()) {
      return Internal("the gradient of {} gave {} gradients for {} inputs", Describe(*node),
                      input_grads.size(), node->num_inputs());
    }
    for (int i = 0; i < node->num_inputs(); ++i) {
      const Output& gradient = input_grads[static_cast<size_t>(i)];
      const Output input = Operation(node, scope_.state()).input(i);
      if (!gradient.has_value() || !input.has_value() || !CarriesGradient(input.dtype())) continue;
      RHEO_RETURN_IF_ERROR(CheckFits(
          gradient, input, fmt::format("gradient of {} for input {}", Describe(*node), i)));
      At(input.node())[static_cast<size_t>(input.index())].push_back(gradient);
    }
    return OkStatus();
  }

  static Status CheckFits(const Output& gradient, const Output& value, const std::string& what) {
    const DType dtype = value.dtype();
    if (!gradient.has_value() || dtype == DType::kResource || dtype == DType::kVariant) {
      return OkStatus();
    }
    if (gradient.dtype() == dtype && gradient.shape().IsCompatibleWith(value.shape())) {
      return OkStatus();
    }
    return InvalidArgument("{} is {}{}, the value is {}{}", what, DTypeName(gradient.dtype()),
                           gradient.shape().ToString(), DTypeName(dtype), value.shape().ToString());
  }

  Arrived& At(Node* node) {
    Arrived& arrived = arrived_[node->id()];
    arrived.resize(static_cast<size_t>(node->num_outputs()));
    return arrived;
  }

  // The sum of what arrived, which stays as the only entry.
  Output Sum(Node* node, int index) {
    const auto found = arrived_.find(node->id());
    if (found == arrived_.end()) return Output();
    std::vector<Output>& terms = found->second[static_cast<size_t>(index)];
    if (terms.size() > 1) terms = {AddOp(inner_.WithName("AddN"), "AddN", terms)};
    return terms.empty() ? Output() : terms[0];
  }

  const Scope scope_;
  const Scope inner_;
  const GradientRegistry& registry_;
  std::vector<bool> on_the_way_;  // by node id
  absl::flat_hash_map<int, Arrived> arrived_;
};

}  // namespace

StatusOr<std::vector<Output>> AddGradients(const Scope& scope, const std::vector<Output>& ys,
                                           const std::vector<Output>& xs,
                                           const std::vector<Output>& grad_ys,
                                           const GradientRegistry& registry) {
  return Differentiation(scope, registry).Run(ys, xs, grad_ys);
}

}  // namespace rheo::autodiff
