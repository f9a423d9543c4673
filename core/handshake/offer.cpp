#include "core/handshake/offer.hpp"

#include "core/model/vm_load.hpp"

namespace cospot {

Offer make_offer(const HostView& hosts, HostRanking& ranking, const Request& request,
                 const OfferRule& rule) {
  Offer offer{.request = request, .hosts = {}};
  ranking.start(request);
  OfferWalk walk(ranking, rule, rule.follows_load() ? VmLoad(hosts).of_scarcest() : 0);
  for (HostIndex host = walk.next(); host != kNoHost; host = walk.next()) {
    offer.hosts.push_back({.host = host, .generation = hosts.generation[host]});
  }
  return offer;
}

}  // namespace cospot
