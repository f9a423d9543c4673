#pragma once

#include <memory>

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/lifetime_predictor.hpp"

namespace cospot {

/// LPML, lifetime prediction by machine learning: LPO without its knowledge of the future. Of all
/// sets of spots that cover the shortfall it evicts the one that loses the least revenue, where a
/// spot's remaining life is what a predictor expects, given how long the spot has run. Search,
/// ties, score and what is charged for a spot that is due are those of LPO: with LifetimeOracle the
/// two decide alike.
///
/// Before `from_day` it plans as FIFO does, score included: those are the days it learned from.
///
/// Options: `model`, a file that `cospot lifetime train` wrote (without it the model that is built
/// in, for the synthetic workload azure2020); in days since the start of the window `from_day` (3)
/// and `horizon_day` (90), to which remaining life is counted.
/// Source: CoSpot, section 4.6.
class LpmlEvictor final : public Evictor {
 public:
  static constexpr PluginInfo kInfo{
      .name = "LPML",
      .summary = "Evicts the set that loses the least revenue, by predicted lifetime.",
      .source = "CoSpot, section 4.6",
      .lifetimes = KnownLifetimes::kPredicted,
      .tune_choice = TuneChoice::kEvictor};

  explicit LpmlEvictor(const PluginOptions& options);
  LpmlEvictor(std::shared_ptr<const LifetimePredictor> predictor, SimTime from, SimTime horizon)
      : predictor_(std::move(predictor)), from_(from), horizon_(horizon) {}

  bool make_plan(const EvictionCase& eviction, double score_limit,
                 EvictionPlan& plan) const override;

  [[nodiscard]] bool charges_every_victim() const override { return true; }
  [[nodiscard]] SimTime follows_fifo_until() const override { return from_; }
  [[nodiscard]] std::unique_ptr<const Evictor> informed(
      const ReadTraits& read_traits) const override;

 private:
  std::shared_ptr<const LifetimePredictor> predictor_;
  SimTime from_;
  SimTime horizon_;
};

}  // namespace cospot
