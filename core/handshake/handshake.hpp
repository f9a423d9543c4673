#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/handshake/offer.hpp"
#include "core/handshake/offer_rule.hpp"
#include "core/handshake/spot_side.hpp"
#include "core/model/host_table.hpp"
#include "core/policy/evictor.hpp"
#include "core/policy/host_ranking.hpp"

namespace cospot {

/// The handshake of the two sides, for whoever decides about a VM, or another instance that may
/// displace some: the engine, an explanation, Python and Nova. By whole values (`offer`, `choose`,
/// `commit`), so that the sides can live in different processes; or, where one process holds both,
/// by `decide`, which makes no offer and reads the ranking only as far as the answer takes. Both
/// give the same host and victims.
///
/// In what follows `spots_of(host)` yields the spots on a host, oldest placement first, valid until
/// the next call; an observer is a HandshakeObserver or hides some of it.
/// Source: CoSpot, section 3.
class Handshake {
 public:
  /// `evictor` outlives it.
  explicit Handshake(const Evictor& evictor, const OfferRule& rule = {},
                     const PriorityLevels& levels = {})
      : evictor_(&evictor), rule_(rule), spot_side_(evictor, levels) {}

  /// The spot side: its answer to an offer.
  ///
  /// Errors: PolicyError when the evictor's plan is wrong (RankedEvictions).
  template <class SpotsOf, class Observer = const HandshakeObserver>
  [[nodiscard]] Choice choose(const HostTable& hosts, const Offer& offer, const SpotsOf& spots_of,
                              Observer&& observer = {});

  /// Both, with the offer that the VM side makes of `ranking`, which ranks `hosts`, shown to the
  /// observer in between. `vm_load` is VmLoad::of_scarcest(), where the rule follows it.
  template <class SpotsOf, class Observer>
  [[nodiscard]] Choice answer(const HostTable& hosts, HostRanking& ranking, const Request& request,
                              double vm_load, const SpotsOf& spots_of, Observer&& observer) {
    const Offer made = make_offer(hosts.view(), ranking, request, rule_, vm_load);
    observer.offered(made);
    return choose(hosts, made, spots_of, observer);
  }

  /// The host that choose() would choose from the offer, or kNoHost; its victims are those of
  /// victims(). `ranking` has given `first`, its first host, which needs an eviction.
  template <class SpotsOf, class Observer>
  [[nodiscard]] HostIndex decide(const HostTable& hosts, HostRanking& ranking, HostIndex first,
                                 const Request& request, double vm_load, const SpotsOf& spots_of,
                                 Observer&& observer);

  /// Positions in the spots of the host that decide() returned, ascending.
  [[nodiscard]] std::span<const std::uint32_t> victims() const { return spot_side_.plan().victims; }

 private:
  /// An offer of so many hosts is walked; in a longer one the first host without evictions is
  /// found by counting.
  static constexpr std::size_t kShortOffer = 2;

  const Evictor* evictor_;
  OfferRule rule_;
  SpotSide spot_side_;
  std::vector<HostIndex> offered_;  // scratch
};

template <class SpotsOf, class Observer>
Choice Handshake::choose(const HostTable& hosts, const Offer& offer, const SpotsOf& spots_of,
                         Observer&& observer) {
  spot_side_.start(offer.request);
  Choice choice;
  for (const OfferedHost& offered : offer.hosts) {
    const HostIndex before = spot_side_.host();
    const std::span<const RunningSpot> spots = spots_of(offered.host);
    const bool read_on = spot_side_.consider(hosts, offered.host, spots, observer);
    if (spot_side_.host() != before) {
      // Named while these spots are at hand.
      choice = {.host = offered, .victims = {}, .score = spot_side_.plan().score};
      for (const std::uint32_t victim : spot_side_.plan().victims) {
        choice.victims.push_back(spots[victim].instance);
      }
    }
    if (!read_on && !std::remove_reference_t<Observer>::kSeesEveryPlan) break;
  }
  return choice;
}

template <class SpotsOf, class Observer>
HostIndex Handshake::decide(const HostTable& hosts, HostRanking& ranking, HostIndex first,
                            const Request& request, double vm_load, const SpotsOf& spots_of,
                            Observer&& observer) {
  spot_side_.start(request);
  // If every victim costs something, the best-ranked host that needs no eviction wins.
  const bool free_host_wins = evictor_->victims_have_positive_cost();
  OfferWalk offer(ranking, rule_, vm_load, first);
  if (free_host_wins && offer.most() > kShortOffer) {
    const HostIndex free_host = ranking.first_without_eviction(offer.most());
    if (free_host != kNoHost && offer.admits(free_host)) return free_host;
  }
  observer.walks();
  offered_.assign(1, first);
  for (HostIndex host = offer.next(); host != kNoHost; host = offer.next()) {
    if (free_host_wins && shortfall(hosts, host, request).fits_in(ResourceVector{})) return host;
    offered_.push_back(host);
  }
  for (const HostIndex host : offered_) {
    spot_side_.consider(hosts, host, spots_of(host), observer);
  }
  return spot_side_.host();
}

}  // namespace cospot
