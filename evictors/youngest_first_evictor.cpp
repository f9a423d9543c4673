#include "evictors/youngest_first_evictor.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "evictors/placement_order_walk.hpp"

namespace cospot {

YoungestFirstEvictor::YoungestFirstEvictor(const PluginOptions& options) {
  const std::string score = options.read_string("score", "victims");
  if (score != "victims" && score != "age") {
    throw ConfigError("YJF: score is '" + score + "', expected victims or age");
  }
  scores_age_ = score == "age";
  options.reject_unknown();
}

bool YoungestFirstEvictor::make_plan(const EvictionCase& eviction, double score_limit,
                                     EvictionPlan& plan) const {
  const double walk_limit = scores_age_ ? kNoScoreLimit : score_limit;
  if (!plan_in_placement_order(eviction, WalkFrom::kYoungest, walk_limit, plan)) return false;
  if (!scores_age_ || plan.victims.empty()) return true;
  // Above 0 also for a spot that has only just been placed.
  const SimTime age =
      std::max(eviction.now - eviction.spots[plan.victims.front()].placed_at, SimTime{0});
  plan.score = static_cast<double>(age.count()) + 1;
  return plan.score < score_limit;
}

}  // namespace cospot
