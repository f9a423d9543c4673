#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/model/placement_rules.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/host_ranking.hpp"
#include "core/policy/place_ranking.hpp"
#include "core/ranking/chain.hpp"

namespace cospot {

/// Ranks the hosts of a chain with filters of places and groups. Requests without a group walk an
/// order that is kept, past the hosts of places that do not pass; those whose group has members
/// somewhere are ranked by a scan.
class ConstrainedRanking final : public HostRanking {
 public:
  /// `chain`, whose filters `by_place` look at places alone, and `hosts` outlive the ranking.
  /// `ordered` ranks as the chain does without its filters of places and groups.
  ConstrainedRanking(const Chain& chain, const HostTable& hosts,
                     std::vector<const Filter*> by_place, std::unique_ptr<PlaceRanking> ordered);

  void host_changed(HostIndex host) override;
  [[nodiscard]] bool sees_spots() const override { return ordered_->sees_spots(); }
  void start(const Request& request) override;
  [[nodiscard]] HostIndex next() override { return walked_->next(); }
  [[nodiscard]] HostIndex first_without_eviction(std::size_t within) const override {
    return walked_->first_without_eviction(within);
  }
  [[nodiscard]] Standing standing_of(HostIndex host) const override {
    return walked_->standing_of(host);
  }
  [[nodiscard]] double weight_spread() const override { return walked_->weight_spread(); }
  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const override;

 private:
  [[nodiscard]] std::span<const std::uint8_t> places_for(const Request& request);

  const Chain* chain_;
  const HostTable* hosts_;
  std::vector<const Filter*> by_place_;
  std::unique_ptr<PlaceRanking> ordered_;
  std::unique_ptr<HostRanking> scan_;
  HostRanking* walked_;
  std::vector<HostIndex> host_in_;  // one of each place; kNoHost: it has none
  // The places that pass, for each set of rules seen so far; never iterated.
  std::unordered_map<const PlaceRules*, std::vector<std::uint8_t>> passes_;
};

}  // namespace cospot
