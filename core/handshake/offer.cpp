#include "core/handshake/offer.hpp"

#include <algorithm>

#include "core/model/vm_load.hpp"

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

std::size_t num_offered(std::span<const Standing> ranked, const OfferRule& rule,
                        const HostTable& hosts) {
  const double load = rule.follows_load() ? VmLoad(hosts).of_scarcest() : 0;
  const std::size_t most = std::min(rule.most_hosts(load), ranked.size());
  if (!rule.compares_weights() || most == 0) return most;
  const auto [least, greatest] = std::ranges::minmax(ranked, {}, &Standing::weight);
  const double spread = greatest.weight - least.weight;
  std::size_t offered = 1;
  while (offered < most && rule.admits(ranked[0], ranked[offered], spread)) ++offered;
  return offered;
}

}  // namespace cospot
