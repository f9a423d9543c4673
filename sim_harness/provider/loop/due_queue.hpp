#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// A kind of future event. Simultaneous events run in this order, arrivals last.
enum class DueKind : std::uint8_t {
  kDeparture,
  kHostBack,
  kHostDrained,
  kHostDown,
  kNoticeOver,
  kEvacuation,
  kMigration,
  kResize,
  kRetry,
  kDecision,  ///< a scheduler's decision ends
  kArrival,   ///< from the schedule, never in the queue
};

/// A future event that is not in the schedule of the workload.
struct Due {
  SimTime time{0};
  DueKind kind = DueKind::kDeparture;
  std::uint32_t order = 0;    ///< within the kind: the instance, or its place in a list
  std::uint32_t subject = 0;  ///< the instance, outage, resize or scheduler
  std::uint32_t version = 0;  ///< the instance's version when the event was planned

  friend bool operator>(const Due& a, const Due& b) {
    return std::tie(a.time, a.kind, a.order, a.version) >
           std::tie(b.time, b.kind, b.order, b.version);
  }
};

using DueQueue = std::priority_queue<Due, std::vector<Due>, std::greater<>>;

}  // namespace cospot
