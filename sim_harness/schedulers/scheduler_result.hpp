#pragma once

#include <cstdint>

#include "core/model/revenue.hpp"

namespace cospot {

/// What became of the requests of one class: each is placed or lost in one of four ways. Revenue as
/// in RunResult: inside the window, in vcpu-microseconds; what is requested is earned or lost.
struct ClassOutcome {
  std::uint64_t requests = 0;
  std::uint64_t placed = 0;
  std::uint64_t rejected = 0;           ///< no host had room
  std::uint64_t rejected_on_stale = 0;  ///< some host had room, but not in the scheduler's view
  std::uint64_t lost_to_conflicts = 0;  ///< every commit was declined
  std::uint64_t withdrawn = 0;          ///< ended before it was placed
  std::uint64_t commits = 0;            ///< that were tried
  std::uint64_t conflicts = 0;          ///< of them: declined
  Revenue revenue_requested = 0;
  Revenue revenue_lost_to_room = 0;
  Revenue revenue_lost_to_stale = 0;
  Revenue revenue_lost_to_conflicts = 0;
  Revenue revenue_lost_to_delay = 0;  ///< before the placement, and of those withdrawn
  Revenue revenue_lost_to_evictions = 0;

  [[nodiscard]] Revenue revenue() const {
    return revenue_requested - revenue_lost_to_room - revenue_lost_to_stale -
           revenue_lost_to_conflicts - revenue_lost_to_delay - revenue_lost_to_evictions;
  }
  friend bool operator==(const ClassOutcome&, const ClassOutcome&) = default;
};

/// What one run of several schedulers came to.
struct SchedulerResult {
  ClassOutcome vm, spot;
  std::uint64_t evictions = 0;
  /// Spots that a decision named and its commit left alone: it was declined, or planned anew.
  std::uint64_t evictions_averted = 0;
  /// Spots evicted for a VM that would have fitted beside them: 0, by the rules of a commit.
  std::uint64_t evictions_needless = 0;
  std::uint64_t retries = 0;
  double mean_delay_ms = 0;  ///< from request to placement
  double longest_delay_ms = 0;

  friend bool operator==(const SchedulerResult&, const SchedulerResult&) = default;
};

}  // namespace cospot
