#pragma once

#include <cstddef>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/markets/age_rates.hpp"
#include "sim_harness/provider/signals/spot_lives.hpp"

namespace cospot {

/// The eviction rate of late, by flavor and age. Observations lose half their weight every
/// `kHalfLife`, because evictions come in spells: the rate over the whole past still contains the
/// last spell long after it is over.
class RecentEvictions {
 public:
  static constexpr SimTime kHalfLife = std::chrono::hours(36);

  /// Adds the time since the last call. Times ascend.
  void see(const SpotLives& lives, SimTime now);

  /// The probability that a spot of a pool's flavor that is placed now survives `span`. Rates of a
  /// flavor with few observations shrink towards those of all flavors.
  [[nodiscard]] double survives(std::size_t pool, SimTime span) const;

 private:
  SimTime seen_until_{0};
  std::vector<AgeTally> of_pool_;
  AgeRates all_rates_{};
};

}  // namespace cospot
