#include "evictors/lpo_evictor.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "evictors/eviction_search.hpp"
#include "evictors/placement_order_walk.hpp"

namespace cospot {
namespace {

/// Bounds what a sum of days in microseconds may reach, far beyond any workload.
constexpr double kMaxDay = 100'000;

SimTime read_day(const PluginOptions& options, const char* key, double fallback) {
  const double day = options.read_number(key, fallback);
  if (!(std::abs(day) <= kMaxDay)) {
    throw ConfigError(std::string("LPO: option '") + key +
                      "' must be a day from -100000 to 100000, not " + std::to_string(day));
  }
  return SimTime(std::llround(day * static_cast<double>(kDay.count())));
}

}  // namespace

LpoEvictor::LpoEvictor(const PluginOptions& options)
    : from_(read_day(options, "from_day", 3)), horizon_(read_day(options, "horizon_day", 90)) {
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
