#include "sim_harness/advise/advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim_harness/base/text/amount_text.hpp"

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
