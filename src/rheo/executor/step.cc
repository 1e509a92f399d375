#include "rheo/executor/step.h"

#include <algorithm>
#include <utility>

#include "rheo/base/hash.h"

namespace rheo::executor {
namespace {

using kernel::Value;

// The state word of an ordinary node: pending inputs in the low bits, kAnyDead on top.
constexpr uint64_t kAnyDead = uint64_t{1} << 63;

// The state word of a Merge:
//   bits 0–15  control inputs still awaited     bits 16–39  dead data inputs so far
//   bits 40–61 position of the live data input  bit 62      a live data input came
//   bit 63     it has become ready
constexpr uint64_t kMergeDeadUnit = uint64_t{1} << 16;
constexpr uint64_t kMergeDeadMask = ((uint64_t{1} << 24) - 1) << 16;
constexpr uint64_t kMergeControlMask = 0xffff;
constexpr int kMergeInputShift = 40;
constexpr uint64_t kMergeLive = uint64_t{1} << 62;
constexpr uint64_t kMergeFired = uint64_t{1} << 63;

enum class MergeEvent { kControl, kLive, kDead, kDeadForGood };
enum class MergeOutcome { kWait, kIgnored, kReady, kReadyDead };

// One arrival at a Merge. `kIgnored`: a live value came second.
MergeOutcome ArriveAtMerge(std::atomic<uint64_t>& word, MergeEvent event, int input,
                           int num_data_inputs) {
  uint64_t old = word.load(std::memory_order_acquire);
  while (true) {
    if ((old & kMergeFired) != 0) return MergeOutcome::kIgnored;
    uint64_t next = old;
    switch (event) {
      case MergeEvent::kControl:
        --next;
        break;
      case MergeEvent::kLive:
        if ((old & kMergeLive) != 0) return MergeOutcome::kIgnored;
        next |= kMergeLive | (static_cast<uint64_t>(input) << kMergeInputShift);
        break;
      case MergeEvent::kDead:
        next += kMergeDeadUnit;
        break;
      case MergeEvent::kDeadForGood:
        next = (next & ~kMergeDeadMask) | (static_cast<uint64_t>(num_data_inputs) * kMergeDeadUnit);
        break;
    }
    MergeOutcome outcome = MergeOutcome::kWait;
    if ((next & kMergeControlMask) == 0) {
      if ((next & kMergeLive) != 0) {
        outcome = MergeOutcome::kReady;
      } else if ((next & kMergeDeadMask) >=
                 static_cast<uint64_t>(num_data_inputs) * kMergeDeadUnit) {
        outcome = MergeOutcome::kReadyDead;
      }
    }
    if (outcome != MergeOutcome::kWait) next |= kMergeFired;
    if (word.compare_exchange_weak(old, next, std::memory_order_acq_rel)) return outcome;
  }
}

}  // namespace

Iteration::Iteration(const PlanImpl& plan, const FrameItem& item, LoopFrame* owner,
                     int64_t iteration)
    : frame(owner),
      number(iteration),
      values(static_cast<size_t>(item.num_values)),
      states(std::make_unique<std::atomic<uint64_t>[]>(item.nodes.size())) {
  Reset(plan, item, /*dirty=*/false);
}

void Iteration::Reset(const PlanImpl& plan, const FrameItem& item, bool dirty) {
  for (size_t i = 0; i < item.nodes.size(); ++i) {
    states[i].store(static_cast<uint64_t>(plan.nodes[static_cast<size_t>(item.nodes[i])].pending),
                    std::memory_order_relaxed);
  }
  outstanding_nodes = 0;
  outstanding_frames = 0;
  if (!dirty) return;
  for (Value& value : values) value = Value();
}

Step::Step(const PlanImpl& plan) : plan_(plan), root_(plan, plan.frames[0], nullptr, 0) {}

void Step::Propagate(const Ready& ready, ReadyList& newly_ready) {
  if (!plan_.has_frames()) {
    DeliverOutputs(*ready.node, *ready.iteration, *ready.iteration, ready.dead, newly_ready);
    return;
  }
  MutexLock lock(mutex_);
  PropagateInLoop(ready, newly_ready);
}

void Step::DeliverOutputs(const NodeItem& node, Iteration& from, Iteration& to, bool dead,
                          ReadyList& newly_ready) {
  Value* const values = outputs(node, from);
  for (int e = node.first_edge; e < node.last_edge; ++e) {
    const EdgeItem& edge = plan_.edges[static_cast<size_t>(e)];
    if (edge.src_output < 0) {
      Arrive(edge, to, nullptr, dead, newly_ready);
    } else {
      Value& value = values[edge.src_output];
      Arrive(edge, to, &value, dead || value.state != Value::State::kLive, newly_ready);
    }
  }
}

void Step::Arrive(const EdgeItem& edge, Iteration& to, Value* value, bool dead,
                  ReadyList& newly_ready) {
  const NodeItem& dst = plan_.nodes[static_cast<size_t>(edge.dst_node)];
  std::atomic<uint64_t>& word = to.states[static_cast<size_t>(dst.state)];
  const bool is_control = value == nullptr;
  if (!is_control && !dead) {
    // A second live value of a Merge is not stored: the first may be in use already.
    if (dst.kind == NodeKind::kMerge &&
        (word.load(std::memory_order_acquire) & (kMergeLive | kMergeFired)) != 0) {
      return;
    }
    Value& slot = inputs(dst, to)[edge.dst_input];
    if (edge.last_use) {
      slot = std::move(*value);
    } else {
      slot = *value;
    }
  }
  if (dst.kind == NodeKind::kMerge) {
    const MergeEvent event = is_control        ? MergeEvent::kControl
                             : !dead           ? MergeEvent::kLive
                             : edge.loop_entry ? MergeEvent::kDeadForGood
                                               : MergeEvent::kDead;
    switch (ArriveAtMerge(word, event, std::max(edge.dst_input, 0), dst.num_data_inputs)) {
      case MergeOutcome::kReady:
        AddReady(dst, to, false, newly_ready);
        break;
      case MergeOutcome::kReadyDead:
        AddReady(dst, to, true, newly_ready);
        break;
      case MergeOutcome::kIgnored:
        dirty_.store(true, std::memory_order_relaxed);
        break;
      case MergeOutcome::kWait:
        break;
    }
    return;
  }
  if (dead) {
    dirty_.store(true, std::memory_order_relaxed);
    if (dst.kind != NodeKind::kControlTrigger) word.fetch_or(kAnyDead, std::memory_order_relaxed);
  }
  if (dst.pending == 1) {
    AddReady(dst, to, dead && dst.kind != NodeKind::kControlTrigger, newly_ready);
    return;
  }
  // Acquire and release: whoever takes the last one sees all values that were stored before.
  const uint64_t before = word.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & ~kAnyDead) == 1) {
    AddReady(dst, to, (before & kAnyDead) != 0, newly_ready);
  }
}

