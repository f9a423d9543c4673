#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {

/// The input of a backtest or a plan.
struct BacktestRequest {
  std::vector<std::string> forecasters;  ///< none: a plan chooses among the built-in ones
  std::vector<double> confidences;
  std::vector<double> prices;  ///< of the Economy class, fractions of the on-demand price
  /// Price of a unit-hour of the Economy class, in money; nothing: not given.
  std::optional<double> economy_price{};
  std::string currency{};
  std::size_t processes = 1;
};

/// One prediction of a forecaster (Figure 7 of the paper).
struct BacktestPrediction {
  std::string forecaster;
  std::size_t cycle = 0;
  std::int64_t first_period = 0;  ///< of the promised periods
  std::string model;
  std::string note;
  std::vector<double> quantities;  ///< at each confidence
  double least_slack = 0;          ///< what the oracle would have promised
  double mean_slack = 0;
};

/// The percentiles of the error in BacktestTradeOff.
inline constexpr std::array<int, 7> kErrorPercents{1, 5, 25, 50, 75, 95, 99};

/// A forecaster at one confidence level, over all cycles (Figures 6, 8 and 9).
struct BacktestTradeOff {
  std::string forecaster;
  double confidence = 0;
  BacktestResult result;
  std::array<double, kErrorPercents.size()> errors{};  ///< quantiles of slack - promise
  std::vector<std::optional<double>> theta;            ///< at each price
};

struct BacktestReport {
  std::size_t cycles = 0;
  std::vector<BacktestPrediction> predictions;
  std::vector<BacktestTradeOff> trade_offs;
};

/// Errors: InputError if the periods hold no cycle; those of make_forecasts.
[[nodiscard]] BacktestReport backtest(const EconomyInput& input, const EconomySettings& settings,
                                      const BacktestRequest& request);

/// The capacity that can be promised after the last period, at one confidence level. The quantity
/// is a fraction of the capacity.
struct PlannedPromise : PromiseRecord {
  double confidence = 0;
  std::string forecaster{};  ///< empty: the history is too short to choose one
  std::string model{};
  std::string note{};
  SlackAmount amount = 0;                    ///< rounded down
  std::optional<BacktestResult> backtest{};  ///< nothing: the history is too short for one
  /// At most the oracle's: promising more would sell capacity that does not exist.
  std::optional<double> theta{};
  std::optional<double> income_per_month{};  ///< at the request's economy price
};

struct EconomyPlan {
  bool chooses = false;  ///< the forecasters were not given
  SlackAmount capacity = 0;
  std::vector<PlannedPromise> promises;

  /// The one of the highest confidence; there is one.
  [[nodiscard]] const PlannedPromise& most_certain() const {
    return *std::ranges::max_element(promises, {}, &PlannedPromise::confidence);
  }
};

/// Promises by the forecaster of the request or, if it has none, by best_forecaster() at each
/// confidence.
///
/// Errors: ConfigError for the oracle; InputError if a given forecaster has too short a history.
[[nodiscard]] EconomyPlan plan_promises(const EconomyInput& input, const EconomySettings& settings,
                                        const BacktestRequest& request);

// The output of `cospot economy backtest` and `plan`, as text and as JSON (docs/json.md).

[[nodiscard]] std::string backtest_text(const EconomyInput& input, const EconomySettings& settings,
                                        const BacktestRequest& request,
                                        const BacktestReport& report);
[[nodiscard]] Json backtest_json(const EconomyInput& input, const EconomySettings& settings,
                                 const BacktestRequest& request, const BacktestReport& report);
/// Returns what can be promised, or why nothing can, in a sentence.
[[nodiscard]] std::string answer_text(const EconomyInput& input, const EconomySettings& settings,
                                      const EconomyPlan& plan, const PlannedPromise& promise);
[[nodiscard]] std::string plan_text(const EconomyInput& input, const EconomySettings& settings,
                                    const EconomyPlan& plan, const std::string& currency = {});
[[nodiscard]] Json plan_json(const EconomyInput& input, const EconomySettings& settings,
                             double price, const EconomyPlan& plan);

}  // namespace cospot
