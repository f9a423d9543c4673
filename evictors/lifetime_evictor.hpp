#pragma once

#include <memory>

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/lifetime_predictor.hpp"

namespace cospot {

/// Of all sets of spots that cover the shortfall, the one that loses the least revenue. LPO, the
/// lifetime prediction oracle, knows when each spot will end; LPML, lifetime prediction by machine
/// learning, goes by what a predictor expects, given how long the spot has run. Nothing else tells
/// them apart. Score: vcpu-seconds lost.
///
/// A victim costs its vcpus times its remaining life, counted to `horizon_day` and at least one
/// microsecond: so no victim is free (victims_have_positive_cost), even one that is about to end.
/// Exact in whole vcpu-microseconds. Ties: the fewest victims, then the oldest.
/// search/eviction_search.hpp tells how far a search goes on a host where either is too hard.
///
/// Before `from_day` both plan as FIFO does, score included: those are the days that LPML learns
/// from, and LPO is compared with it.
///
/// Options, in days since the start of the window: `from_day` (3), `horizon_day` (90). LPML also
/// has `model`, a file that `cospot lifetime train` wrote (without it the model that is built in,
/// for the synthetic workload azure2020). Source: CoSpot, section 4.6.
template <KnownLifetimes kLifetimes>
class LifetimeEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo =
      kLifetimes == KnownLifetimes::kTrue
          ? PluginInfo{.name = "LPO",
                       .summary = "Evicts the set that loses the least revenue, by true lifetime.",
                       .source = "CoSpot, section 4.6",
                       .lifetimes = kLifetimes}
          : PluginInfo{
                .name = "LPML",
                .summary = "Evicts the set that loses the least revenue, by predicted lifetime.",
                .source = "CoSpot, section 4.6",
                .lifetimes = kLifetimes,
                .tune_choice = TuneChoice::kEvictor};

  static constexpr int kDefaultHorizonDay = 90;

  explicit LifetimeEvictor(const PluginOptions& options);
  LifetimeEvictor(std::shared_ptr<const LifetimePredictor> predictor, SimTime from, SimTime horizon)
      : predictor_(std::move(predictor)), from_(from), horizon_(horizon) {}

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
};

using LpoEvictor = LifetimeEvictor<KnownLifetimes::kTrue>;
using LpmlEvictor = LifetimeEvictor<KnownLifetimes::kPredicted>;

}  // namespace cospot
