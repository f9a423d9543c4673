#pragma once

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// YJF, youngest job first: the spots placed last go first, until every resource suffices, so that
/// the least work is thrown away. Score: the number of victims.
///
/// Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances".
class YoungestFirstEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo{
      .name = "YJF",
      .summary = "Evicts the spots placed last; fewest victims win.",
      .source = "Pucher et al., Providing Lifetime SLAs for Cloud Spot Instances"};

  explicit YoungestFirstEvictor(const PluginOptions& options) { options.reject_unknown(); }

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;

  [[nodiscard]] bool victims_have_positive_cost() const override { return true; }
};

}  // namespace cospot
