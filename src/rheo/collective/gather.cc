#include <atomic>
#include <cstring>
#include <utility>

#include "rheo/collective/algorithms.h"
#include "rheo/collective/layout.h"

namespace rheo::collective {
namespace {

using kernel::CollectiveCall;

// One member's part: it passes on each value that came, but to the one that gave it.
class RingGather : public std::enable_shared_from_this<RingGather> {
 public:
  RingGather(std::shared_ptr<Exchange> exchange, int rank, std::string instance)
      : x_(std::move(exchange)),
        rank_(rank),
        instance_(std::move(instance)),
        left_(x_->group().size()) {}

  void Start() {
    const CollectiveCall& call = x_->call();
    StatusOr<Tensor> output = Tensor::Create(call.device->allocator(), call.dtype, call.shape);
    if (!output.ok()) return x_->Fail(output.status());
    output_ = *std::move(output);
    for (int giver = 0; giver < size(); ++giver) {
      if (giver != rank_) Receive(giver);
    }
    OnValue(rank_, call.input);
  }

 private:
  int size() const { return x_->group().size(); }
  int Next(int rank) const { return (rank + 1) % size(); }
  int64_t NumBytes() const { return static_cast<int64_t>(x_->call().input.num_bytes()); }

  void Receive(int giver) {
    const int before = (rank_ + size() - 1) % size();
    x_->Receive(before, RingKey(instance_, false, giver, before), NumBytes(),
                [self = shared_from_this(), giver](Tensor value) { self->OnValue(giver, value); });
  }

  void OnValue(int giver, const Tensor& value) {
    std::memcpy(static_cast<char*>(output_.mutable_data()) + giver * NumBytes(), value.data(),
                static_cast<size_t>(NumBytes()));
    if (Next(rank_) != giver) x_->Send(RingKey(instance_, false, giver, rank_), value);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) x_->SetResult(std::move(output_));
  }

  const std::shared_ptr<Exchange> x_;
  const int rank_;
  const std::string instance_;
  Tensor output_;          // set by Start; the values are written to disjoint parts of it
  std::atomic<int> left_;  // the last one sees what the others wrote: acquire and release
};

}  // namespace

void GatherInRing(std::shared_ptr<Exchange> exchange, int rank, const std::string& instance) {
  const CollectiveCall& call = exchange->call();
  if (exchange->group().size() == 1) return exchange->SetResult(call.input);
  if (call.input.num_elements() == 0) return MeetWithoutElements(exchange, rank, instance);
  std::make_shared<RingGather>(exchange, rank, instance)->Start();
}

}  // namespace rheo::collective
