#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

#include "sim_harness/provider/signals/learned_share.hpp"
#include "sim_harness/provider/signals/market_state.hpp"
#include "sim_harness/provider/signals/spot_lives.hpp"

namespace cospot {

/// The probability that a running spot is evicted within a span, estimated from similar past cases:
/// by the evictions of the last hour, the spot's age, how full the datacenter is, and the flavor.
class EvictedSignal {
 public:
  /// The maximum number of spots scored per moment, evenly spread over the hosts.
  static constexpr std::size_t kMostSpotsOfMoment = 200;

  EvictedSignal(SimTime span, std::size_t folds) : span_(span), score_(folds) {}

  /// Gives signals for running spots, to be scored later. Moments come in order.
  void look(const MarketState& state, const SpotLives& lives);

  /// Scores signals due by `now`; call it before look().
  void settle(SimTime now, const SpotLives& lives);

  [[nodiscard]] double forecast(const SpotLife& life, const MarketState& state) const;

  [[nodiscard]] const ForecastScore& score() const { return score_; }

 private:
  using Bins = std::array<FeatureBin, 4>;
  /// By the base rate, and by groups with strong or weak shrinkage.
  using Ways = MixedForecast<3>::Forecasts;

  struct Case {
    std::size_t life = 0;
    SimTime due{0};
    std::optional<std::size_t> fold{};
    Bins bins{};
    double forecast = 0;
    Ways ways{};
  };

  [[nodiscard]] Ways ways_of(const SpotLife& life, const Bins& bins) const;
  [[nodiscard]] static Bins bins_of(const SpotLife& life, const MarketState& state);

  SimTime span_;
  std::size_t moments_ = 0;
  ShrunkFrequency cases_;
  MixedForecast<3> mix_{0.2};  // five spots of a burst count as one case
  BaseRate base_rate_;
  std::deque<Case> open_;  // the earliest due first
  ForecastScore score_;
};

}  // namespace cospot
