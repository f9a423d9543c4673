#include "sim_harness/advise/advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {

std::string percent(double fraction, int digits) {
  return fmt::format("{:.{}f}%", 100 * fraction, digits);
}

std::string limit_text(double fraction) { return fmt::format("{:g}%", 100 * fraction); }

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string money(double amount, const std::string& currency) {
  return money_text(amount) + (currency.empty() ? "" : " " + currency);
}

std::string signed_money(double amount, const std::string& currency) {
  return (amount >= 0 ? "+" : "") + money(amount, currency);
}

std::string money_interval(const MeanInterval& amount) {
  return fmt::format("{} to {}", signed_money(amount.mean - *amount.half_width, ""),
                     signed_money(amount.mean + *amount.half_width, ""));
}

std::string days_text(double days) {
  return fmt::format("{:.3g} day{}", days, days == 1 ? "" : "s");
}

MeanInterval of_month(MeanInterval day) {
  day.mean *= kDaysPerMonth;
  if (day.half_width) *day.half_width *= kDaysPerMonth;
  return day;
}

std::string month_text(double day) { return money_text(kDaysPerMonth * day); }

std::string forecast_text(const ForecastRecord& record, const std::string& currency) {
  static constexpr std::array<std::string_view, 3> kWords{
      "as in the last part", "the mean of all parts", "by the trend of the parts"};
  const std::string_view words = kWords[static_cast<std::size_t>(record.way)];
  const std::string amount = money(kDaysPerMonth * record.next, currency);
  const std::optional<double> half = record.half_width_over(kDaysPerMonth);
  if (!half) return fmt::format("{} ({})", amount, words);
  return fmt::format("{} (90 % interval {} to {}, {})", amount, month_text(record.next - *half),
                     month_text(record.next + *half), words);
}

std::string record_sentence(const ForecastRecord& record) {
  const std::optional<double> error = record.relative_error();
  const double judged = record.days * static_cast<double>(record.origins.size());
  std::string text =
      fmt::format("Forecasts of {}, made when each of {} began, were off by {}",
                  days_text(record.days), plural(record.origins.size(), "judged part"),
                  error ? percent(*error, 0) + " of what came on average" : "more than what came");
  if (record.with_interval() > 0) {
    text += fmt::format("; {} of {} intervals held it", record.inside(), record.with_interval());
  }
  if (judged < kDaysPerMonth) {
    text +=
        fmt::format("; a month is longer than the {} that judged, and may bring what they did not",
                    days_text(judged));
  }
  return text + ".";
}

Spread spread_of(const std::vector<double>& values) {
  Spread spread{.least = values.front(), .greatest = values.front()};
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    spread.mean += value / count;
    spread.least = std::min(spread.least, value);
    spread.greatest = std::max(spread.greatest, value);
  }
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.error = std::sqrt(squares / (count - 1) / count);
  return spread;
}

}  // namespace cospot
