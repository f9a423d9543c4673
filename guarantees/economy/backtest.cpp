#include "guarantees/economy/backtest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace cospot {
namespace {

CycleData relative_data(const SlackPeriods& periods, const PredictionCycle& cycle) {
  CycleData data{.cycle = cycle, .capacity = periods.capacity[cycle.begin - 1]};
  const auto relative = [&](std::size_t period) {
    return static_cast<double>(periods.slack[period]) / static_cast<double>(data.capacity);
  };
  for (std::size_t i = 0; i < cycle.begin; ++i) data.training.push_back(relative(i));
  const std::size_t end = std::min(cycle.end, periods.size());
  for (std::size_t i = cycle.begin; i < end; ++i) data.actual.push_back(relative(i));
  return data;
}

double mean_of(std::span<const CycleOutcome> outcomes, double (*value)(const CycleOutcome&)) {
  double sum = 0;
  for (const CycleOutcome& outcome : outcomes) sum += value(outcome);
  return sum / static_cast<double>(outcomes.size());
}

double sd_of_quantity(std::span<const CycleOutcome> outcomes, double mean) {
  if (outcomes.size() < 2) return 0;
  double squares = 0;
  for (const CycleOutcome& outcome : outcomes) {
    squares += (outcome.promise.quantity - mean) * (outcome.promise.quantity - mean);
  }
  return std::sqrt(squares / static_cast<double>(outcomes.size() - 1));
}

}  // namespace

std::vector<CycleData> backtest_cycles(const SlackPeriods& periods, const CycleSettings& settings) {
  std::vector<CycleData> all;
  for (const PredictionCycle& cycle : prediction_cycles(periods.size(), settings)) {
    all.push_back(relative_data(periods, cycle));
  }
  return all;
}

CycleData next_cycle(const SlackPeriods& periods, const CycleSettings& settings) {
  return relative_data(periods, {periods.size(), periods.size() + settings.horizon});
}

double promised_quantity(const Forecast& forecast, const PromiseSettings& settings) {
  const double bound = lowest_bound(forecast, settings.confidence);
  return settings.clamp ? std::max(bound, 0.0) : bound;
}

CycleOutcome judge_cycle(const Forecast& forecast, const CycleData& data,
                         const PromiseSettings& settings) {
  const double quantity = promised_quantity(forecast, settings);
  CycleOutcome outcome{
      .promise = judge_promise(quantity, data.actual),
      .is_kept = quantity > 0 && periods_paid_back(quantity, data.actual, settings.penalty) == 0,
      .penalty = penalty_share(quantity, data.actual, settings.penalty)};
  if (settings.sellable == SellableSlack::kMean) {
    outcome.slack = std::accumulate(data.actual.begin(), data.actual.end(), 0.0) /
                    static_cast<double>(data.actual.size());
  } else {
    outcome.slack = *std::ranges::min_element(data.actual);
  }
  if (settings.clamp) outcome.slack = std::max(outcome.slack, 0.0);
  return outcome;
}

std::vector<CycleOutcome> judge_all(std::span<const Forecast> forecasts,
                                    std::span<const CycleData> cycles,
                                    const PromiseSettings& settings) {
  std::vector<CycleOutcome> outcomes;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    outcomes.push_back(judge_cycle(forecasts[i], cycles[i], settings));
  }
  return outcomes;
}

bool PromiseRecord::keeps(double confidence) const {
  constexpr double kRounding = 1e-9;
  return static_cast<double>(kept) >= confidence * static_cast<double>(tests) - kRounding;
}

std::size_t best_forecaster(std::span<const PromiseRecord> records, double confidence) {
  const auto rank = [confidence](const PromiseRecord& one) {
    const bool keeps = one.keeps(confidence);
    return std::tuple(keeps, keeps ? one.quantity : static_cast<double>(one.kept));
  };
  return static_cast<std::size_t>(
      std::distance(records.begin(), std::ranges::max_element(records, {}, rank)));
}

BacktestResult sum_up(std::span<const CycleOutcome> outcomes, const ClassPrices& prices,
                      bool penalty_on_all) {
  using Kept = const CycleOutcome&;
  BacktestResult result{.cycles = outcomes.size()};
  result.quantity = mean_of(outcomes, [](Kept o) { return o.promise.quantity; });
  result.quantity_sd = sd_of_quantity(outcomes, result.quantity);
  result.availability = mean_of(outcomes, [](Kept o) { return o.promise.availability; });
  result.wastage = mean_of(outcomes, [](Kept o) { return o.promise.wastage; });
  result.shortage = mean_of(outcomes, [](Kept o) { return o.promise.shortage; });
  result.penalty = mean_of(outcomes, [](Kept o) { return o.penalty; });
  result.slack = mean_of(outcomes, [](Kept o) { return o.slack; });
  PromiseRevenue total;
  for (const CycleOutcome& outcome : outcomes) {
    result.availability_least = std::min(result.availability_least, outcome.promise.availability);
    result.kept += outcome.is_kept ? 1 : 0;
    result.short_periods += outcome.promise.short_periods;
    const PromiseRevenue revenue = promise_revenue(outcome.promise.quantity, outcome.slack,
                                                   outcome.penalty, prices, penalty_on_all);
    total.with_economy += revenue.with_economy;
    total.opportunistic_only += revenue.opportunistic_only;
  }
  result.theta = profit_ratio(total);
  return result;
}

}  // namespace cospot
