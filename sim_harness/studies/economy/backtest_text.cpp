#include <fmt/format.h>

#include <optional>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/studies/economy/backtest_report.hpp"

namespace cospot {
namespace {

using Align = TextTable::Align;

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

std::string kept_text(std::size_t kept, std::size_t tests) {
  return fmt::format("{} of {}", kept, tests);
}

std::string ratio(const std::optional<double>& theta) {
  return theta ? fmt::format("{:.3f}", *theta) : "-";
}

/// A part of `capacity` in the unit that people count in. A small capacity, such as 1, has no whole
/// parts.
std::string amount_of(SlackAmount amount, SlackAmount capacity, const EconomyInput& input) {
  const double scaled = static_cast<double>(amount) / kSlackUnit * input.unit_scale;
  if (input.unit_scale != 1) return amount_text(scaled);
  return capacity < 10 * kSlackUnit ? fmt::format("{:.3g}", scaled)
                                    : count_text(amount / kSlackUnit);
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
  for (const char* title : {"confidence", "promised", "sd", "availability", "worst cycle", "kept",
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
                                   kept_text(result.kept, result.cycles),
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

std::string answer_text(const EconomyInput& input, const EconomySettings& settings,
                        const EconomyPlan& plan, const PlannedPromise& promise) {
  if (promise.forecaster.empty()) {
    return fmt::format(
        "Nothing can be promised, because the history is too short to test a promise on: {} "
        "periods of {} h, expected at least {} (training_days {} and horizon_days {}).",
        input.periods.size(), settings.period_hours,
        settings.cycles().training + settings.cycles().horizon, settings.training_days,
        settings.horizon_days);
  }
  const std::string made_by =
      fmt::format("forecaster {} at {}", promise.forecaster, promise.confidence);
  const std::string tested =
      promise.tests == 0
          ? "the history is too short for a past test"
          : fmt::format("kept in {} past tests", kept_text(promise.kept, promise.tests));
  if (plan.chooses && promise.kept == 0) {
    return fmt::format(
        "Nothing can be promised at {}, because no forecaster kept a promise in {} past test{}.",
        promise.confidence, promise.tests, promise.tests == 1 ? "" : "s");
  }
  const std::string amount = amount_of(promise.amount, plan.capacity, input);
  if (amount == amount_of(0, plan.capacity, input)) {
    return fmt::format("Nothing can be promised, because no idle capacity is expected ({}: {}).",
                       made_by, tested);
  }
  std::string answer = fmt::format("Promise {} of {}{} ({}): {}.", amount,
                                   amount_of(plan.capacity, plan.capacity, input),
                                   input.unit.empty() ? "" : " " + input.unit, made_by, tested);
  if (!promise.keeps(promise.confidence)) {
    answer += fmt::format(" That is less often than {}{}.", promise.confidence,
                          plan.chooses ? ", and no forecaster did better" : "");
  }
  return answer;
}

std::string plan_text(const EconomyInput& input, const EconomySettings& settings,
                      const EconomyPlan& plan, const std::string& currency) {
  const PlannedPromise& best = plan.most_certain();
  const std::string top =
      answer_text(input, settings, plan, best) + "\n\n" + heading(input, settings);
  if (best.forecaster.empty()) return top;
  TextTable table;
  const std::string unit = input.unit.empty() ? "amount" : input.unit;
  for (const std::string& title :
       {std::string("confidence"), std::string("forecaster"), std::string("kept before"),
        std::string("availability before"), std::string("worst cycle"), std::string("promised"),
        unit, std::string("theta before")}) {
    table.add_column(title, title == "forecaster" ? Align::kLeft : Align::kRight);
  }
  const bool has_income = best.income_per_month.has_value();
  if (has_income) {
    table.add_column((currency.empty() ? "a month" : currency + " a month") + ", all sold");
  }
  for (const PlannedPromise& one : plan.promises) {
    const auto past = [&one](double BacktestResult::*share) {
      return one.backtest ? percent((*one.backtest).*share) : "-";
    };
    std::vector<std::string> row{fmt::format("{}", one.confidence),
                                 one.forecaster,
                                 one.tests == 0 ? "-" : kept_text(one.kept, one.tests),
                                 past(&BacktestResult::availability),
                                 past(&BacktestResult::availability_least),
                                 percent(one.quantity),
                                 amount_of(one.amount, plan.capacity, input),
                                 ratio(one.theta)};
    if (has_income) row.push_back(money_text(*one.income_per_month));
    table.add_row(std::move(row));
  }
  const PenaltyRule& penalty = settings.promise.penalty;
  const std::size_t cycles = best.backtest ? best.backtest->cycles : 0;
  const std::string past =
      cycles == 0
          ? fmt::format(
                "caution  the history is too short to test this on the past: {} days of "
                "training and {} days to judge are needed\n",
                settings.training_days, settings.horizon_days)
          : fmt::format(
                "\"before\": the same promise, made in the past; kept: no bill was paid back, by "
                "an "
                "availability {} {}.\n"
                "Theta, its profit over that of spots alone, is at most that of a promise that is "
                "always kept.\n",
                penalty.at_threshold ? "above" : "of at least", percent(penalty.threshold));
  return top + (cycles == 0 ? past : "") +
         fmt::format("model   {}{}\n\nFor the next {} days, of a capacity of {}{}:\n", best.model,
                     best.note.empty() ? "" : " (" + best.note + ")", settings.horizon_days,
                     amount_of(plan.capacity, plan.capacity, input),
                     input.unit.empty() ? " in the unit of the file" : " " + input.unit) +
         table.text() + (cycles == 0 ? "" : past) + (has_income ? std::string(kSoldOnce) : "");
}

}  // namespace cospot
