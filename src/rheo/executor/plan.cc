#include "rheo/executor/plan.h"

#include <algorithm>
#include <deque>
#include <map>

#include "rheo/base/hash.h"
#include "rheo/executor/step.h"
#include "rheo/graph/traversal.h"

namespace rheo::executor {
namespace {

constexpr uint32_t kExpensiveGuessNanos = 50'000;

NodeKind KindOf(const graph::Node& node) {
  if (graph::IsMerge(node)) return NodeKind::kMerge;
  if (graph::IsEnter(node)) {
    return node.attrs().GetOr<bool>("is_constant", false) ? NodeKind::kConstantEnter
                                                          : NodeKind::kEnter;
  }
  if (graph::IsExit(node)) return NodeKind::kExit;
  if (graph::IsNextIteration(node)) return NodeKind::kNextIteration;
  if (graph::IsLoopCond(node)) return NodeKind::kLoopCond;
  if (node.op() == "ControlTrigger") return NodeKind::kControlTrigger;
  if (graph::IsSend(node) || graph::IsRecv(node)) return NodeKind::kTransfer;
  return NodeKind::kOrdinary;
}

std::string LabelOf(const graph::Node& node) {
  std::string label = node.name() + " = " + node.op() + '(';
  bool first = true;
  for (const graph::Edge* edge : node.in_edges()) {
    if (!first) label += ", ";
    first = false;
    label += edge->is_control() ? '^' + edge->src->name() : edge->src->name();
  }
  return label + ')';
}

// Whether the op runs functions of the program: it takes as long as they take.
bool CallsFunctions(const op::OpSchema& schema) {
  return std::ranges::any_of(
      schema.attrs, [](const op::AttrSpec& attr) { return attr.kind == op::AttrKind::kFunc; });
}

// Compiles one graph; used once.
class Compiler {
 public:
  Compiler(const graph::Graph& graph, const KernelProvider& kernels)
      : graph_(graph), provider_(kernels), plan_(std::make_shared<PlanImpl>()) {}

