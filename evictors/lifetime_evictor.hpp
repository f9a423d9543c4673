#pragma once

#include <algorithm>
#include <memory>

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/lifetime_predictor.hpp"

namespace cospot {

/// Describes the evictor with these known lifetimes to the registry.
constexpr PluginInfo lifetime_evictor_info(KnownLifetimes lifetimes) {
  if (lifetimes == KnownLifetimes::kTrue) {
    return {.name = "LPO",
            .summary = "Evicts the set that loses the least revenue, by true lifetime.",
            .source = "CoSpot, section 4.6",
            .lifetimes = lifetimes};
  }
  if (lifetimes == KnownLifetimes::kSurvival) {
    return {.name = "LPKM",
            .summary = "Evicts the set that loses the least revenue, by survival curves.",
            .source = "CoSpot, section 4.6; Kaplan and Meier, JASA 1958",
            .lifetimes = lifetimes,
            .tune_choice = TuneChoice::kEvictor};
  }
  return {.name = "LPML",
          .summary = "Evicts the set that loses the least revenue, by predicted lifetime.",
          .source = "CoSpot, section 4.6",
          .lifetimes = lifetimes};
}

/// Evicts the set of spots that covers the shortfall at the least loss of revenue. The lifetime
/// prediction oracle (LPO) knows when each spot will end. LPML (lifetime prediction by machine
/// learning) and LPKM (by Kaplan-Meier curves) use the remaining life that a predictor expects,
/// given how long the spot has run. The three differ in nothing else. Score: vcpu-seconds lost.
///
/// A victim costs its vcpus times its remaining life, counted to `horizon_day`, or to
/// `lookahead_days` from now where no last day is known (as in a running cloud). Without either it
/// is counted to day 90, or for 30 days if that is later: past the horizon all lives would be worth
/// nothing, and a long history would be decided without them. A victim costs at least
/// one microsecond, so that no victim is free (victims_have_positive_cost), not even one that is
/// about to end. Costs are exact in whole vcpu-microseconds. Ties: the fewest victims, then the
/// oldest. search/eviction_search.hpp says how far the search goes on a host where this is too
/// hard.
///
/// Before `from_day` all of them plan as FIFO does and give FIFO's score: models learn from those
/// days, and LPO is compared with them.
///
/// Options, in days since the start of the window: `from_day` (3), `horizon_day`; in days:
/// `lookahead_days` (0: `horizon_day` counts). LPML and LPKM also take `model`, a file written by
/// `cospot lifetime train` (default: the built-in model for the synthetic workload azure2020).
/// Source: CoSpot, section 4.6.
template <KnownLifetimes kLifetimes>
class LifetimeEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo = lifetime_evictor_info(kLifetimes);

  static constexpr int kDefaultHorizonDay = 90;
  static constexpr int kLeastLookaheadDays = 30;  ///< without a stated horizon

  explicit LifetimeEvictor(const PluginOptions& options);
  LifetimeEvictor(std::shared_ptr<const LifetimePredictor> predictor, SimTime from, SimTime horizon,
                  SimTime lookahead)
      : predictor_(std::move(predictor)), from_(from), horizon_(horizon), lookahead_(lookahead) {}

  /// The moment up to which remaining lives count at `now`.
  [[nodiscard]] SimTime counted_to(SimTime now) const {
    return std::max(horizon_, now + lookahead_);
  }

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;

  [[nodiscard]] bool victims_have_positive_cost() const override { return true; }
  [[nodiscard]] SimTime follows_fifo_until() const override { return from_; }
  [[nodiscard]] std::unique_ptr<const Evictor> prepared_for(
      const ReadTraits& read_traits) const override;

 private:
  std::shared_ptr<const LifetimePredictor> predictor_;
  SimTime from_;
  SimTime horizon_;
  SimTime lookahead_;
};

using LpoEvictor = LifetimeEvictor<KnownLifetimes::kTrue>;
using LpmlEvictor = LifetimeEvictor<KnownLifetimes::kPredicted>;
using LpkmEvictor = LifetimeEvictor<KnownLifetimes::kSurvival>;

}  // namespace cospot
