#include "sim_harness/base/json/json_text.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/studies/economy/backtest_text.hpp"
#include "sim_harness/studies/economy/economy_keys.hpp"

namespace cospot {
namespace {

std::string whole(std::size_t number) { return std::to_string(number); }

std::string numbers(const auto& values) {
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back(json_number(value));
  return json_list(items);
}

std::string input_json(const EconomyInput& input) {
  return JsonObject()
      .add("label", json_text(input.label))
      .add("sha256", json_text(input.sha256))
      .add("periods", whole(input.periods.size()))
      .add("repeated_periods", whole(input.periods.repeated))
      .add("slack_mean", json_number(input.slack_mean))
      .add("slack_p1", json_number(input.slack_p1))
      .text();
}

std::string prediction_json(const BacktestPrediction& one) {
  return JsonObject()
      .add("forecaster", json_text(one.forecaster))
      .add("cycle", whole(one.cycle))
      .add("first_period", std::to_string(one.first_period))
      .add("model", json_text(one.model))
      .add("note", json_text(one.note))
      .add("quantities", numbers(one.quantities))
      .add("least_slack", json_number(one.least_slack))
      .add("mean_slack", json_number(one.mean_slack))
      .text();
}

std::string result_json(const BacktestResult& result) {
  return JsonObject()
      .add("cycles", whole(result.cycles))
      .add("quantity", json_number(result.quantity))
      .add("quantity_sd", json_number(result.quantity_sd))
      .add("availability", json_number(result.availability))
      .add("availability_least", json_number(result.availability_least))
      .add("short_periods", whole(result.short_periods))
      .add("wastage", json_number(result.wastage))
      .add("shortage", json_number(result.shortage))
      .add("slack", json_number(result.slack))
      .add("penalty", json_number(result.penalty))
      .text();
}

std::string trade_off_json(const BacktestTradeOff& one) {
  return JsonObject()
      .add("forecaster", json_text(one.forecaster))
      .add("confidence", json_number(one.confidence))
      .add("result", result_json(one.result))
      .add("error_quantiles", numbers(one.errors))
      .add("theta", numbers(one.theta))
      .text();
}

std::string settings_json(const EconomySettings& settings) { return economy_json(settings).dump(); }

}  // namespace

std::string backtest_json(const EconomyInput& input, const EconomySettings& settings,
                          const BacktestRequest& request, const BacktestReport& report) {
  std::vector<std::string> predictions, trade_offs, percents;
  for (const BacktestPrediction& one : report.predictions) {
    predictions.push_back(prediction_json(one));
  }
  for (const BacktestTradeOff& one : report.trade_offs) trade_offs.push_back(trade_off_json(one));
  for (const int one : kErrorPercents) percents.push_back(std::to_string(one));
  return JsonObject()
             .add("usage", input_json(input))
             .add("settings", settings_json(settings))
             .add("confidences", numbers(request.confidences))
             .add("prices", numbers(request.prices))
             .add("error_percents", json_list(percents))
             .add("predictions", json_list(predictions))
             .add("trade_offs", json_list(trade_offs))
             .text() +
         "\n";
}

std::string plan_json(const EconomyInput& input, const EconomySettings& settings,
                      const BacktestRequest& request, const EconomyPlan& plan) {
  constexpr auto kUnit = static_cast<double>(kSlackUnit);
  std::vector<std::string> promises;
  for (const PlannedPromise& one : plan.promises) {
    promises.push_back(
        JsonObject()
            .add("confidence", json_number(one.confidence))
            .add("quantity", json_number(one.quantity))
            .add("amount", json_number(static_cast<double>(one.amount) / kUnit * input.unit_scale))
            .add("backtest", one.backtest ? result_json(*one.backtest) : "null")
            .add("theta", json_number(one.theta))
            .add("income_per_month", json_number(one.income_per_month))
            .text());
  }
  const bool has_income = !plan.promises.empty() && plan.promises.front().income_per_month;
  return JsonObject()
             .add("usage", input_json(input))
             .add("unit", input.unit.empty() ? "null" : json_text(input.unit))
             .add("settings", settings_json(settings))
             .add("forecaster", json_text(request.forecasters.front()))
             .add("model", json_text(plan.model))
             .add("note", json_text(plan.note))
             .add("capacity",
                  json_number(static_cast<double>(plan.capacity) / kUnit * input.unit_scale))
             .add("price", json_number(request.prices.front()))
             .add("promises", json_list(promises))
             .add("income_note", has_income ? sold_once_json() : "null")
             .text() +
         "\n";
}

}  // namespace cospot