  StatusOr<std::shared_ptr<const Plan>> Run() {
    RHEO_RETURN_IF_ERROR(AddNodes());
    RHEO_RETURN_IF_ERROR(AssignFrames());
    Layout();
    AddEdges();
    FindRoots();
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

 private:
  Status AddNodes() {
    index_.assign(static_cast<size_t>(graph_.num_node_ids()), -1);
    for (graph::Node* node : graph_.nodes()) {
      const int index = static_cast<int>(plan_->nodes.size());
      index_[static_cast<size_t>(node->id())] = index;
      source_.push_back(node);
      NodeItem item;
      item.index = index;
      item.kind = KindOf(*node);
      item.name = node->name();
      item.label = LabelOf(*node);
      item.allows_uninitialized = node->schema().allows_uninitialized_input;
      item.is_communication = node->schema().is_communication || item.kind == NodeKind::kTransfer;
      item.may_leave_outputs = graph::IsSwitch(*node);
      item.num_inputs = node->num_inputs();
      item.num_outputs = node->num_outputs();
      if (graph::IsEnter(*node)) {
        item.frame_name = node->attrs().GetOr<std::string>("frame_name", "");
      }
      plan_->types.push_back(std::make_unique<op::NodeTypes>(node->types()));
      item.types = plan_->types.back().get();
      RHEO_ASSIGN_OR_RETURN(std::shared_ptr<kernel::Kernel> made, provider_(*node));
      item.kernel = made.get();
      item.async = made->AsAsync();
      item.may_wait = item.async != nullptr && item.kind != NodeKind::kTransfer &&
                      !CallsFunctions(node->schema());
      item.is_constant = made->ConstantOutput() != nullptr && node->control_in_edges().empty();
      plan_->kernels.push_back(std::move(made));
      plan_->nodes.push_back(std::move(item));
    }
    plan_->cost_ns = std::make_unique<std::atomic<uint32_t>[]>(plan_->nodes.size());
    for (size_t i = 0; i < plan_->nodes.size(); ++i) {
      plan_->cost_ns[i] = plan_->kernels[i]->IsExpensive() ? kExpensiveGuessNanos : 0;
    }
    return OkStatus();
  }

  // The frame in which the consumers of `node` run.
  int OutputFrame(NodeItem& node) {
    if (node.kind == NodeKind::kExit) return std::max(0, Frame(node.frame).parent);
    if (node.kind != NodeKind::kEnter && node.kind != NodeKind::kConstantEnter) return node.frame;
    if (node.child_frame >= 0) return node.child_frame;
    const auto key = std::make_pair(node.frame, node.frame_name);
    const auto [it, added] = frame_index_.try_emplace(key, static_cast<int>(plan_->frames.size()));
    if (added) {
      FrameItem frame;
      frame.name = node.frame_name;
      frame.name_hash = Hash64(frame.name);
      frame.parent = node.frame;
      const graph::Node* enter = source_[static_cast<size_t>(node.index)];
      frame.parallel_iterations = static_cast<int>(std::clamp<int64_t>(
          enter->attrs().GetOr<int64_t>("parallel_iterations", 10), 1, 1 << 20));
      plan_->frames.push_back(std::move(frame));
    }
    node.child_frame = it->second;
    ++Frame(it->second).num_enters;
    return it->second;
  }

  // True for sources, and for nodes all of whose inputs are constants that never run.
  bool WaitsForNothing(const NodeItem& node) const {
    for (const graph::Edge* edge : source_[static_cast<size_t>(node.index)]->in_edges()) {
      if (!plan_->nodes[static_cast<size_t>(Index(edge->src))].is_constant) return false;
    }
    return true;
  }

  Status AssignFrames() {
    plan_->frames.emplace_back();
    std::vector<bool> seen(plan_->nodes.size(), false);
    std::deque<int> work;
    for (const NodeItem& node : plan_->nodes) {
      if (WaitsForNothing(node)) {
        seen[static_cast<size_t>(node.index)] = true;
        work.push_back(node.index);
      }
    }
    while (!work.empty()) {
      NodeItem& node = plan_->nodes[static_cast<size_t>(work.front())];
      work.pop_front();
      const int frame = OutputFrame(node);
      if (node.is_constant) continue;  // fits into any frame
      for (const graph::Edge* edge : source_[static_cast<size_t>(node.index)]->out_edges()) {
        NodeItem& dst = plan_->nodes[static_cast<size_t>(Index(edge->dst))];
        if (!seen[static_cast<size_t>(dst.index)]) {
          seen[static_cast<size_t>(dst.index)] = true;
          dst.frame = frame;
          work.push_back(dst.index);
        } else if (dst.frame != frame) {
          return InvalidArgument(
              "node '{}' has inputs from different frames: '{}' is in frame '{}', another input in "
              "frame '{}'",
              dst.name, node.name, Frame(frame).name, Frame(dst.frame).name);
        }
      }
    }
    return OkStatus();
  }

  // Positions of values and states within an iteration of each node's frame.
  void Layout() {
    for (NodeItem& node : plan_->nodes) {
      FrameItem& frame = Frame(node.frame);
      node.state = static_cast<int>(frame.nodes.size());
      frame.nodes.push_back(node.index);
      node.input_start = frame.num_values;
      node.output_start = node.input_start + node.num_inputs;
      frame.num_values = node.output_start + node.num_outputs;
      const graph::Node* source = source_[static_cast<size_t>(node.index)];
      plan_->first_input.push_back(static_cast<int>(plan_->inputs.size()));
      int data_inputs = 0;
      for (int i = 0; i < node.num_inputs; ++i) {
        InputItem input;
        input.takes_ref = IsRef(source->input_types()[static_cast<size_t>(i)]);
        const graph::Edge* edge = source->input_edge(i);
        const NodeItem* src =
            edge == nullptr ? nullptr : &plan_->nodes[static_cast<size_t>(Index(edge->src))];
        // A Merge counts arrivals, so a constant has to arrive like any other value.
        if (src != nullptr && src->is_constant && node.kind != NodeKind::kMerge) {
          input.constant = src->kernel->ConstantOutput();
        } else {
          ++data_inputs;
        }
        const bool may_be_ref =
            edge != nullptr &&
            IsRef(edge->src->output_types()[static_cast<size_t>(edge->src_index)]);
        node.check_inputs |= may_be_ref || input.takes_ref || input.constant != nullptr;
        plan_->inputs.push_back(input);
      }
      int control_inputs = 0;
      for (const graph::Edge* edge : source->control_in_edges()) {
        if (!plan_->nodes[static_cast<size_t>(Index(edge->src))].is_constant) ++control_inputs;
      }
      node.num_data_inputs = data_inputs;
      node.pending = node.kind == NodeKind::kMerge ? control_inputs : data_inputs + control_inputs;
    }
  }

  void AddEdges() {
    for (NodeItem& node : plan_->nodes) {
      node.first_edge = static_cast<int>(plan_->edges.size());
      std::vector<int> last(static_cast<size_t>(node.num_outputs), -1);
      for (const graph::Edge* edge : source_[static_cast<size_t>(node.index)]->out_edges()) {
        const NodeItem& dst = plan_->nodes[static_cast<size_t>(Index(edge->dst))];
        if (node.is_constant && dst.kind != NodeKind::kMerge) continue;
        if (node.is_constant && edge->is_control()) continue;
        if (!edge->is_control()) {
          last[static_cast<size_t>(edge->src_index)] = static_cast<int>(plan_->edges.size());
        }
        plan_->edges.push_back({.dst_node = dst.index,
                                .src_output = edge->src_index,
                                .dst_input = edge->dst_index,
                                .loop_entry = !edge->is_control() && graph::IsEnter(*edge->src) &&
                                              dst.kind == NodeKind::kMerge});
      }
      node.last_edge = static_cast<int>(plan_->edges.size());
      for (const int position : last) {
        if (position >= 0) plan_->edges[static_cast<size_t>(position)].last_use = true;
      }
    }
  }

  void FindRoots() {
    std::vector<int> others;
    for (const NodeItem& node : plan_->nodes) {
      // A constant runs only where a Merge waits for it.
      if (node.is_constant && node.first_edge == node.last_edge) continue;
      if (node.kind == NodeKind::kMerge || node.pending > 0 || node.frame != 0) continue;
      (node.async != nullptr ? plan_->roots : others).push_back(node.index);
    }
    plan_->roots.insert(plan_->roots.end(), others.begin(), others.end());
  }

  int Index(const graph::Node* node) const { return index_[static_cast<size_t>(node->id())]; }
  FrameItem& Frame(int i) { return plan_->frames[static_cast<size_t>(i)]; }

  const graph::Graph& graph_;
  const KernelProvider& provider_;
  std::shared_ptr<PlanImpl> plan_;
  std::vector<int> index_;                  // graph node id → plan node
  std::vector<const graph::Node*> source_;  // plan node → graph node
  std::map<std::pair<int, std::string>, int> frame_index_;
};

}  // namespace

PlanImpl::~PlanImpl() = default;

std::unique_ptr<Step> PlanImpl::TakeStep() const {
  {
    MutexLock lock(mutex_);
    if (!idle_steps_.empty()) {
      std::unique_ptr<Step> step = std::move(idle_steps_.back());
      idle_steps_.pop_back();
      return step;
    }
  }
  return std::make_unique<Step>(*this);
}

void PlanImpl::ReturnStep(std::unique_ptr<Step> step) const {
  MutexLock lock(mutex_);
  idle_steps_.push_back(std::move(step));
}

StatusOr<std::shared_ptr<const Plan>> Plan::Compile(const graph::Graph& graph,
                                                    const KernelProvider& kernels) {
  return Compiler(graph, kernels).Run();
}

}  // namespace rheo::executor
