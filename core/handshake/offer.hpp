#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/host_table.hpp"
#include "core/policy/evictor.hpp"
#include "core/ranking/host_ranking.hpp"

namespace cospot {

/// One host of an offer. The generation dates what the VM side knew of it: a commit is declined
/// when the host has changed since.
struct OfferedHost {
  HostIndex host = kNoHost;
  std::uint64_t generation = 0;

  friend bool operator==(const OfferedHost&, const OfferedHost&) = default;
};

/// What the VM side tells the spot side: the request and its top N hosts, the best first. A plain
/// value, so that the two sides can live in different processes.
struct Offer {
  Request request;
  std::vector<OfferedHost> hosts;
};

/// What the spot side answers: the offered host it prefers and the instances that must go. No host
/// when it cannot free enough on any of them.
struct Choice {
  OfferedHost host;
  std::vector<InstanceIndex> victims;
  double score = 0;  ///< the evictor's; 0 when nothing is evicted

  [[nodiscard]] bool has_host() const { return host.host != kNoHost; }
};

/// Reads the hosts of one offer from a ranking whose walk was started, as far as the rule goes.
class OfferWalk {
 public:
  /// `ranking` and `rule` outlive the walk. `vm_load`: VmLoad::of_scarcest(), for rules that follow
  /// it. `first`: the first host when the ranking has given it already.
  OfferWalk(HostRanking& ranking, const OfferRule& rule, double vm_load, HostIndex first = kNoHost)
      : ranking_(&ranking), rule_(&rule), most_(rule.most_hosts(vm_load)) {
    if (first != kNoHost) note(first);
  }

  /// How many hosts the offer has at most.
  [[nodiscard]] std::size_t most() const { return most_; }

  /// The next host of the offer; kNoHost behind the last.
  [[nodiscard]] HostIndex next() {
    if (given_ >= most_) return kNoHost;
    const HostIndex host = ranking_->next();
    if (host == kNoHost || !admits(host)) {
      most_ = given_;
      return kNoHost;
    }
    note(host);
    return host;
  }

  /// Tells whether a rule that compares weights offers a host; others look at ranks alone.
  [[nodiscard]] bool admits(HostIndex host) const {
    return given_ == 0 || !rule_->compares_weights() ||
           rule_->admits(first_, ranking_->standing_of(host), spread_);
  }

 private:
  void note(HostIndex host) {
    if (given_++ > 0 || !rule_->compares_weights()) return;
    first_ = ranking_->standing_of(host);
    spread_ = ranking_->weight_spread();
  }

  HostRanking* ranking_;
  const OfferRule* rule_;
  std::size_t most_;
  std::size_t given_ = 0;
  Standing first_;
  double spread_ = 0;
};

/// The VM side: the hosts of `ranking` that `rule` offers.
///
/// Source: CoSpot, section 3 ("Offer Top N").
[[nodiscard]] Offer make_offer(const HostTable& hosts, HostRanking& ranking, const Request& request,
                               const OfferRule& rule);

/// What is still missing on a host before `request` fits beside its VMs and spots.
[[nodiscard]] inline ResourceVector shortfall(const HostTable& hosts, HostIndex host,
                                              const Request& request) {
  return request.resources() - hosts.free(host, Sees::kVmsAndSpots);
}

/// The spot side: looks at offered hosts one by one, the best-ranked first, and keeps the one whose
/// evictions score least; ties go to the better rank.
class SpotSide {
 public:
  explicit SpotSide(const Evictor& evictor) : evictor_(&evictor) {}

  void start(const Request& request);

  /// Considers the next offered host; `spots` are those on it, oldest placement first. Returns
  /// false when no later host can win, so that the offer need not be read on.
  bool consider(const HostTable& hosts, HostIndex host, std::span<const RunningSpot> spots);

  /// The best host so far and its plan, whose victims are positions in that host's spots.
  [[nodiscard]] HostIndex host() const { return host_; }
  [[nodiscard]] const EvictionPlan& plan() const { return plan_; }

 private:
  const Evictor* evictor_;
  Request request_;
  HostIndex host_ = kNoHost;
  EvictionPlan plan_;
  EvictionPlan candidate_;
};

/// Answers a whole offer; `spots_of(host)` yields the spots on a host, oldest placement first. The
/// engine, which owns both sides, reads the ranking only as far as SpotSide asks; the choice is the
/// same.
///
/// Errors: PolicyError when an evictor's plan does not free enough.
template <class SpotsOf>
[[nodiscard]] Choice choose(const HostTable& hosts, const Offer& offer, const Evictor& evictor,
                            const SpotsOf& spots_of) {
  SpotSide side(evictor);
  side.start(offer.request);
  OfferedHost chosen;
  for (const OfferedHost& offered : offer.hosts) {
    const bool read_on = side.consider(hosts, offered.host, spots_of(offered.host));
    if (side.host() == offered.host) chosen = offered;
    if (!read_on) break;
  }
  Choice choice{.host = chosen, .victims = {}, .score = side.plan().score};
  if (!choice.has_host()) return choice;
  const std::span<const RunningSpot> spots = spots_of(chosen.host);
  for (const std::uint32_t victim : side.plan().victims) {
    choice.victims.push_back(spots[victim].instance);
  }
  return choice;
}

/// Tells whether the host of a choice is still as it was when it was offered.
[[nodiscard]] inline bool is_current(const HostTable& hosts, const Choice& choice) {
  return choice.has_host() && hosts.generation(choice.host.host) == choice.host.generation;
}

}  // namespace cospot
