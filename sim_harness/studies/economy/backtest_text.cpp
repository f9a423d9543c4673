#include "sim_harness/studies/economy/backtest_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {
namespace {

using Align = TextTable::Align;

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

std::string ratio(const std::optional<double>& theta) {
  return theta ? fmt::format("{:.3f}", *theta) : "-";
}

/// An amount in the unit that people count in.
std::string amount_of(SlackAmount amount, const EconomyInput& input) {
  const double scaled = static_cast<double>(amount) / kSlackUnit * input.unit_scale;
  return input.unit_scale == 1 ? count_text(amount / kSlackUnit) : amount_text(scaled);
}

/// Describes the usage and its unused part.
std::string heading(const EconomyInput& input, const EconomySettings& settings) {
  std::string text = fmt::format(
      "usage   {}: {} periods of {} h\n"
      "slack   mean {} of the capacity; more than {} in 99% of the {} samples\n",
      input.label, input.periods.size(), settings.period_hours, percent(input.slack_mean),
      percent(input.slack_p1), input.samples);
  if (input.periods.repeated > 0) {
    text += fmt::format("gaps    {} periods repeat the one before them\n", input.periods.repeated);
  }
  return text;
}

std::string predictions_text(const BacktestRequest& request, const BacktestReport& report) {
  TextTable table;
  table.add_column("forecaster", Align::kLeft);
  table.add_column("cycle");
  table.add_column("from period");
  table.add_column("model", Align::kLeft);
  for (const double confidence : request.confidences) {
    table.add_column(fmt::format("at {}", confidence));
  }
  table.add_column("least slack");
  table.add_column("mean slack");
  std::string notes;
  for (const BacktestPrediction& one : report.predictions) {
    std::vector<std::string> cells{one.forecaster, fmt::format("{}", one.cycle),
                                   fmt::format("{}", one.first_period), one.model};
    for (const double quantity : one.quantities) cells.push_back(percent(quantity));
    cells.push_back(percent(one.least_slack));
    cells.push_back(percent(one.mean_slack));
    table.add_row(std::move(cells));
    if (!one.note.empty()) {
      notes += fmt::format("{}, cycle {}: {}\n", one.forecaster, one.cycle, one.note);
    }
  }
  return "\nPredictions, % of the capacity at each (Figure 7)\n" + table.text() + notes;
}

std::string errors_text(const BacktestReport& report) {
  TextTable table;
  table.add_column("forecaster", Align::kLeft);
  table.add_column("confidence");
  for (const int one : kErrorPercents) table.add_column(fmt::format("p{}", one));
  for (const BacktestTradeOff& one : report.trade_offs) {
    std::vector<std::string> cells{one.forecaster, fmt::format("{}", one.confidence)};
    for (const double error : one.errors) cells.push_back(percent(error));
    table.add_row(std::move(cells));
  }
  return "\nSlack beyond the promise, quantiles over all periods; negative: a shortage (Figure "
         "6)\n" +
         table.text();
}

std::string trade_offs_text(const BacktestRequest& request, const BacktestReport& report) {
  TextTable table;
  table.add_column("forecaster", Align::kLeft);
  for (const char* title : {"confidence", "promised", "sd", "availability", "worst cycle",
                            "wastage", "shortage", "paid back"}) {
    table.add_column(title);
  }
  for (const double price : request.prices) table.add_column(fmt::format("theta at {}", price));
  for (const BacktestTradeOff& one : report.trade_offs) {
    const BacktestResult& result = one.result;
    std::vector<std::string> cells{one.forecaster,
                                   fmt::format("{}", one.confidence),
                                   percent(result.quantity),
                                   percent(result.quantity_sd),
                                   percent(result.availability),
                                   percent(result.availability_least),
                                   percent(result.wastage),
                                   percent(result.shortage),
                                   percent(result.penalty)};
    for (const auto& theta : one.theta) cells.push_back(ratio(theta));
    table.add_row(std::move(cells));
  }
  return "\nQuantity, availability (Figure 8) and profit ratio (Figure 9)\n" + table.text();
}

}  // namespace

std::string backtest_text(const EconomyInput& input, const EconomySettings& settings,
                          const BacktestRequest& request, const BacktestReport& report) {
  return heading(input, settings) +
         fmt::format("cycles  {}: promises for {} days, the first after {} days\n", report.cycles,
                     settings.horizon_days, settings.training_days) +
         predictions_text(request, report) + errors_text(report) + trade_offs_text(request, report);
}

std::string plan_text(const EconomyInput& input, const EconomySettings& settings,
                      const EconomyPlan& plan, const std::string& currency) {
  TextTable table;
  const std::string unit = input.unit.empty() ? "amount" : input.unit;
  for (const std::string& title :
       {std::string("confidence"), std::string("availability before"), std::string("worst cycle"),
        std::string("promised"), unit, std::string("theta before")}) {
    table.add_column(title);
  }
  const bool has_income = !plan.promises.empty() && plan.promises.front().income_per_month;
  if (has_income) {
    table.add_column((currency.empty() ? "a month" : currency + " a month") + ", all sold");
  }
  for (const PlannedPromise& one : plan.promises) {
    const auto past = [&one](double BacktestResult::*share) {
      return one.backtest ? percent((*one.backtest).*share) : "-";
    };
    std::vector<std::string> row{fmt::format("{}", one.confidence),
                                 past(&BacktestResult::availability),
                                 past(&BacktestResult::availability_least),
                                 percent(one.quantity),
                                 amount_of(one.amount, input),
                                 ratio(one.theta)};
    if (has_income) row.push_back(money_text(*one.income_per_month));
    table.add_row(std::move(row));
  }
  const std::size_t cycles = plan.promises.empty() || !plan.promises.front().backtest
                                 ? 0
                                 : plan.promises.front().backtest->cycles;
  const std::string past =
      cycles == 0
          ? fmt::format(
                "caution  the history is too short to test this on the past: {} days of "
                "training and {} days to judge are needed\n",
                settings.training_days, settings.horizon_days)
          : fmt::format(
                "\"before\": the same promise, made in the past ({} tests); theta, its profit "
                "over that "
                "of spots alone,\nis at most that of a promise that is always kept.\n",
                cycles);
  return heading(input, settings) + (cycles == 0 ? past : "") +
         fmt::format("model   {}{}\n\nFor the next {} days, of a capacity of {}{}:\n", plan.model,
                     plan.note.empty() ? "" : " (" + plan.note + ")", settings.horizon_days,
                     amount_of(plan.capacity, input),
                     input.unit.empty() ? " in the unit of the file" : " " + input.unit) +
         table.text() + (cycles == 0 ? "" : past) + (has_income ? std::string(kSoldOnce) : "");
}

}  // namespace cospot
