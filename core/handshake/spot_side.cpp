#include "core/handshake/spot_side.hpp"

#include "core/errors.hpp"

namespace cospot {

void SpotSide::check_sufficient(const EvictionCase& eviction, const EvictionPlan& plan) {
  ResourceVector missing = eviction.shortfall;
  for (std::size_t i = 0; i < plan.victims.size(); ++i) {
    if (plan.victims[i] >= eviction.spots.size() ||
        (i > 0 && plan.victims[i] <= plan.victims[i - 1])) {
      throw PolicyError("an evictor named victims that are not on the host or not in order");
    }
    missing -= eviction.spots[plan.victims[i]].resources;
  }
  if (!missing.fits_in(ResourceVector{})) {
    throw PolicyError("an evictor's plan does not free enough for the VM");
  }
}

void SpotSide::start(const Request& request) {
  request_ = request;
  host_ = kNoHost;
  plan_.victims.clear();
  plan_.score = 0;
}

}  // namespace cospot
