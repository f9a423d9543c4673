#include "evictors/fifo_evictor.hpp"

#include "evictors/placement_order_walk.hpp"

namespace cospot {

bool FifoEvictor::make_plan(const EvictionCase& eviction, double score_limit,
                            EvictionPlan& plan) const {
  return plan_in_placement_order(eviction, WalkFrom::kOldest, score_limit, plan);
}

}  // namespace cospot
