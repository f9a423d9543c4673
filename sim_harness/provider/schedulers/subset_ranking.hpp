#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/policy/host_ranking.hpp"
#include "core/random.hpp"

namespace cospot {

/// The time at which the position of the host that is put first is drawn.
enum class Draw : std::uint8_t {
  kWhenSeen,   ///< once the number of first hosts is known
  kBeforehand  ///< in advance; again if there are fewer hosts
};

/// A loosely followed ranking, for schedulers that avoid choosing the same host: leaves out the
/// hosts that declined the request and moves a random one of the first `subset` hosts to the front.
/// The others keep their order.
///
/// Source: Nova's filter_scheduler.host_subset_size; CoSpot, Hypothesis 1.
class SubsetRanking final : public HostRanking {
 public:
  /// Passes changes on to `ranking`. The arguments outlive it.
  SubsetRanking(HostRanking& ranking, std::span<const HostIndex> declined, std::size_t subset,
                Random& random, Draw draw = Draw::kWhenSeen)
      : ranking_(&ranking), declined_(declined), subset_(subset), random_(&random), draw_(draw) {}

  void host_changed(HostIndex host) override { ranking_->host_changed(host); }
  [[nodiscard]] bool sees_spots() const override { return ranking_->sees_spots(); }

  void start(const Request& request) override;
  [[nodiscard]] HostIndex next() override;

  /// Always kNoHost: hosts are not searched ahead of the walk.
  [[nodiscard]] HostIndex first_without_eviction(std::size_t /*within*/) const override {
    return kNoHost;
  }
  [[nodiscard]] Standing standing_of(HostIndex host) const override {
    return ranking_->standing_of(host);
  }
  [[nodiscard]] double weight_spread() const override { return ranking_->weight_spread(); }
  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const override {
    return ranking_->clone(copy);
  }

 private:
  [[nodiscard]] HostIndex next_ranked();
  void see_first();

  HostRanking* ranking_;
  std::span<const HostIndex> declined_;
  std::size_t subset_;
  Random* random_;
  Draw draw_;
  std::vector<HostIndex> first_;  // from which one is drawn
  std::size_t given_ = 0;         // number of these already returned
};

}  // namespace cospot
