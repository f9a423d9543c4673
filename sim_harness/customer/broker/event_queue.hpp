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

/// A future event of a lease or a task of the broker.
struct BrokerEvent {
  enum class Kind : std::uint8_t { kLease, kResume, kPending, kCheck, kQueued };
  Seconds time = 0;
  Kind kind = Kind::kLease;
  std::int32_t id = 0;
  std::uint32_t version = 0;

  friend auto operator<=>(const BrokerEvent&,
                          const BrokerEvent&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Events in ascending order. A new event is never earlier than the last one taken.
///
/// Most events that a broker schedules become void: a bid check for a job that has started
/// meanwhile, the next hour of an instance that is revoked first. So later events go unsorted into
/// a bucket per quarter of an hour, which is sorted only when that quarter begins. A heap of all
/// events takes as long as the rest of the simulation.
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
  std::vector<BrokerEvent> now_;  ///< a heap, the earliest on top; empty only if the whole queue is
  std::vector<std::vector<BrokerEvent>> later_;  ///< by slot
};

}  // namespace cospot