void Step::AddReady(const NodeItem& node, Iteration& iteration, bool dead, ReadyList& newly_ready) {
  if (plan_.has_frames()) ++iteration.outstanding_nodes;
  newly_ready.push_back({&node, &iteration, dead});
}

void Step::PropagateInLoop(const Ready& ready, ReadyList& newly_ready) {
  const NodeItem& node = *ready.node;
  Iteration& iteration = *ready.iteration;
  const Value* const first = outputs(node, iteration);
  switch (node.kind) {
    case NodeKind::kEnter:
    case NodeKind::kConstantEnter: {
      LoopFrame& frame = EnterFrame(node, iteration, newly_ready);
      if (node.kind == NodeKind::kConstantEnter) {
        frame.constants.push_back({node.index, *first, ready.dead});
        for (int64_t i = frame.first_iteration; i <= frame.last_iteration; ++i) {
          const auto it = frame.iterations.find(i);
          if (it != frame.iterations.end()) {
            DeliverHeld(frame.constants.back(), *it->second, newly_ready);
          }
        }
      } else {
        DeliverOutputs(node, iteration, *frame.iterations.at(0), ready.dead, newly_ready);
      }
      --frame.enters_pending;
      NodeLeft(iteration, newly_ready);
      EndIterations(frame, newly_ready);
      return;
    }
    case NodeKind::kExit: {
      LoopFrame* const frame = iteration.frame;
      if (ready.dead) {
        if (frame != nullptr && iteration.number == frame->last_iteration) {
          frame->dead_exits.push_back(node.index);
        }
      } else {
        DeliverOutputs(node, iteration, frame == nullptr ? iteration : *frame->parent, false,
                       newly_ready);
      }
      break;
    }
    case NodeKind::kNextIteration: {
      if (ready.dead) break;  // the loop ends here
      LoopFrame& frame = *iteration.frame;
      const int64_t next = iteration.number + 1;
      if (next > frame.last_iteration) {
        if (static_cast<int>(frame.iterations.size()) >= frame.item->parallel_iterations) {
          frame.postponed.push_back({node.index, *first, false});
          break;
        }
        StartIteration(frame, newly_ready);
      }
      DeliverOutputs(node, iteration, *frame.iterations.at(next), false, newly_ready);
      break;
    }
    default:
      DeliverOutputs(node, iteration, iteration, ready.dead, newly_ready);
  }
  NodeLeft(iteration, newly_ready);
}

