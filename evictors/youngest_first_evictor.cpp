#include "evictors/youngest_first_evictor.hpp"

#include "evictors/placement_order_walk.hpp"

namespace cospot {

bool YoungestFirstEvictor::make_plan(const EvictionCase& eviction, double score_limit,
                                     EvictionPlan& plan) const {
  return plan_in_placement_order(eviction, WalkFrom::kYoungest, score_limit, plan);
}

}  // namespace cospot
