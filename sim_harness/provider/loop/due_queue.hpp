#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "core/model/sim_time.hpp"

namespace cospot {

/// What is to happen in a run. At equal times in this order, the arrivals last.
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
  kDecision,  ///< of a scheduler: it ends
  kArrival,   ///< of the schedule, never in the queue
};

/// What the schedule of a workload does not say.
struct Due {
  SimTime time{0};
  DueKind kind = DueKind::kDeparture;
  std::uint32_t order = 0;    ///< within the kind: the instance, or the place in a list
  std::uint32_t subject = 0;  ///< the instance, the outage, the resize, the scheduler
  std::uint32_t version = 0;  ///< of the instance when this was planned

  friend bool operator>(const Due& a, const Due& b) {
    return std::tie(a.time, a.kind, a.order, a.version) >
           std::tie(b.time, b.kind, b.order, b.version);
  }
};

using DueQueue = std::priority_queue<Due, std::vector<Due>, std::greater<>>;

}  // namespace cospot
