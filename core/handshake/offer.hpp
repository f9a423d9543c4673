#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/handshake/offer_rule.hpp"
#include "core/model/host_table.hpp"
#include "core/policy/host_ranking.hpp"

namespace cospot {

/// One host of an offer. The generation dates what the VM side knew of it: a commit is declined
/// when the host has changed since.
struct OfferedHost {
  HostIndex host = kNoHost;
  std::uint64_t generation = 0;

  friend bool operator==(const OfferedHost&, const OfferedHost&) = default;
};

/// The message of the VM side to the spot side: the request and its top N hosts, the best first. A
/// plain value, so that the two sides can live in different processes.
struct Offer {
  Request request;
  std::vector<OfferedHost> hosts;
};

/// The answer of the spot side: the offered host it prefers and the instances to evict. No host if
/// it cannot free enough on any of them.
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

  /// The most hosts that the offer has.
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

/// The VM side: the hosts of `ranking` that `rule` offers. `vm_load`: VmLoad::of_scarcest(), for
/// rules that follow it.
///
/// Source: CoSpot, section 3 ("Offer Top N").
[[nodiscard]] Offer make_offer(const HostView& hosts, HostRanking& ranking, const Request& request,
                               const OfferRule& rule, double vm_load = 0);

/// The number of hosts of that offer: the first of `ranked`, all feasible hosts, the best first.
[[nodiscard]] std::size_t num_offered(std::span<const Standing> ranked, const OfferRule& rule,
                                      const HostTable& hosts);

/// Tells whether the host of a choice is still as it was when it was offered.
[[nodiscard]] inline bool is_current(const HostTable& hosts, const Choice& choice) {
  return choice.host.host < hosts.size() &&
         hosts.generation(choice.host.host) == choice.host.generation;
}

}  // namespace cospot
