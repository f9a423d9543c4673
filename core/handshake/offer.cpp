#include "core/handshake/offer.hpp"

#include <utility>

#include "core/errors.hpp"
#include "core/model/vm_load.hpp"

namespace cospot {
namespace {

/// Re-checks a plan before anyone acts on it: a short plan would overcommit the host.
void check_sufficient(const EvictionCase& eviction, const EvictionPlan& plan) {
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

}  // namespace

Offer make_offer(const HostTable& hosts, HostRanking& ranking, const Request& request,
                 const OfferRule& rule) {
  Offer offer{.request = request, .hosts = {}};
  ranking.start(request);
  OfferWalk walk(ranking, rule, rule.follows_load() ? VmLoad(hosts).of_scarcest() : 0);
  for (HostIndex host = walk.next(); host != kNoHost; host = walk.next()) {
    offer.hosts.push_back({.host = host, .generation = hosts.generation(host)});
  }
  return offer;
}

void SpotSide::start(const Request& request) {
  request_ = request;
  host_ = kNoHost;
  plan_.victims.clear();
  plan_.score = 0;
}

bool SpotSide::consider(const HostTable& hosts, HostIndex host,
                        std::span<const RunningSpot> spots) {
  const EvictionCase eviction{
      .spots = spots, .shortfall = shortfall(hosts, host, request_), .now = request_.time};
  if (eviction.shortfall.fits_in(ResourceVector{})) {
    if (host_ == kNoHost || plan_.score > 0) {
      host_ = host;
      plan_.victims.clear();
      plan_.score = 0;
    }
    return !evictor_->charges_every_victim();
  }
  const double limit = host_ == kNoHost ? kNoScoreLimit : plan_.score;
  if (evictor_->make_plan(eviction, limit, candidate_) && candidate_.score < limit) {
    check_sufficient(eviction, candidate_);
    host_ = host;
    std::swap(plan_, candidate_);
  }
  return true;
}

}  // namespace cospot
