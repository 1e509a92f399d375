#include <atomic>
#include <utility>

#include "rheo/collective/algorithms.h"
#include "rheo/collective/layout.h"

namespace rheo::collective {
namespace {

class Meeting : public std::enable_shared_from_this<Meeting> {
 public:
  explicit Meeting(std::shared_ptr<Exchange> exchange)
      : x_(std::move(exchange)), left_(x_->group().size() - 1) {}

  void Start(int rank, const std::string& instance) {
    for (int other = 0; other < x_->group().size(); ++other) {
      if (other == rank) continue;
      x_->Send(MeetingKey(instance, rank, other), x_->call().input);
      x_->Receive(other, MeetingKey(instance, other, rank), 0,
                  [self = shared_from_this()](const Tensor&) { self->OnMember(); });
    }
  }

 private:
  void OnMember() {
    if (left_.fetch_sub(1, std::memory_order_relaxed) > 1) return;
    x_->SetResult(Tensor(x_->call().dtype, x_->call().shape));
  }

  const std::shared_ptr<Exchange> x_;
  std::atomic<int> left_;
};

}  // namespace

void MeetWithoutElements(std::shared_ptr<Exchange> exchange, int rank,
                         const std::string& instance) {
  if (!exchange->group().all_are_rheo) {
    return exchange->SetResult(Tensor(exchange->call().dtype, exchange->call().shape));
  }
  std::make_shared<Meeting>(std::move(exchange))->Start(rank, instance);
}

}  // namespace rheo::collective
