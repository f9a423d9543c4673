#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "guarantees/sla/history.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/provider/signals/learned_share.hpp"
#include "sim_harness/provider/signals/market_state.hpp"
#include "sim_harness/provider/signals/recent_evictions.hpp"
#include "sim_harness/provider/signals/spot_lives.hpp"

namespace cospot {

/// The time until a spot that is placed now is evicted. Three estimates are refreshed every few
/// hours: the eviction rate of late by age; the lifetime SLA's, which replays fictitious spots
/// through the history (guarantees/sla/lifetime_estimate.hpp); and the Kaplan-Meier survival curve
/// of the real spots (a spot that ended by itself is censored), of all or of those that arrived at
/// a similarly full datacenter, by flavor, shrunk towards one of the others. The share that
/// survives a span is the mixture of them that the errors so far suggest.
class UptimeSignal {
 public:
  /// Eviction probabilities for which the lifetime is published.
  static constexpr std::array kProbabilities{0.05, 0.25, 0.5};

  /// Args: spans: to be scored.
  UptimeSignal(const std::vector<SimTime>& spans, std::size_t folds,
               std::vector<ResourceVector> host_totals);

  [[nodiscard]] History& history() { return history_; }

  /// Records the placement of life `number`, with the state of the datacenter at that time. Scores
  /// every span up to its requested run time.
  void placed(std::size_t number, const SpotLife& life, const MarketState& state,
              SimTime wanted_end);

  /// Refreshes the estimates when due; call it at every moment.
  void refresh(const SpotLives& lives, const MarketState& state);

  /// Scores signals due by `now`.
  void settle(SimTime now, const SpotLives& lives);

  /// The share of the spots of a flavor placed now that survives the span with that number. None if
  /// nothing is known yet, or if no spot fits.
  [[nodiscard]] std::optional<double> survives(std::size_t pool, const MarketState& state,
                                               std::size_t span) const;
  /// The longest of several standard ages that a spot placed now reaches with probability 1 -
  /// kProbabilities[i]; 0: not even the first. At most half of the observed time, because little is
  /// known about later ages. kNoPromise: nothing is known yet, or no spot fits.
  [[nodiscard]] SimTime lifetime(std::size_t pool, const MarketState& state, std::size_t i) const;

  [[nodiscard]] const ForecastScore& score(std::size_t span) const { return scores_[span]; }

 private:
  /// By the evictions of late, the base rate, the lifetime SLA's estimate, and by groups shrunk
  /// towards each of the three, strongly or weakly.
  static constexpr std::size_t kWays = 9;
  using Mix = MixedForecast<kWays>;
  using Ways = Mix::Forecasts;
  struct Case {
    std::size_t life = 0;
    SimTime due{0};
    std::optional<std::size_t> fold{};
    double forecast = 0;
    double reference = 0;
    Ways ways{};
  };
  using Group = std::uint64_t;
  using Curve = std::vector<SurvivalAt>;  // at each span

  [[nodiscard]] static Group group_of_flavor(std::size_t pool);
  [[nodiscard]] static Group group_of(FeatureBin fullness);
  [[nodiscard]] static Group group_of(FeatureBin fullness, std::size_t pool);
  void estimate_from_fictitious(const MarketState& state);
  void estimate_from_lives(const SpotLives& lives, SimTime now);
  /// The share of a group, shrunk towards `outer`.
  [[nodiscard]] double drawn(Group group, std::size_t span, double outer, double weight) const;
  [[nodiscard]] Ways ways_of(std::size_t pool, const MarketState& state, std::size_t span) const;
  /// The mixture of a span; a standard age uses that of the nearest scored span.
  [[nodiscard]] const Mix& mix_for(std::size_t span) const;
  [[nodiscard]] double base_rate(std::size_t pool, std::size_t span) const;

  std::vector<SimTime> spans_;  // the scored ones, then the standard ages
  History history_;
  SimTime next_refresh_;
  LifetimeQuantiles fictitious_;
  RecentEvictions recent_;
  std::map<Group, Curve> curves_;
  std::vector<FeatureBin> fullness_;    // per life, at its placement
  std::vector<std::deque<Case>> open_;  // per span, the earliest due first
  std::vector<Mix> mixes_;              // per span
  std::vector<ForecastScore> scores_;   // per span
};

}  // namespace cospot
