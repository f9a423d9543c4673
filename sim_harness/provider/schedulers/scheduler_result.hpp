#pragma once

#include <cstdint>

#include "core/model/sim_time.hpp"

namespace cospot {

/// Statistics of several schedulers, in addition to each level's outcome (LevelOutcome).
struct SchedulerResult {
  std::uint64_t evictions = 0;
  /// Spots named as victims that the commit did not evict: it was declined, or replanned.
  std::uint64_t evictions_averted = 0;
  /// Spots evicted for a VM that would have fitted without it: 0, by the rules of a commit.
  std::uint64_t evictions_needless = 0;
  std::uint64_t retries = 0;
  std::uint64_t placements = 0;
  SimTime delay{0};  ///< from request to placement, summed over the placements
  SimTime longest_delay{0};

  [[nodiscard]] double mean_delay_ms() const {
    if (placements == 0) return 0;
    return static_cast<double>(delay.count()) / static_cast<double>(placements) / 1000;
  }
  [[nodiscard]] double longest_delay_ms() const {
    return static_cast<double>(longest_delay.count()) / 1000;
  }

  friend bool operator==(const SchedulerResult&, const SchedulerResult&) = default;
};

}  // namespace cospot
