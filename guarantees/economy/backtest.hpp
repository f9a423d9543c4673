#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "guarantees/economy/forecast.hpp"
#include "guarantees/economy/prediction_cycles.hpp"
#include "guarantees/economy/promise.hpp"
#include "guarantees/economy/slack.hpp"

namespace cospot {

/// One prediction's data, relative to the capacity when it is made: values over 1 mean that the
/// capacity has been larger, or grew later. Source: Carvalho et al., section 5.1.
struct CycleData {
  PredictionCycle cycle{};
  SlackAmount capacity = 0;        ///< in the last period before the cycle
  std::vector<double> training{};  ///< all periods before it
  std::vector<double> actual{};    ///< the periods that are promised; empty: not known yet
};

/// The data of every cycle that `periods` hold.
[[nodiscard]] std::vector<CycleData> backtest_cycles(const SlackPeriods& periods,
                                                     const CycleSettings& settings);

/// The prediction that is next: everything is known, nothing of what is promised.
[[nodiscard]] CycleData next_cycle(const SlackPeriods& periods, const CycleSettings& settings);

/// The slack that could be sold at all (f_slack), which the paper leaves open.
enum class SellableSlack : std::uint8_t {
  kOracle,  ///< the least slack of the cycle
  kMean,    ///< its mean
};

/// The rules by which a promise is made and judged; each value but the confidence is a documented
/// setting.
struct PromiseSettings {
  double confidence = 0.9;
  bool clamp = true;  ///< a negative quantity counts as 0
  PenaltyRule penalty{};
  SellableSlack sellable = SellableSlack::kOracle;
};

/// One cycle, judged.
struct CycleOutcome {
  PromiseOutcome promise{};
  bool is_kept = true;  ///< no bill of it is paid back; a promise of nothing is not kept
  double penalty = 0;   ///< X_e, mean over the bills
  double slack = 0;     ///< f_slack
};

/// The quantity that a forecast promises.
[[nodiscard]] double promised_quantity(const Forecast& forecast, const PromiseSettings& settings);

/// Args: data: with what really was.
[[nodiscard]] CycleOutcome judge_cycle(const Forecast& forecast, const CycleData& data,
                                       const PromiseSettings& settings);

/// Args: forecasts: of each cycle.
[[nodiscard]] std::vector<CycleOutcome> judge_all(std::span<const Forecast> forecasts,
                                                  std::span<const CycleData> cycles,
                                                  const PromiseSettings& settings);

/// All cycles of a backtest. Means are over cycles, except those of theta, which is what all of
/// them earn with the Economy class over what they earn without.
struct BacktestResult {
  std::size_t cycles = 0;
  std::size_t kept = 0;  ///< promises
  double quantity = 0;   ///< f_e
  double quantity_sd = 0;
  double availability = 1;
  double availability_least = 1;
  std::size_t short_periods = 0;
  double wastage = 0;
  double shortage = 0;
  double penalty = 0;
  double slack = 0;  ///< f_slack
  std::optional<double> theta{};
};

/// The quantity that a forecaster promises next at one confidence, and its past promises.
struct PromiseRecord {
  double quantity = 0;
  std::size_t kept = 0;
  std::size_t tests = 0;  ///< the past promises

  /// True if the share of the kept promises is at least `confidence`.
  [[nodiscard]] bool keeps(double confidence) const;
};

/// The forecaster to use: among those that kept at least the share `confidence` of their promises,
/// the one that promises most next; if none did, the one that kept most of them; the first of
/// equals. Args: records: of all forecasters on the same tests; not empty.
[[nodiscard]] std::size_t best_forecaster(std::span<const PromiseRecord> records,
                                          double confidence);

/// Errors: none; `outcomes` is not empty.
[[nodiscard]] BacktestResult sum_up(std::span<const CycleOutcome> outcomes,
                                    const ClassPrices& prices, bool penalty_on_all);

}  // namespace cospot
