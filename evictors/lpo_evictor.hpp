#pragma once

#include <vector>

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// LPO, the lifetime prediction oracle: of all sets of spots that cover the shortfall, the one that
/// loses the least revenue, knowing when each spot would have ended. Score: vcpu-seconds lost.
///
/// A victim costs its vcpus times its remaining life, counted to `horizon_day` and at least one
/// microsecond: so no victim is free (charges_every_victim), even one that is about to end. Exact
/// in whole vcpu-microseconds. Ties: the fewest victims, then the oldest. eviction_search.hpp tells
/// how far a search goes on a host where either is too hard.
///
/// Before `from_day` it plans as FIFO does, score included, because the predictor it is compared
/// with (LPML) still has nothing to learn from.
///
/// Options, in days since the start of the window: `from_day` (3), `horizon_day` (90).
/// Source: CoSpot, section 4.6.
class LpoEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo{
      .name = "LPO",
      .summary = "Evicts the set that loses the least revenue, by true lifetime.",
      .source = "CoSpot, section 4.6",
      .lifetimes = KnownLifetimes::kTrue};

  explicit LpoEvictor(const PluginOptions& options);

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;

  [[nodiscard]] bool charges_every_victim() const override { return true; }
  [[nodiscard]] SimTime follows_fifo_until() const override { return from_; }

 private:
  SimTime from_;
  SimTime horizon_;
};

}  // namespace cospot
