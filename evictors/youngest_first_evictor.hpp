#pragma once

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// YJF, youngest job first: evicts the spots that were placed last until every resource suffices,
/// so that the least work is lost. Score: the number of victims, or with `score: age` how long the
/// oldest of them has run (in microseconds), so that the youngest spots of all offered hosts are
/// evicted.
///
/// Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances".
class YoungestFirstEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo{
      .name = "YJF",
      .summary = "Evicts the spots placed last; fewest victims win.",
      .source = "Pucher et al., Providing Lifetime SLAs for Cloud Spot Instances"};

  /// Errors: ConfigError when `score` is neither `victims` nor `age`.
  explicit YoungestFirstEvictor(const PluginOptions& options);

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;

  [[nodiscard]] bool victims_have_positive_cost() const override { return true; }

 private:
  bool scores_age_ = false;
};

}  // namespace cospot
