#include "sim_harness/provider/signals/recent_evictions.hpp"

#include <algorithm>

#include "core/portable_math.hpp"

namespace cospot {

void RecentEvictions::see(const SpotLives& lives, SimTime now) {
  constexpr double kLn2 = kLn2High + kLn2Low;
  const double left = portable_exp(-kLn2 * (hours_of(now - seen_until_) / hours_of(kHalfLife)));
  for (AgeTally& tally : of_pool_) tally.fade(left);
  for (const SpotLife& life : lives.all()) {
    // Spots from before the window fill an empty datacenter.
    if (life.placed_at < SimTime{0} || life.ended_at <= seen_until_) continue;
    if (life.pool >= of_pool_.size()) of_pool_.resize(life.pool + 1);
    const SimTime from = std::max(life.placed_at, seen_until_), to = std::min(life.ended_at, now);
    of_pool_[life.pool].add(hours_of(from - life.placed_at), hours_of(to - life.placed_at),
                            life.is_evicted_before(now));
  }
  seen_until_ = now;
  AgeTally all;
  for (const AgeTally& tally : of_pool_) all.add(tally);
  all_rates_ = rates_of(all);
}

double RecentEvictions::survives(std::size_t pool, SimTime span) const {
  const AgeTally nothing_seen;
  return survival(rates_of(pool < of_pool_.size() ? of_pool_[pool] : nothing_seen, all_rates_),
                  hours_of(span));
}

}  // namespace cospot
