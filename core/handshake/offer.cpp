#include "core/handshake/offer.hpp"

namespace cospot {

Offer make_offer(const HostView& hosts, HostRanking& ranking, const Request& request,
                 const OfferRule& rule, double vm_load) {
  Offer offer{.request = request, .hosts = {}};
  ranking.start(request);
  OfferWalk walk(ranking, rule, vm_load);
  for (HostIndex host = walk.next(); host != kNoHost; host = walk.next()) {
    offer.hosts.push_back({.host = host, .generation = hosts.generation[host]});
  }
  return offer;
}

}  // namespace cospot
