#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim_harness/provider/signals/learned_share.hpp"
#include "sim_harness/provider/signals/market_state.hpp"

namespace cospot {

/// The probability that `count` spots of a pool fit together at some time within a span: 1 if they
/// fit now; otherwise estimated from similar past cases, by the time since they last fitted, the
/// share of the capacity that is free, the pool, and the time of day.
class ObtainableSignal {
 public:
  ObtainableSignal(std::int64_t count, SimTime span, std::size_t folds)
      : count_(count), span_(span), score_(folds), when_full_(folds) {}

  /// Gives a signal for every pool, to be scored later. Moments come in order.
  void look(const MarketState& state);

  /// Reports that the slots of `pools` do not change between `from` and `until`.
  void slots_hold(const SpotPools& pools, SimTime from, SimTime until);

  /// Scores signals due by `now`; call it before look().
  void settle(SimTime now);

  [[nodiscard]] double forecast(std::size_t pool, const MarketState& state) const;

  [[nodiscard]] const ForecastScore& score() const { return score_; }
  /// Only cases where they did not fit at the moment, against the base rate of those.
  [[nodiscard]] const ForecastScore& score_when_full() const { return when_full_; }

 private:
  using Bins = std::array<FeatureBin, 4>;
  /// By the base rate of such moments, and by groups with strong or weak shrinkage.
  using WaysWhenFull = MixedForecast<3>::Forecasts;

  struct Case {
    SimTime due{0};
    std::optional<std::size_t> fold{};
    Bins bins{};
    double forecast = 0;
    double reference = 0;
    WaysWhenFull ways{};
    double mixed = 0;  ///< the mean of the ways; the forecast corrects it
    bool fits_now = false;
    bool happened = false;
  };

  [[nodiscard]] WaysWhenFull ways_when_full(std::size_t pool, const Bins& bins) const;
  [[nodiscard]] Bins bins_of(std::size_t pool, const MarketState& state) const;
  void score(std::size_t pool, const Case& one);

  std::int64_t count_;
  SimTime span_;
  ShrunkFrequency when_full_cases_;
  MixedForecast<3> mix_when_full_{0.3};  // flavors fill up together: three cases count as one
  /// Groups learn from few times without capacity, and most of them are short. The rare long ones
  /// contain most cases, so frequencies learned before the first of them are too high.
  OddsRecalibration recalibration_when_full_{3};
  BaseRate base_rate_;
  BaseRate base_rate_when_full_;
  std::vector<std::deque<Case>> open_;  // per pool, the earliest due first
  std::vector<SimTime> last_fit_;       // per pool: end of the last time they fitted
  ForecastScore score_;
  ForecastScore when_full_;
};

}  // namespace cospot
