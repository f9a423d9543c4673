#pragma once

#include <cstddef>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/markets/provider_signals.hpp"
#include "sim_harness/provider/signals/spot_lives.hpp"

namespace cospot {

/// How often spots of each age were evicted lately. What was seen counts less the longer ago it
/// was (`kHalfLife`), because evictions come in spells: a base rate of the whole past still has the
/// last spell in it when that is over.
class RecentEvictions {
 public:
  static constexpr SimTime kHalfLife = std::chrono::hours(36);

  /// Takes in what happened from the last call on. Times ascend.
  void see(const SpotLives& lives, SimTime now);

  /// The probability that a spot of a pool's flavor which is placed now is not evicted within
  /// `span`. A flavor that was seen little is drawn towards all flavors.
  [[nodiscard]] double survives(std::size_t pool, SimTime span) const;

 private:
  SimTime seen_until_{0};
  std::vector<AgeTally> of_pool_;
  AgeRates all_rates_{};
};

}  // namespace cospot
