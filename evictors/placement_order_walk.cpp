#include "evictors/placement_order_walk.hpp"

#include <algorithm>

namespace cospot {

bool plan_in_placement_order(const EvictionCase& eviction, WalkFrom from, double score_limit,
                             EvictionPlan& plan) {
  plan.victims.clear();
  plan.score = 0;
  const auto count = static_cast<std::uint32_t>(eviction.spots.size());
  ResourceVector missing = eviction.shortfall;
  const auto suffices = [&missing] { return missing.fits_in(ResourceVector{}); };
  for (std::uint32_t step = 0; step < count && !suffices(); ++step) {
    if (plan.score + 1 >= score_limit) return false;
    const std::uint32_t victim = from == WalkFrom::kOldest ? step : count - 1 - step;
    missing -= eviction.spots[victim].resources;
    plan.victims.push_back(victim);
    plan.score += 1;
  }
  if (from == WalkFrom::kYoungest) std::reverse(plan.victims.begin(), plan.victims.end());
  return suffices() && plan.score < score_limit;
}

}  // namespace cospot
