#include "sim_harness/studies/economy/backtest_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

ClassPrices prices_at(double price, const EconomySettings& settings) {
  return {.economy = price, .opportunistic = settings.opportunistic_price};
}

/// The nearest-rank percentile of ascending values.
double quantile_of(const std::vector<double>& ascending, int percent) {
  // The rank is ceil(n * percent / 100), counted from 1.
  const std::size_t rank = (ascending.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return ascending[std::max<std::size_t>(rank, 1) - 1];
}

BacktestTradeOff trade_off(const std::string& forecaster, double confidence,
                           const std::vector<Forecast>& forecasts,
                           const std::vector<CycleData>& cycles, const EconomySettings& settings,
                           const std::vector<double>& prices) {
  const PromiseSettings promise = settings.promise_at(confidence);
  const std::vector<CycleOutcome> outcomes = judge_all(forecasts, cycles, promise);
  BacktestTradeOff made;
  made.forecaster = forecaster;
  made.confidence = confidence;
  std::vector<double> errors;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    for (const double slack : cycles[i].actual) {
      errors.push_back(slack - outcomes[i].promise.quantity);
    }
  }
  std::ranges::sort(errors);
  for (std::size_t i = 0; i < kErrorPercents.size(); ++i) {
    made.errors[i] = quantile_of(errors, kErrorPercents[i]);
  }
  for (const double price : prices) {
    made.result = sum_up(outcomes, prices_at(price, settings), promise.penalty.on_all_revenue);
    made.theta.push_back(made.result.theta);
  }
  return made;
}

void add_predictions(const std::string& forecaster, const std::vector<Forecast>& forecasts,
                     const EconomyInput& input, const std::vector<CycleData>& cycles,
                     const EconomySettings& settings, const BacktestRequest& request,
                     BacktestReport& report) {
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const CycleData& data = cycles[i];
    BacktestPrediction& prediction = report.predictions.emplace_back(BacktestPrediction{
        .forecaster = forecaster,
        .cycle = i + 1,
        .first_period = input.periods.first + static_cast<std::int64_t>(data.cycle.begin),
        .model = forecasts[i].model,
        .note = forecasts[i].note,
        .quantities = {},
        .least_slack = *std::ranges::min_element(data.actual),
        .mean_slack = mean_of(data.actual)});
    for (const double confidence : request.confidences) {
      prediction.quantities.push_back(
          promised_quantity(forecasts[i], settings.promise_at(confidence)));
    }
  }
}

void require_forecaster(const std::string& forecaster, const EconomyInput& input,
                        const EconomySettings& settings) {
  if (forecaster == "oracle") {
    throw ConfigError(
        "forecaster: the oracle knows what was, not what will be; expected ses, "
        "mean, minimum, arima or ets");
  }
  const CycleSettings cycles = settings.cycles();
  const std::size_t training = cycles.training;
  const std::size_t horizon = cycles.horizon;
  if (input.periods.size() < training) {
    throw InputError(fmt::format(
        "{}: the history is too short to promise from: {} periods of {} h, expected at "
        "least {} (--training-days {}); give a smaller --training-days or --period-hours",
        input.name, input.periods.size(), settings.period_hours, training, settings.training_days));
  }
  if (input.periods.size() < horizon) {
    throw InputError(
        fmt::format("{}: the history is too short for promises of {} days: {} periods of {} h, "
                    "expected at least {} (--horizon-days {}); give a smaller --horizon-days",
                    input.name, settings.horizon_days, input.periods.size(), settings.period_hours,
                    horizon, settings.horizon_days));
  }
}

/// Args: forecasts: of the past cycles, and the next one.
PlannedPromise promise_of(const std::string& forecaster, double confidence,
                          const std::vector<Forecast>& forecasts,
                          const std::vector<CycleData>& past, const EconomySettings& settings,
                          const std::vector<double>& prices) {
  PlannedPromise made;
  made.confidence = confidence;
  made.forecaster = forecaster;
  made.model = forecasts.back().model;
  made.note = forecasts.back().note;
  made.quantity = promised_quantity(forecasts.back(), settings.promise_at(confidence));
  if (past.empty()) return made;
  const BacktestTradeOff judged =
      trade_off(forecaster, confidence, forecasts, past, settings, prices);
  made.backtest = judged.result;
  made.theta = judged.theta.front();
  made.tests = judged.result.cycles;
  made.kept = judged.result.kept;
  return made;
}

}  // namespace

BacktestReport backtest(const EconomyInput& input, const EconomySettings& settings,
                        const BacktestRequest& request) {
  const std::vector<CycleData> cycles = cycles_of(input, settings);
  const auto forecasts =
      make_all_forecasts(request.forecasters, {&cycles, 1}, settings, request.processes).front();
  BacktestReport report{.cycles = cycles.size(), .predictions = {}, .trade_offs = {}};
  for (std::size_t i = 0; i < request.forecasters.size(); ++i) {
    const std::string& forecaster = request.forecasters[i];
    add_predictions(forecaster, forecasts[i], input, cycles, settings, request, report);
    for (const double confidence : request.confidences) {
      report.trade_offs.push_back(
          trade_off(forecaster, confidence, forecasts[i], cycles, settings, request.prices));
    }
  }
  return report;
}

EconomyPlan plan_promises(const EconomyInput& input, const EconomySettings& settings,
                          const BacktestRequest& request) {
  constexpr double kHoursPerMonth = 24 * kDaysPerMonth;
  EconomyPlan plan{.chooses = request.forecasters.empty(),
                   .capacity = input.periods.capacity.back(),
                   .promises = {}};
  std::vector<std::string> forecasters = request.forecasters;
  if (plan.chooses) {
    for (const BuiltInForecaster& one : built_in_forecasters()) forecasters.emplace_back(one.name);
  } else {
    require_forecaster(forecasters.front(), input, settings);
  }
  const std::vector<CycleData> past = backtest_cycles(input.periods, settings.cycles());
  if (plan.chooses && past.empty()) {
    for (const double confidence : request.confidences) {
      plan.promises.emplace_back().confidence = confidence;
    }
    return plan;
  }
  std::vector<CycleData> cycles = past;
  cycles.push_back(next_cycle(input.periods, settings.cycles()));
  const auto forecasts =
      make_all_forecasts(forecasters, {&cycles, 1}, settings, request.processes).front();
  const std::vector<Forecast> known = make_forecasts("oracle", past, settings, 1);
  for (const double confidence : request.confidences) {
    std::vector<PlannedPromise> made;
    std::vector<PromiseRecord> records;
    for (std::size_t i = 0; i < forecasters.size(); ++i) {
      made.push_back(
          promise_of(forecasters[i], confidence, forecasts[i], past, settings, request.prices));
      records.push_back(made.back());
    }
    PlannedPromise& promise =
        plan.promises.emplace_back(std::move(made[best_forecaster(records, confidence)]));
    if (plan.chooses && promise.kept == 0) promise.quantity = 0;
    promise.amount =
        static_cast<SlackAmount>(std::floor(promise.quantity * static_cast<double>(plan.capacity)));
    if (request.economy_price) {
      promise.income_per_month = static_cast<double>(promise.amount) / kSlackUnit *
                                 input.unit_scale * *request.economy_price * kHoursPerMonth;
    }
    if (!promise.theta) continue;
    const BacktestTradeOff kept =
        trade_off("oracle", confidence, known, past, settings, request.prices);
    promise.theta = std::min(*promise.theta, kept.theta.front().value_or(*promise.theta));
  }
  return plan;
}

}  // namespace cospot
