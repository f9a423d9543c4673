#include "sim_harness/provider/signals/spot_lives.hpp"

#include <algorithm>

namespace cospot {

void EvictionRate::add(const EvictionRate& other) {
  spots += other.spots;
  ended += other.ended;
  evictions += other.evictions;
  spot_hours += other.spot_hours;
  recent_spots += other.recent_spots;
  recent_evictions += other.recent_evictions;
}

void SpotLives::placed(InstanceIndex instance, std::size_t pool, SimTime time) {
  running_[instance] = lives_.size();
  lives_.push_back({.instance = instance, .pool = pool, .placed_at = time});
}

void SpotLives::ended(InstanceIndex instance, SimTime time, bool is_evicted) {
  const auto found = running_.find(instance);
  if (found == running_.end()) return;
  lives_[found->second].ended_at = time;
  lives_[found->second].is_evicted = is_evicted;
  running_.erase(found);
}

std::vector<EvictionRate> SpotLives::rates(std::size_t pools, SimTime now) const {
  constexpr SimTime kRecent = 28 * kDay;
  std::vector<EvictionRate> rates(pools);
  for (const SpotLife& life : lives_) {
    if (life.ended_at < SimTime{0}) continue;
    EvictionRate& rate = rates[life.pool];
    ++rate.spots;
    rate.spot_hours +=
        hours_of(std::min(life.ended_at, now) - std::max(life.placed_at, SimTime{0}));
    if (life.ended_at != kNever) ++rate.ended;
    if (life.is_evicted) ++rate.evictions;
    if (life.ended_at < now - kRecent) continue;
    ++rate.recent_spots;
    if (life.is_evicted) ++rate.recent_evictions;
  }
  return rates;
}

}  // namespace cospot
