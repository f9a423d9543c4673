#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/policy/filter.hpp"
#include "core/policy/host_ranking.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// Nova's normalisation of one weigher's weights, in its order of operations: to 0..1 between the
/// least and the greatest (or the weigher's own minval and maxval); all 0 when these are equal.
///
/// Source: nova/weights.py, normalize() and BaseWeigher.weigh_objects().
void normalise_weights(std::span<double> weights, const Weigher& weigher);

/// A host and why it stands where it does in a chain's order.
struct RankedHost {
  HostIndex host = kNoHost;
  /// One bit for each preferring filter and each weigher with a tier, the first the most
  /// significant: set when the host is on the preferred side.
  std::uint32_t tiers = 0;
  double weight = 0;

  /// The order of a chain: tiers, then weight, then the lowest host index.
  [[nodiscard]] bool ranks_before(const RankedHost& other) const {
    if (tiers != other.tiers) return tiers > other.tiers;
    if (weight != other.weight) return weight > other.weight;
    return host < other.host;
  }
};

/// Buffers of a chain's scan, kept by the caller so that requests do not allocate.
struct ChainScratch {
  std::vector<HostIndex> candidates;
  std::vector<std::uint8_t> passes;
  std::vector<double> weights;
};

/// Filters and weighers that rank hosts for one kind of request.
///
/// Filters come first: a dropping filter removes hosts, a preferring one puts those that pass
/// before all others. Then the tiers of the weighers, in their order; then the weights. One weigher
/// with a positive multiplier and no bounds ranks by its raw weights, which is the same order; all
/// else is normalised, multiplied and summed as in Nova (nova/weights.py). Ties go to the lowest
/// host index.
class Chain {
 public:
  struct WeighedBy {
    std::unique_ptr<Weigher> weigher;
    double multiplier = 1.0;
  };

  Chain(std::vector<std::unique_ptr<Filter>> filters, std::vector<WeighedBy> weighers);

  /// Writes every feasible host to `ranked`, in host order, with its tiers and weight.
  ///
  /// Errors: PolicyError when a weigher of registry name "?" yields NaN or infinity.
  void weigh(const HostView& hosts, const Request& request, ChainScratch& scratch,
             std::vector<RankedHost>& ranked) const;

  /// The same for some of the hosts: those in `candidates`, which are in host order.
  void weigh(const HostView& hosts, std::span<const HostIndex> candidates, const Request& request,
             ChainScratch& scratch, std::vector<RankedHost>& ranked) const;

  /// Writes the best feasible hosts, at most `most` of them, to `ranked`, the best first.
  void rank(const HostView& hosts, const Request& request, std::size_t most, ChainScratch& scratch,
            std::vector<RankedHost>& ranked) const;

  /// The same for all feasible ones of some hosts: those in `candidates`, which are in host order.
  void rank(const HostView& hosts, std::span<const HostIndex> candidates, const Request& request,
            ChainScratch& scratch, std::vector<RankedHost>& ranked) const;

  /// Keeps `hosts` ranked between requests: in order where filters and weigher allow it, else by
  /// scanning all hosts for every request. `hosts` and the chain outlive the ranking.
  [[nodiscard]] std::unique_ptr<HostRanking> make_ranking(const HostTable& hosts) const;

  /// The same order, always found by scanning all hosts: the general path, and the oracle of tests.
  [[nodiscard]] std::unique_ptr<HostRanking> make_scan(const HostTable& hosts) const;

  [[nodiscard]] std::span<const std::unique_ptr<Filter>> filters() const { return filters_; }
  [[nodiscard]] std::span<const WeighedBy> weighers() const { return weighers_; }

 private:
  /// The properties of the filters that a ranking needs to keep its order.
  struct Order {
    Sees feasible = Sees::kVms;  ///< beside what a host must have room
    bool prefers_spot_free = false;
    bool is_constrained = false;            ///< there are filters of places or groups
    std::vector<const Filter*> by_place{};  ///< those of places
  };

  /// Nothing when filters or weighers do not allow to keep the hosts in order.
  [[nodiscard]] std::optional<Order> order() const;
  [[nodiscard]] bool ranks_by_raw_weights() const;
  void weigh_candidates(const HostView& hosts, const Request& request, ChainScratch& scratch,
                        std::vector<RankedHost>& ranked) const;
  void keep_feasible(const HostView& hosts, const Request& request, ChainScratch& scratch) const;
  void add_tiers(const HostView& hosts, const Request& request, ChainScratch& scratch,
                 std::vector<RankedHost>& ranked) const;
  void add_weights(const HostView& hosts, const Request& request, ChainScratch& scratch,
                   std::vector<RankedHost>& ranked) const;

  std::vector<std::unique_ptr<Filter>> filters_;
  std::vector<WeighedBy> weighers_;
};

}  // namespace cospot
