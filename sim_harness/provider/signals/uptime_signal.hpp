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

/// How long a spot that is placed now lives until it is evicted, from two estimates made anew every
/// few hours: the lifetime SLA's, which sends fictitious spots through the history
/// (guarantees/sla/lifetime_estimate.hpp), and the survival curve of the spots that really ran
/// (Kaplan and Meier's; a spot that ended by itself is censored). The share that survives some span
/// is the second one's of the spots that came when the datacenter was as full, by flavor, drawn
/// towards the first one, or towards the base rate, as that of a larger group; or the first one by
/// itself: whichever was best so far.
class UptimeSignal {
 public:
  /// Chances of an eviction for which the lifetime is told.
  static constexpr std::array kProbabilities{0.05, 0.25, 0.5};

  /// Args: spans: that are scored.
  UptimeSignal(const std::vector<SimTime>& spans, std::size_t folds,
               std::vector<ResourceVector> host_totals);

  [[nodiscard]] History& history() { return history_; }
  [[nodiscard]] const History& history() const { return history_; }

  /// A spot was placed; `number` is that of its life, when the datacenter was what `state` says.
  /// Every span is scored that it wants to run for.
  void placed(std::size_t number, const SpotLife& life, const MarketState& state,
              SimTime wanted_end);

  /// Estimates anew when it is time to; called at every moment.
  void refresh(const SpotLives& lives, const MarketState& state);

  /// Scores what is due by `now`.
  void settle(SimTime now, const SpotLives& lives);

  /// The share that survives the span of that number of spots of a flavor that come now. Nothing:
  /// nothing is known yet, or none fits.
  [[nodiscard]] std::optional<double> survives(std::size_t pool, const MarketState& state,
                                               std::size_t span) const;
  /// The longest of some usual ages that a spot which comes now reaches with the probability 1 -
  /// kProbabilities[i]; 0: not even the first. It is at most half of the time that was seen, as
  /// little is known of later ages. kNoPromise: nothing is known yet, or none fits.
  [[nodiscard]] SimTime lifetime(std::size_t pool, const MarketState& state, std::size_t i) const;

  [[nodiscard]] const ForecastScore& score(std::size_t span) const { return scores_[span]; }

 private:
  /// By the evictions of late; the base rate; the lifetime SLA's estimate; and by groups drawn
  /// towards each of the three, strongly or less.
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
  /// The share of a group, drawn towards `outer`.
  [[nodiscard]] double drawn(Group group, std::size_t span, double outer, double weight) const;
  [[nodiscard]] Ways ways_of(std::size_t pool, const MarketState& state, std::size_t span) const;
  /// The mixture for a span; of a usual age, for the nearest that is scored.
  [[nodiscard]] const Mix& mix_for(std::size_t span) const;
  [[nodiscard]] double base_rate(std::size_t pool, std::size_t span) const;

  std::vector<SimTime> spans_;  // those that are scored, then the usual ages
  History history_;
  SimTime next_refresh_;
  LifetimeQuantiles fictitious_;
  RecentEvictions recent_;
  std::map<Group, Curve> curves_;
  std::vector<FeatureBin> fullness_;    // of each life, when it was placed
  std::vector<std::deque<Case>> open_;  // of each span, the first due first
  std::vector<Mix> mixes_;              // the same
  std::vector<ForecastScore> scores_;   // of each span
};

}  // namespace cospot
