#pragma once

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// FIFO: evicts the spots that were placed first until every resource suffices, including spots
/// that free none of the scarce resource. Score: the number of victims.
///
/// Source: CoSpot, section 4.6.
class FifoEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo{.name = "FIFO",
                                    .summary = "Evicts the spots placed first; fewest victims win.",
                                    .source = "CoSpot, section 4.6",
                                    .tune_choice = TuneChoice::kEvictor};

  explicit FifoEvictor(const PluginOptions& options) { options.reject_unknown(); }

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;

  [[nodiscard]] bool victims_have_positive_cost() const override { return true; }
  [[nodiscard]] SimTime follows_fifo_until() const override { return kNever; }
};

}  // namespace cospot
