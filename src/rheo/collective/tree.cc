#include <utility>

#include "rheo/collective/algorithms.h"
#include "rheo/collective/layout.h"

namespace rheo::collective {
namespace {

using kernel::CollectiveCall;

// One member's part: the trees one after the other, each with the value of the one before.
class TreeBroadcast : public std::enable_shared_from_this<TreeBroadcast> {
 public:
  TreeBroadcast(std::shared_ptr<Exchange> exchange, std::vector<TreePart> parts,
                std::string instance)
      : x_(std::move(exchange)), parts_(std::move(parts)), instance_(std::move(instance)) {}

  void Run(size_t next, Tensor value) {
    if (next == parts_.size()) return Finish(value);
    const TreePart& part = parts_[next];
    if (part.from < 0) return Pass(next, std::move(value));
    const CollectiveCall& call = x_->call();
    x_->Receive(part.ranks[static_cast<size_t>(part.from)],
                TreeKey(instance_, part.tree, part.from, part.position),
                call.shape.num_elements() * static_cast<int64_t>(DTypeSize(call.dtype)),
                [self = shared_from_this(), next](Tensor received) {
                  self->Pass(next, std::move(received));
                });
  }

 private:
  void Pass(size_t at, Tensor value) {
    const TreePart& part = parts_[at];
    for (const int to : part.to) {
      x_->Send(TreeKey(instance_, part.tree, part.position, to), value);
    }
    Run(at + 1, std::move(value));
  }

  // Gives the bytes the dtype and shape that the member expects.
  void Finish(const Tensor& value) {
    const CollectiveCall& call = x_->call();
    if (call.shape.num_elements() == 0) return x_->SetResult(Tensor(call.dtype, call.shape));
    const bool is_whole = value.buffer() && value.data() == value.buffer()->data();
    const StatusOr<Tensor> whole = is_whole ? StatusOr<Tensor>(value) : CopyOf(value);
    if (!whole.ok()) return x_->Fail(whole.status());
    x_->SetResult(Tensor(call.dtype, call.shape, whole->buffer()));
  }

  const std::shared_ptr<Exchange> x_;
  const std::vector<TreePart> parts_;
  const std::string instance_;
};

}  // namespace

void BroadcastInTrees(std::shared_ptr<Exchange> exchange, int rank, int source_rank,
                      const std::string& instance) {
  const CollectiveCall& call = exchange->call();
  if (call.plan->is_source && exchange->group().size() == 1) {
    return exchange->SetResult(call.input);
  }
  std::vector<TreePart> parts = TreesOf(exchange->group(), rank, source_rank);
  std::make_shared<TreeBroadcast>(exchange, std::move(parts), instance)->Run(0, call.input);
}

}  // namespace rheo::collective