LoopFrame& Step::EnterFrame(const NodeItem& enter, Iteration& parent, ReadyList& newly_ready) {
  LoopFrame*& frame = frame_by_key_[FrameKey(&parent, enter.child_frame)];
  if (frame != nullptr) return *frame;
  frames_.push_back(std::make_unique<LoopFrame>());
  frame = frames_.back().get();
  frame->item_index = enter.child_frame;
  frame->item = &plan_.frames[static_cast<size_t>(enter.child_frame)];
  frame->parent = &parent;
  const uint64_t parent_id = parent.frame == nullptr ? 0 : parent.frame->id;
  frame->id = Hash64Combine(
      parent_id, Hash64Combine(static_cast<uint64_t>(parent.number), frame->item->name_hash));
  frame->enters_pending = frame->item->num_enters;
  frame->iterations.emplace(0, std::make_unique<Iteration>(plan_, *frame->item, frame, 0));
  ++parent.outstanding_frames;
  return *frame;
}

Iteration& Step::StartIteration(LoopFrame& frame, ReadyList& newly_ready) {
  const int64_t number = ++frame.last_iteration;
  frame.dead_exits.clear();
  auto made = std::make_unique<Iteration>(plan_, *frame.item, &frame, number);
  Iteration& iteration = *made;
  frame.iterations.emplace(number, std::move(made));
  for (const LoopFrame::Held& held : frame.constants) DeliverHeld(held, iteration, newly_ready);
  return iteration;
}

void Step::DeliverHeld(const LoopFrame::Held& held, Iteration& to, ReadyList& newly_ready) {
  const NodeItem& node = plan_.nodes[static_cast<size_t>(held.node)];
  for (int e = node.first_edge; e < node.last_edge; ++e) {
    EdgeItem edge = plan_.edges[static_cast<size_t>(e)];
    Value copy = held.value;
    edge.last_use = true;  // of the copy
    Arrive(edge, to, edge.src_output < 0 ? nullptr : &copy, held.dead, newly_ready);
  }
}

void Step::NodeLeft(Iteration& iteration, ReadyList& newly_ready) {
  --iteration.outstanding_nodes;
  if (iteration.frame != nullptr) EndIterations(*iteration.frame, newly_ready);
}

// Ends the iterations of `frame` that are complete, oldest first, and the frame itself after the
// last. Then the same for the outer frame, in which a child may have been the last thing to wait
// for.
void Step::EndIterations(LoopFrame& start, ReadyList& newly_ready) {
  LoopFrame* frame = &start;
  while (frame != nullptr) {
    while (true) {
      const auto it = frame->iterations.find(frame->first_iteration);
      if (it == frame->iterations.end()) break;
      Iteration& oldest = *it->second;
      if (oldest.outstanding_nodes > 0 || oldest.outstanding_frames > 0 ||
          frame->enters_pending > 0) {
        return;
      }
      // A postponed value starts the next iteration before this one goes.
      std::vector<LoopFrame::Held> postponed = std::exchange(frame->postponed, {});
      if (!postponed.empty()) {
        Iteration& next = StartIteration(*frame, newly_ready);
        for (const LoopFrame::Held& held : postponed) DeliverHeld(held, next, newly_ready);
      }
      frame->iterations.erase(frame->first_iteration++);
    }
    if (!frame->iterations.empty()) return;
    Iteration& parent = *frame->parent;
    for (const int exit : frame->dead_exits) {
      const NodeItem& node = plan_.nodes[static_cast<size_t>(exit)];
      DeliverHeld({.node = node.index, .dead = true}, parent, newly_ready);
    }
    frame_by_key_.erase(FrameKey(&parent, frame->item_index));
    LoopFrame* const ended = frame;
    std::erase_if(frames_, [ended](const auto& f) { return f.get() == ended; });
    --parent.outstanding_frames;
    frame = parent.frame;
  }
}

}  // namespace rheo::executor
