#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// Something that will happen to a lease or a task of the broker.
struct BrokerEvent {
  enum class Kind : std::uint8_t { kLease, kResume, kPending, kCheck, kQueued };
  Seconds time = 0;
  Kind kind = Kind::kLease;
  std::int32_t id = 0;
  std::uint32_t version = 0;

  friend auto operator<=>(const BrokerEvent&,
                          const BrokerEvent&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Events in ascending order. No event is earlier than the last one that was taken.
///
/// Most of what a broker plans never comes: a bid check of a job that has started since, the next
/// hour of an instance that is revoked before. So events of later are only put beside others of the
/// same quarter of an hour, and sorted once that begins: a heap of all of them is as slow as
/// everything else together.
class BrokerEventQueue {
 public:
  explicit BrokerEventQueue(Seconds start) : start_(start) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const BrokerEvent& top() const { return now_.front(); }

  void push(const BrokerEvent& event) {
    const std::size_t slot = slot_of(event.time);
    if (count_++ == 0) opened_ = std::max(opened_, slot);
    if (slot <= opened_) {
      now_.push_back(event);
      std::push_heap(now_.begin(), now_.end(), std::greater<>());
      return;
    }
    if (slot >= later_.size()) later_.resize(slot + 1);
    later_[slot].push_back(event);
  }

  void pop() {
    std::pop_heap(now_.begin(), now_.end(), std::greater<>());
    now_.pop_back();
    --count_;
    while (now_.empty() && count_ > 0) {
      now_ = std::exchange(later_[++opened_], {});
      std::make_heap(now_.begin(), now_.end(), std::greater<>());
    }
  }

 private:
  static constexpr Seconds kSlot = 900;

  [[nodiscard]] std::size_t slot_of(Seconds time) const {
    return static_cast<std::size_t>(std::max<Seconds>(0, time - start_) / kSlot);
  }

  Seconds start_;
  std::size_t count_ = 0;
  std::size_t opened_ = 0;        ///< slots up to this one are in `now_`
  std::vector<BrokerEvent> now_;  ///< a heap, the earliest first; never empty unless all is
  std::vector<std::vector<BrokerEvent>> later_;  ///< by slot
};

}  // namespace cospot
