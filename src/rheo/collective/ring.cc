#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "rheo/collective/algorithms.h"
#include "rheo/collective/layout.h"
#include "rheo/collective/merge.h"

namespace rheo::collective {
namespace {

using kernel::CollectiveCall;

// One member's part in the reduction of one value. Pieces are independent of each other.
class RingReduce : public std::enable_shared_from_this<RingReduce> {
 public:
  RingReduce(std::shared_ptr<Exchange> exchange, int rank, std::string instance)
      : x_(std::move(exchange)), rank_(rank), instance_(std::move(instance)) {}

  void Start() {
    const CollectiveCall& call = x_->call();
    rings_ = MakeRings(x_->group(), call.plan->ring_offsets, call.plan->max_rings,
                       static_cast<int64_t>(call.input.num_bytes()));
    StatusOr<Tensor> output =
        Tensor::Create(call.device->allocator(), call.dtype, call.input.shape());
    if (!output.ok()) return x_->Fail(output.status());
    output_ = *std::move(output);
    flat_ = call.input.Reshaped(Shape{call.input.num_elements()});
    pieces_ = CutIntoPieces(flat_.num_elements(), ElementSize(), size() * num_rings());
    left_ = static_cast<int>(std::ranges::count_if(pieces_, [](Piece p) { return p.size > 0; }));
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].size > 0) StartPiece(static_cast<int>(i));
    }
  }

 private:
  int size() const { return x_->group().size(); }
  int num_rings() const { return static_cast<int>(rings_.order.size()); }
  int64_t ElementSize() const { return static_cast<int64_t>(DTypeSize(flat_.dtype())); }
  int64_t BytesOf(int piece) const {
    return pieces_[static_cast<size_t>(piece)].size * ElementSize();
  }
  const std::vector<int>& OrderOf(int piece) const {
    return rings_.order[static_cast<size_t>(piece % num_rings())];
  }
  // Where this member stands in the ring of the piece.
  int PositionIn(int piece) const {
    const std::vector<int>& order = OrderOf(piece);
    return static_cast<int>(std::find(order.begin(), order.end(), rank_) - order.begin());
  }
  // Where the piece begins its first round, and, `back` places before, where a round ends.
  int EndOf(int piece, int back) const { return (piece / num_rings() + size() - back) % size(); }
  Tensor Own(int piece) const {
    const Piece& p = pieces_[static_cast<size_t>(piece)];
    return flat_.Rows(p.begin, p.begin + p.size);
  }

  void StartPiece(int piece) {
    const int position = PositionIn(piece);
    if (position == EndOf(piece, 0)) {
      x_->Send(RingKey(instance_, false, piece, position), Own(piece));
    } else {
      Receive(piece, false);
    }
    // Whoever ends the first round has the final value.
    if (position != EndOf(piece, 1)) Receive(piece, true);
  }

  void Receive(int piece, bool second_pass) {
    const int before = (PositionIn(piece) + size() - 1) % size();
    const int from_rank = OrderOf(piece)[static_cast<size_t>(before)];
    x_->Receive(from_rank, RingKey(instance_, second_pass, piece, before), BytesOf(piece),
                [self = shared_from_this(), piece, second_pass](Tensor value) {
                  if (second_pass) return self->OnFinal(piece, value);
                  self->x_->Work(self->BytesOf(piece), [self, piece, value]() mutable {
                    self->OnPartial(piece, std::move(value));
                  });
                });
  }

  void OnPartial(int piece, Tensor value) {
    const CollectiveCall& call = x_->call();
    const int64_t count = pieces_[static_cast<size_t>(piece)].size;
    const Tensor own = Own(piece);
    Tensor merged = std::move(value);
    if (!merged.is_unique()) {
      StatusOr<Tensor> copy = CopyOf(merged);
      if (!copy.ok()) return x_->Fail(copy.status());
      merged = *std::move(copy);
    }
    Merge(call.plan->merge, call.dtype, count, own.data(), merged.mutable_data());
    const int position = PositionIn(piece);
    if (position != EndOf(piece, 1)) {
      return x_->Send(RingKey(instance_, false, piece, position), std::move(merged));
    }
    if (call.plan->final == kernel::FinalOp::kDiv) {
      Divide(call.dtype, count, size(), merged.mutable_data());
    }
    OnFinal(piece, merged);
  }

  void OnFinal(int piece, const Tensor& value) {
    const int64_t begin = pieces_[static_cast<size_t>(piece)].begin * ElementSize();
    std::memcpy(static_cast<char*>(output_.mutable_data()) + begin, value.data(),
                static_cast<size_t>(BytesOf(piece)));
    const int position = PositionIn(piece);
    if (position != EndOf(piece, 2)) {
      x_->Send(RingKey(instance_, true, piece, position), value);
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) x_->SetResult(std::move(output_));
  }

  const std::shared_ptr<Exchange> x_;
  const int rank_;
  const std::string instance_;
  // Set by Start, before pieces are under way.
  Rings rings_;
  Tensor flat_;
  std::vector<Piece> pieces_;
  Tensor output_;             // the pieces write disjoint parts of it
  std::atomic<int> left_{0};  // the last one sees what the others wrote: acquire and release
};

}  // namespace

void ReduceInRings(std::shared_ptr<Exchange> exchange, int rank, const std::string& instance) {
  const CollectiveCall& call = exchange->call();
  if (exchange->group().size() == 1) return exchange->SetResult(call.input);
  if (call.input.num_elements() == 0) return MeetWithoutElements(exchange, rank, instance);
  std::make_shared<RingReduce>(exchange, rank, instance)->Start();
}

}  // namespace rheo::collective
