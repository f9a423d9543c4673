#include "evictors/fifo_evictor.hpp"

namespace cospot {

bool FifoEvictor::make_plan(const EvictionCase& eviction, double score_limit,
                            EvictionPlan& plan) const {
  plan.victims.clear();
  plan.score = 0;
  ResourceVector missing = eviction.shortfall;
  const auto suffices = [&missing] { return missing.fits_in(ResourceVector{}); };
  for (std::uint32_t i = 0; i < eviction.spots.size() && !suffices(); ++i) {
    missing -= eviction.spots[i].resources;
    plan.victims.push_back(i);
    plan.score += 1;
    if (plan.score >= score_limit) return false;
  }
  return suffices() && plan.score < score_limit;
}

}  // namespace cospot
