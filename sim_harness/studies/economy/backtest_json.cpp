#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"
#include "sim_harness/studies/promises/economy_keys.hpp"

namespace cospot {
namespace {

Json numbers(const auto& values) {
  return json_list_of(values, [](const auto& value) { return json_of(value); });
}

Json input_json(const EconomyInput& input) {
  return {{"label", input.label},
          {"sha256", input.sha256},
          {"periods", input.periods.size()},
          {"repeated_periods", input.periods.repeated},
          {"slack_mean", json_of(input.slack_mean)},
          {"slack_p1", json_of(input.slack_p1)}};
}

Json prediction_json(const BacktestPrediction& one) {
  return {{"forecaster", one.forecaster},
          {"cycle", one.cycle},
          {"first_period", one.first_period},
          {"model", one.model},
          {"note", one.note},
          {"quantities", numbers(one.quantities)},
          {"least_slack", json_of(one.least_slack)},
          {"mean_slack", json_of(one.mean_slack)}};
}

Json result_json(const BacktestResult& result) {
  return {{"cycles", result.cycles},
          {"kept", result.kept},
          {"quantity", json_of(result.quantity)},
          {"quantity_sd", json_of(result.quantity_sd)},
          {"availability", json_of(result.availability)},
          {"availability_least", json_of(result.availability_least)},
          {"short_periods", result.short_periods},
          {"wastage", json_of(result.wastage)},
          {"shortage", json_of(result.shortage)},
          {"slack", json_of(result.slack)},
          {"penalty", json_of(result.penalty)}};
}

Json trade_off_json(const BacktestTradeOff& one) {
  return {{"forecaster", one.forecaster},
          {"confidence", json_of(one.confidence)},
          {"result", result_json(one.result)},
          {"error_quantiles", numbers(one.errors)},
          {"theta", numbers(one.theta)}};
}

}  // namespace

Json backtest_json(const EconomyInput& input, const EconomySettings& settings,
                   const BacktestRequest& request, const BacktestReport& report) {
  return {{"usage", input_json(input)},
          {"settings", economy_json(settings)},
          {"confidences", numbers(request.confidences)},
          {"prices", numbers(request.prices)},
          {"error_percents", kErrorPercents},
          {"predictions", json_list_of(report.predictions, prediction_json)},
          {"trade_offs", json_list_of(report.trade_offs, trade_off_json)}};
}

Json plan_json(const EconomyInput& input, const EconomySettings& settings, double price,
               const EconomyPlan& plan) {
  const auto amount_json = [&](auto amount) {
    return json_of(static_cast<double>(amount) / static_cast<double>(kSlackUnit) *
                   input.unit_scale);
  };
  const auto promise_json = [&](const PlannedPromise& one) {
    return Json{{"confidence", json_of(one.confidence)},
                {"forecaster", one.forecaster},
                {"model", one.model},
                {"note", one.note},
                {"quantity", json_of(one.quantity)},
                {"amount", amount_json(one.amount)},
                {"answer", answer_text(input, settings, plan, one)},
                {"backtest", one.backtest ? result_json(*one.backtest) : Json()},
                {"theta", json_of(one.theta)},
                {"income_per_month", json_of(one.income_per_month)}};
  };
  const PlannedPromise& best = plan.most_certain();
  return {{"answer", answer_text(input, settings, plan, best)},
          {"usage", input_json(input)},
          {"unit", input.unit.empty() ? Json() : Json(input.unit)},
          {"settings", economy_json(settings)},
          {"forecaster", best.forecaster},
          {"model", best.model},
          {"note", best.note},
          {"capacity", amount_json(plan.capacity)},
          {"price", json_of(price)},
          {"promises", json_list_of(plan.promises, promise_json)},
          {"income_note", best.income_per_month ? Json(sold_once_note()) : Json()}};
}

}  // namespace cospot
