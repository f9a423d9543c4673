#include "evictors/lpo_evictor.hpp"

#include <algorithm>

#include "evictors/day_option.hpp"
#include "evictors/placement_order_walk.hpp"
#include "evictors/search/eviction_search.hpp"

namespace cospot {

LpoEvictor::LpoEvictor(const PluginOptions& options)
    : from_(read_day(options, "LPO", "from_day", 3)),
      horizon_(read_day(options, "LPO", "horizon_day", 90)) {
  options.reject_unknown();
}

bool LpoEvictor::make_plan(const EvictionCase& eviction, double score_limit,
                           EvictionPlan& plan) const {
  if (eviction.now < from_) {
    return plan_in_placement_order(eviction, WalkFrom::kOldest, score_limit, plan);
  }
  // Kept for the thread, so that a plan allocates nothing in the long run.
  thread_local std::vector<EvictionItem> items;
  items.clear();
  for (const RunningSpot& spot : eviction.spots) {
    const SimTime remaining = std::min(spot.ends_at, horizon_) - eviction.now;
    items.push_back({.cost = revenue_lost(spot.resources.vcpus, remaining, eviction.spots.size()),
                     .frees = spot.resources});
  }
  return plan_least_revenue_lost(items, eviction.shortfall, score_limit, plan);
}

}  // namespace cospot
